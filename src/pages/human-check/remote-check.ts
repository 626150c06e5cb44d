import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Records } from '../../engine/engine.ts';
import { readWhole } from '../../http/read-parts.ts';
import { html, type Markup } from '../page/html.ts';
import type { CheckAnswer, CheckVerdict, HumanCheck } from './human-check.ts';

export interface RemoteCheckOptions {
  readonly siteKey: string;
  readonly secret: string;
  readonly verifyUrl?: string | undefined;
}

interface RemoteService {
  readonly verifyUrl: string;
  readonly script: string;
  readonly sources: readonly string[];
  /** Form field with the token. */
  readonly field: string;
  /** Class of the element that the script renders into. */
  readonly className: string;
}

export const TURNSTILE: RemoteService = {
  verifyUrl: 'https://challenges.cloudflare.com/turnstile/v0/siteverify',
  script: 'https://challenges.cloudflare.com/turnstile/v0/api.js',
  sources: ['https://challenges.cloudflare.com'],
  field: 'cf-turnstile-response',
  className: 'cf-turnstile',
};

export const HCAPTCHA: RemoteService = {
  verifyUrl: 'https://api.hcaptcha.com/siteverify',
  script: 'https://js.hcaptcha.com/1/api.js',
  sources: ['https://hcaptcha.com', 'https://*.hcaptcha.com'],
  field: 'h-captcha-response',
  className: 'h-captcha',
};

const TIMEOUT_MS = 5_000;
/** Services reply with a few hundred. */
const MAX_REPLY_BYTES = 64 * 1024;
/** Longer than the five minutes for which both services accept a token. */
const TOKEN_MEMORY_MS = 900_000;
const MAX_TOKEN_LENGTH = 8_192;
const replySchema = z.looseObject({ success: z.boolean() });

/**
 * Turnstile or hCaptcha. They verify each token once, so the ballot that a token was spent on is
 * stored: its retry passes, another ballot fails.
 */
export class RemoteCheck implements HumanCheck {
  readonly sources: readonly string[];
  readonly scripts: readonly string[];
  readonly #service: RemoteService;
  readonly #options: RemoteCheckOptions;
  readonly #records: Records;
  readonly #clock: () => number;
  /** Verifications in progress, so that a double click is verified once. */
  readonly #verifying = new Map<string, Promise<CheckVerdict['outcome']>>();

  constructor(service: RemoteService, options: RemoteCheckOptions, records: Records, clock: () => number) {
    this.#service = service;
    this.#options = options;
    this.#records = records;
    this.#clock = clock;
    this.sources = service.sources;
    this.scripts = [service.script];
  }

  async render(): Promise<Markup> {
    return html`<div class="${this.#service.className}" data-sitekey="${this.#options.siteKey}"></div>`;
  }

  async renew(): Promise<undefined> {
    return undefined;
  }

  async verify({ fields, ballotId, ip }: CheckAnswer): Promise<CheckVerdict> {
    const token = fields[this.#service.field];
    if (typeof token !== 'string' || token === '') return { outcome: 'missing' };
    if (token.length > MAX_TOKEN_LENGTH) return { outcome: 'failed' };
    const id = createHash('sha256').update(token).digest('base64url');
    const spentOn = await this.#records.find(recordName(id));
    if (spentOn !== undefined) return spentOn === ballotId ? this.#passed(id) : { outcome: 'expired' };
    const outcome = await this.#verifyOnce(id, token, ip);
    // Another front end may have spent the token on the same ballot at the same time.
    if (outcome === 'failed' && (await this.#records.find(recordName(id))) === ballotId)
      return this.#passed(id);
    if (outcome !== 'passed') return { outcome };
    const kept = await this.#records.putIfAbsent(recordName(id), ballotId, TOKEN_MEMORY_MS);
    return kept === ballotId ? this.#passed(id) : { outcome: 'expired' };
  }

  #passed(id: string): CheckVerdict {
    const proof = { id, expiresAtMs: this.#clock() + TOKEN_MEMORY_MS };
    return { outcome: 'passed', proof, ofVoter: false };
  }

  #verifyOnce(id: string, token: string, ip: string): Promise<Exclude<CheckVerdict['outcome'], 'missing'>> {
    const verifying =
      this.#verifying.get(id) ?? this.#request(token, ip).finally(() => this.#verifying.delete(id));
    this.#verifying.set(id, verifying);
    return verifying as Promise<Exclude<CheckVerdict['outcome'], 'missing'>>;
  }

  async #request(token: string, ip: string): Promise<'passed' | 'failed' | 'unreachable'> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const reply = await fetch(this.#options.verifyUrl ?? this.#service.verifyUrl, {
        method: 'POST',
        body: new URLSearchParams({ secret: this.#options.secret, response: token, remoteip: ip }),
        signal,
      });
      const body = await readWhole(reply, signal, MAX_REPLY_BYTES);
      const { success } = replySchema.parse(JSON.parse(body.toString()));
      return success ? 'passed' : 'failed';
    } catch {
      return 'unreachable';
    }
  }
}

function recordName(id: string): `human:${string}` {
  return `human:${id}`;
}
