import type { IncomingHttpHeaders } from 'node:http';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** The cookies of this server. Their values are sealed by those who write them: a cookie alone proves nothing. */
export type CookieName = 'voter' | 'account' | 'receipt' | 'manage' | 'outcome' | 'sign-in';

interface Placement {
  /** Seconds; left out, until the browser closes. */
  readonly maxAgeSeconds?: number;
  /** Default `/`. */
  readonly path?: string;
}

export class CookieJar {
  readonly #secure: boolean;
  readonly #voter: RegExp;

  constructor(votePublicUrl: string) {
    this.#secure = votePublicUrl.startsWith('https:');
    this.#voter = new RegExp(`(?:^|; ?)${this.#fullName('voter', '/')}=([^;]*)`);
  }

  read(request: FastifyRequest, name: CookieName, path = '/'): string | undefined {
    return request.cookies[this.#fullName(name, path)];
  }

  write(
    reply: FastifyReply,
    name: CookieName,
    value: string,
    { maxAgeSeconds, path = '/' }: Placement = {},
  ): void {
    reply.setCookie(this.#fullName(name, path), value, this.#options(path, maxAgeSeconds));
  }

  /** Reads the voter cookie of a request that Fastify has not seen yet. Its characters are never percent-encoded. */
  readVoter({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    return this.#voter.exec(cookie)?.[1];
  }

  /** Returns the `Set-Cookie` header of a voter cookie. */
  voterHeader(value: string, maxAgeSeconds: number): string {
    const secure = this.#secure ? '; Secure' : '';
    return `${this.#fullName('voter', '/')}=${value}; Max-Age=${maxAgeSeconds}; Path=/; HttpOnly${secure}; SameSite=Lax`;
  }

  clear(reply: FastifyReply, name: CookieName, path = '/'): void {
    reply.clearCookie(this.#fullName(name, path), this.#options(path));
  }

  #options(path: string, maxAgeSeconds?: number): CookieSerializeOptions {
    const age = maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds };
    return { path, httpOnly: true, sameSite: 'lax', secure: this.#secure, ...age };
  }

  /** Browsers let nobody else set a `__Host-` cookie: no other path, no neighbour on a sub-domain, no plain HTTP. */
  #fullName(name: CookieName, path: string): string {
    if (!this.#secure) return `tallycast-${name}`;
    return path === '/' ? `__Host-tallycast-${name}` : `__Secure-tallycast-${name}`;
  }
}
