import type { HumanCheck } from '../guard/human-check.ts';
import type { PageAssets } from '../page/page-assets.ts';
import type { ReadSecret } from '../voter/voting-secret.ts';
import { PROOF_COST, type VotingOptions } from '../voting-options.ts';
import { AltchaCheck } from './altcha-check.ts';
import { HCAPTCHA, RemoteCheck, TURNSTILE } from './remote-check.ts';

/** The only switch on the kind of check. */
export function chooseHumanCheck(options: VotingOptions, secret: ReadSecret, assets: PageAssets): HumanCheck {
  const { engine, turnstile, hcaptcha, proofCost = PROOF_COST, clock = Date.now } = options;
  if (turnstile && hcaptcha) throw new Error('Set up Turnstile or hCaptcha, not both');
  if (turnstile) return new RemoteCheck(TURNSTILE, turnstile, engine.records, clock);
  if (hcaptcha) return new RemoteCheck(HCAPTCHA, hcaptcha, engine.records, clock);
  return new AltchaCheck(secret, proofCost, clock, assets.path('proof-worker.js'));
}
