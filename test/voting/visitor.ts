import { solveChallenge } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import type { FastifyInstance, LightMyRequestResponse } from 'fastify';

export interface VisitorOptions {
  readonly address?: string;
  readonly origin?: string;
  /** Sent with every request. */
  readonly headers?: Record<string, string>;
}

export type Fields = Record<string, string | readonly string[]>;

/** A server, or a client of one. */
type Injects = Pick<FastifyInstance, 'inject'>;

let addresses = 0;

/** A browser as the server sees it: cookies by path, Origin, Fetch Metadata, hidden fields. */
export class Visitor {
  readonly cookies = new Map<string, { name: string; value: string; path: string }>();
  address: string;
  readonly #server: Injects;
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor(server: Injects, { address, origin = 'http://vote.test', headers = {} }: VisitorOptions) {
    addresses += 1;
    this.#server = server;
    this.address = address ?? `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`;
    this.#origin = origin;
    this.#headers = headers;
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<LightMyRequestResponse> {
    return this.#keep(
      await this.#server.inject({
        method: 'GET',
        url: path,
        remoteAddress: this.address,
        headers: {
          host: new URL(this.#origin).host,
          cookie: this.#cookieHeader(path),
          ...this.#headers,
          ...headers,
        },
      }),
    );
  }

  /** Sends a form as a page of this site does, without following redirects. Empty headers are removed. */
  async post(
    path: string,
    fields: Fields | Buffer,
    headers: Record<string, string> = {},
  ): Promise<LightMyRequestResponse> {
    return this.#keep(
      await this.#server.inject({
        method: 'POST',
        url: path,
        remoteAddress: this.address,
        payload: Buffer.isBuffer(fields) ? fields : encodeForm(fields),
        headers: withoutEmpty({
          host: new URL(this.#origin).host,
          cookie: this.#cookieHeader(path),
          origin: this.#origin,
          'sec-fetch-site': 'same-origin',
          'content-type': 'application/x-www-form-urlencoded',
          ...this.#headers,
          ...headers,
        }),
      }),
    );
  }

  /** Opens the poll and solves its check. Returns the form without a choice. */
  async fillForm(pollId: string): Promise<Fields> {
    const page = await this.get(`/${pollId}`);
    return solveForm(page.body);
  }

  /** Opens the poll, solves the check and sends a ballot. */
  async vote(
    pollId: string,
    answers: string | readonly string[],
    fields: Fields = {},
  ): Promise<LightMyRequestResponse> {
    const form = await this.fillForm(pollId);
    return this.post(`/${pollId}/ballot`, { ...form, answer: answers, ...fields });
  }

  /** @param name without the prefix of all cookies of the site */
  cookie(name: string): string | undefined {
    const found = [...this.cookies.values()].find(cookie => cookie.name.endsWith(`tallycast-${name}`));
    return found && decodeURIComponent(found.value);
  }

  setCookie(name: string, value: string, path = '/'): void {
    const full = `tallycast-${name}`;
    this.cookies.set(`${full} ${path}`, { name: full, value: encodeURIComponent(value), path });
  }

  #cookieHeader(url: string): string {
    const path = url.replace(/\?.*$/, '');
    return [...this.cookies.values()]
      .filter(cookie => cookie.path === '/' || path === cookie.path || path.startsWith(`${cookie.path}/`))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }

  #keep(reply: LightMyRequestResponse): LightMyRequestResponse {
    for (const { name, value, path = '/', expires } of reply.cookies as {
      name: string;
      value: string;
      path?: string;
      expires?: Date;
    }[]) {
      if (expires && expires.getTime() <= 0) this.cookies.delete(`${name} ${path}`);
      else this.cookies.set(`${name} ${path}`, { name, value: encodeURIComponent(value), path });
    }
    return reply;
  }
}

export async function solveForm(page: string): Promise<Fields> {
  const challenge = attribute(page, 'data-challenge');
  return {
    ballot: fieldValue(page, 'ballot') ?? '',
    ...(challenge ? { proof: await solveTask(challenge) } : {}),
  };
}

/** @param task as JSON @returns the proof */
export async function solveTask(task: string): Promise<string> {
  const challenge = JSON.parse(task);
  const solution = await solveChallenge({ challenge, deriveKey });
  return JSON.stringify({ challenge, solution });
}

/** The poll that a form has created: the reply leads to its manage page. */
export function createdId({ headers }: LightMyRequestResponse): string {
  return /^\/([0-9A-Za-z]{12})\/manage$/.exec(String(headers.location))![1]!;
}

export function fieldValue(page: string, name: string): string | undefined {
  const match = new RegExp(`name="${name}" value="([^"]*)"`).exec(page);
  return match?.[1] === undefined ? undefined : unescapeHtml(match[1]);
}

export function attribute(page: string, name: string): string | undefined {
  const match = new RegExp(`${name}="([^"]*)"`).exec(page);
  return match?.[1] === undefined ? undefined : unescapeHtml(match[1]);
}

/** Returns the text of a page: no tags, entities resolved, white space collapsed. */
export function visibleText(page: string): string {
  const body = page.replace(/^[\s\S]*<body>/, '').replace(/<noscript>[\s\S]*?<\/noscript>/g, '');
  return unescapeHtml(body.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

function unescapeHtml(text: string): string {
  const characters: Record<string, string> = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => characters[name] ?? '');
}

function encodeForm(fields: Fields): string {
  const pairs = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map(one => [name, one as string]),
  );
  return new URLSearchParams(pairs as [string, string][]).toString();
}

function withoutEmpty(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}
