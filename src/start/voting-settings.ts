import type { VotingOptions } from '../voting/voting-options.ts';
import type { Config } from './config.ts';

/** The settings that only the voting front end reads, as it wants them. */
export function votingSettings(
  config: Config,
): Omit<VotingOptions, 'engine' | 'publicUrl' | 'votePublicUrl'> {
  return {
    trustProxy: config.TRUST_PROXY,
    vpnListFile: config.VPN_LIST_FILE,
    oidc:
      config.OIDC_ISSUER === undefined ||
      config.OIDC_CLIENT_ID === undefined ||
      config.OIDC_CLIENT_SECRET === undefined
        ? undefined
        : {
            issuer: config.OIDC_ISSUER,
            clientId: config.OIDC_CLIENT_ID,
            clientSecret: config.OIDC_CLIENT_SECRET,
            name: config.OIDC_NAME,
          },
    turnstile: remoteCheck(config.TURNSTILE_SITE_KEY, config.TURNSTILE_SECRET),
    hcaptcha: remoteCheck(config.HCAPTCHA_SITE_KEY, config.HCAPTCHA_SECRET),
    proofCost: config.PROOF_COST,
    rateLimits: {
      pages: config.PAGES_PER_MINUTE,
      ballots: config.VOTES_PER_MINUTE,
      newcomers: config.NEWCOMERS_PER_SECOND,
      comments: config.COMMENTS_PER_MINUTE,
      creates: config.CREATE_PER_MINUTE,
    },
    createRequiresKey: config.CREATE_REQUIRES_KEY,
    createBytesPerDay: config.CREATE_BYTES_PER_DAY,
    emptyPollDays: config.EMPTY_POLL_DAYS,
    emptyShowDays: config.EMPTY_SHOW_DAYS,
  };
}

function remoteCheck(siteKey: string | undefined, secret: string | undefined): VotingOptions['turnstile'] {
  return siteKey === undefined || secret === undefined ? undefined : { siteKey, secret };
}
