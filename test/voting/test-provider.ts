import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';
import type { OidcOptions } from '../../src/audience/sign-in/sign-in.ts';

/** A real OpenID provider in this process, which accepts any name and password. */
export class TestProvider {
  readonly options: OidcOptions;
  /** Authorization requests. */
  readonly asked: URLSearchParams[] = [];
  readonly #server: Server;
  #handler: RequestListener = (_request, response) => response.writeHead(503).end();

  private constructor(server: Server) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.options = {
      issuer: `http://127.0.0.1:${port}`,
      clientId: 'tallycast',
      clientSecret: 'a-secret-of-the-client-that-is-long-enough',
      name: 'Example ID',
    };
  }

  /** Listens, but replies 503 until `admit` is called. */
  static async start(): Promise<TestProvider> {
    const server = createServer((request, response) => provider.#handle(request, response));
    await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
    const provider = new TestProvider(server);
    return provider;
  }

  /** @param voteUrl origin of the voting front end */
  admit(voteUrl: string): void {
    const { issuer, clientId, clientSecret } = this.options;
    const provider = new Provider(issuer, {
      clients: [
        { client_id: clientId, client_secret: clientSecret, redirect_uris: [`${voteUrl}/sign-in/callback`] },
      ],
      pkce: { required: () => true },
      ttl: {
        AccessToken: 600,
        AuthorizationCode: 60,
        Grant: 600,
        IdToken: 600,
        Interaction: 600,
        Session: 600,
      },
      cookies: { keys: ['a key for the cookies of the test'] },
    });
    this.#handler = provider.callback();
  }

  close(): Promise<unknown> {
    this.#server.closeAllConnections();
    return new Promise(done => this.#server.close(done));
  }

  #handle: RequestListener = (request, response) => {
    const url = new URL(request.url ?? '/', this.options.issuer);
    if (url.pathname === '/auth') this.asked.push(url.searchParams);
    this.#handler(request, response);
  };
}

/** A browser at the provider: its cookies, its redirects, its two forms. */
export class ProviderSession {
  readonly #cookies = new Map<string, string>();

  /** Signs in on the provider's pages. @returns the callback URL */
  async signIn(authorizeUrl: string, name: string): Promise<string> {
    const { origin } = new URL(authorizeUrl);
    let next = await this.#request(authorizeUrl);
    for (let step = 0; step < 20; step += 1) {
      const location = next.headers.get('location');
      if (location !== null && !new URL(location, origin).href.startsWith(origin)) return location;
      if (location !== null) {
        next = await this.#request(new URL(location, origin).href);
        continue;
      }
      const page = await next.text();
      const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
      const prompt = /name="prompt" value="([^"]+)"/.exec(page)?.[1];
      if (!action || !prompt) throw new Error(`the provider shows no form: ${page.slice(0, 500)}`);
      next = await this.#request(new URL(action, origin).href, { prompt, login: name, password: 'any' });
    }
    throw new Error('the provider never sent the browser back');
  }

  async #request(url: string, form?: Record<string, string>): Promise<Response> {
    const reply = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    });
    for (const cookie of reply.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      if (name !== undefined) this.#cookies.set(name, value ?? '');
    }
    return reply;
  }
}
