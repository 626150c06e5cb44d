import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  discovery,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client';

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** What people call the provider: "Sign in with ...". */
  readonly name: string;
}

export const CALLBACK_PATH = '/sign-in/callback';
const TIMEOUT_SECONDS = 10;
const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** What must be remembered between leaving for the provider and coming back. */
export interface SignInFlow {
  readonly verifier: string;
  readonly state: string;
  readonly nonce: string;
}

/** Who the provider says it is. Never stored; only a keyed hash of it is. */
export interface Account {
  readonly issuer: string;
  readonly subject: string;
}

/** OpenID Connect, code flow with PKCE, with whatever provider the operator named. */
export class SignIn {
  readonly name: string;
  readonly #options: OidcOptions;
  readonly #callbackUrl: string;
  #provider: Promise<Configuration> | undefined;

  constructor(options: OidcOptions, votePublicUrl: string) {
    this.name = options.name;
    this.#options = options;
    this.#callbackUrl = new URL(CALLBACK_PATH, votePublicUrl).href;
  }

  async begin(): Promise<{ readonly url: URL; readonly flow: SignInFlow }> {
    const provider = await this.#discover();
    const flow = { verifier: randomPKCECodeVerifier(), state: randomState(), nonce: randomNonce() };
    const url = buildAuthorizationUrl(provider, {
      redirect_uri: this.#callbackUrl,
      scope: 'openid',
      code_challenge: await calculatePKCECodeChallenge(flow.verifier),
      code_challenge_method: 'S256',
      state: flow.state,
      nonce: flow.nonce,
    });
    return { url, flow };
  }

  /** @param query of the request that came back @throws where the provider refused or the answer is not for this flow */
  async finish(query: string, { verifier, state, nonce }: SignInFlow): Promise<Account> {
    const provider = await this.#discover();
    const tokens = await authorizationCodeGrant(provider, new URL(query, this.#callbackUrl), {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims) throw new Error('the provider sent no ID token');
    return { issuer: claims.iss, subject: claims.sub };
  }

  /** The provider may be down when this server starts, so it is asked when it is needed, and again after a failure. */
  #discover(): Promise<Configuration> {
    const { issuer, clientId, clientSecret } = this.#options;
    const server = new URL(issuer);
    // A provider on this machine, as in tests and trials, may go without HTTPS; nobody else's may.
    const execute =
      server.protocol === 'http:' && LOOPBACK.has(server.hostname) ? [allowInsecureRequests] : [];
    this.#provider ??= discovery(server, clientId, clientSecret, undefined, {
      execute,
      timeout: TIMEOUT_SECONDS,
    }).catch((error: unknown) => {
      this.#provider = undefined;
      throw error;
    });
    return this.#provider;
  }
}
