import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Rehearsal } from './rehearsal.ts';

export interface SecureReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends requests to the reverse proxy under a name, and verifies its certificate for that name. */
export class OverTls {
  readonly ca: Buffer;
  readonly #host: string;

  constructor(rehearsal: Rehearsal) {
    this.#host = new URL(rehearsal.url('front-door', 8080)).hostname;
    // Caddy's local authority, as no public one can reach it.
    this.ca = readFileSync(join(rehearsal.folder, 'caddy/pki/authorities/local/root.crt'));
  }

  ask(url: string, headers: Record<string, string> = {}, body?: string): Promise<SecureReply> {
    const { hostname, port, host, pathname, search } = new URL(url);
    return new Promise((done, fail) => {
      const options = { host: this.#host, port, path: pathname + search, servername: hostname, ca: this.ca };
      const sent = request(
        { ...options, method: body === undefined ? 'GET' : 'POST', headers: { host, ...headers } },
        response => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.on('end', () =>
            done({ status: response.statusCode ?? 0, headers: response.headers, text }),
          );
        },
      );
      sent.on('error', fail).end(body);
    });
  }
}
