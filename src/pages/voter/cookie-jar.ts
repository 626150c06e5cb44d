import type { IncomingHttpHeaders } from 'node:http';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { basePathOf } from '../../http/base-path.ts';

/** The cookies of this server. Callers seal the values. */
type CookieName = 'voter' | 'account' | 'receipt' | 'manage' | 'outcome' | 'sign-in';

interface CookieOptions {
  readonly maxAgeSeconds?: number;
  readonly path?: string;
}

export class CookieJar {
  readonly #secure: boolean;
  readonly #basePath: string;
  readonly #voter: RegExp;

  constructor(voteUrl: string) {
    this.#secure = voteUrl.startsWith('https:');
    this.#basePath = basePathOf(voteUrl);
    this.#voter = new RegExp(`(?:^|; ?)${this.#fullName('voter', '/')}=([^;]*)`);
  }

  read(request: FastifyRequest, name: CookieName, path = '/'): string | undefined {
    return request.cookies[this.#fullName(name, path)];
  }

  write(
    reply: FastifyReply,
    name: CookieName,
    value: string,
    { maxAgeSeconds, path = '/' }: CookieOptions = {},
  ): void {
    reply.setCookie(this.#fullName(name, path), value, this.#options(path, maxAgeSeconds));
  }

  clear(reply: FastifyReply, name: CookieName, path = '/'): void {
    reply.clearCookie(this.#fullName(name, path), this.#options(path));
  }

  /** Reads the voter cookie before Fastify handles the request. Its value is never percent-encoded. */
  readVoter({ cookie = '' }: IncomingHttpHeaders): string | undefined {
    return this.#voter.exec(cookie)?.[1];
  }

  voterHeader(value: string, maxAgeSeconds: number): string {
    const secure = this.#secure ? '; Secure' : '';
    return `${this.#fullName('voter', '/')}=${value}; Max-Age=${maxAgeSeconds}; Path=${this.#basePath || '/'}; HttpOnly${secure}; SameSite=Lax`;
  }

  #options(path: string, maxAge?: number): CookieSerializeOptions {
    const age = maxAge === undefined ? {} : { maxAge };
    const below = path === '/' ? this.#basePath || '/' : this.#basePath + path;
    return { path: below, httpOnly: true, sameSite: 'lax', secure: this.#secure, ...age };
  }

  /** Browsers accept a `__Host-` cookie only over HTTPS, only from this very host and only for all its paths. */
  #fullName(name: CookieName, path: string): string {
    if (!this.#secure) return `tallycast-${name}`;
    return path === '/' && this.#basePath === '' ? `__Host-tallycast-${name}` : `__Secure-tallycast-${name}`;
  }
}
