import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Records } from '../../engine/records.ts';
import type { CheckAnswer, CheckVerdict, HumanCheck } from '../guard/human-check.ts';
import { html, type Markup } from '../page/html.ts';

export interface RemoteCheckOptions {
  readonly siteKey: string;
  readonly secret: string;
  /** Where tokens are verified; only a test sets it. */
  readonly verifyUrl?: string | undefined;
}

/** A service that runs elsewhere: its script, its field in the form, and where its tokens are verified. */
interface RemoteService {
  readonly verifyUrl: string;
  readonly script: string;
  readonly sources: readonly string[];
  readonly field: string;
  /** Class of the element that the script looks for. */
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
/** Both services give a token five minutes; a spent one is remembered for longer than it could be shown again. */
const TOKEN_MEMORY_MS = 900_000;
const MAX_TOKEN_LENGTH = 8_192;
const replySchema = z.looseObject({ success: z.boolean() });

/**
 * Turnstile or hCaptcha. Their tokens are good once, also for a retry of the same ballot, so what a token was spent on is
 * remembered: the retry passes, another ballot does not.
 */
export class RemoteCheck implements HumanCheck {
  readonly sources: readonly string[];
  readonly scripts: readonly string[];
  readonly #service: RemoteService;
  readonly #options: RemoteCheckOptions;
  readonly #records: Records;
  readonly #clock: () => number;
  /** Tokens that are being verified right now: a double click asks the service once. */
  readonly #asking = new Map<string, Promise<CheckVerdict['outcome']>>();

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
    const outcome = await this.#askOnce(id, token, ip);
    // The same ballot may have come to another front end in the same moment, which spent the token on it.
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

  #askOnce(id: string, token: string, ip: string): Promise<Exclude<CheckVerdict['outcome'], 'missing'>> {
    const asking = this.#asking.get(id) ?? this.#ask(token, ip).finally(() => this.#asking.delete(id));
    this.#asking.set(id, asking);
    return asking as Promise<Exclude<CheckVerdict['outcome'], 'missing'>>;
  }

  async #ask(token: string, ip: string): Promise<'passed' | 'failed' | 'unreachable'> {
    try {
      const reply = await fetch(this.#options.verifyUrl ?? this.#service.verifyUrl, {
        method: 'POST',
        body: new URLSearchParams({ secret: this.#options.secret, response: token, remoteip: ip }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const { success } = replySchema.parse(await reply.json());
      return success ? 'passed' : 'failed';
    } catch {
      return 'unreachable';
    }
  }
}

function recordName(id: string): string {
  return `human:${id}`;
}
