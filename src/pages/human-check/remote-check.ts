import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Records } from '../../engine/engine.ts';
import { readWhole } from '../../http/read-parts.ts';
import { html } from '../page/html.ts';
import type { CheckVerdict, HumanCheck } from './human-check.ts';

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
type Verified = 'passed' | 'failed' | 'unreachable';

/**
 * Turnstile or hCaptcha. They verify each token once, so the ballot that a token was spent on is
 * stored: its retry passes, another ballot fails.
 */
export function remoteCheck(
  { sources, script, field, className, verifyUrl: publicUrl }: RemoteService,
  { siteKey, secret, verifyUrl = publicUrl }: RemoteCheckOptions,
  records: Records,
  clock: () => number,
): HumanCheck {
  /** Verifications in progress, so that a double click is verified once. */
  const verifying = new Map<string, Promise<Verified>>();

  function passed(id: string): CheckVerdict {
    const proof = { id, expiresAtMs: clock() + TOKEN_MEMORY_MS };
    return { outcome: 'passed', proof, ofVoter: false };
  }

  function verifyOnce(id: string, token: string, ip: string): Promise<Verified> {
    const running = verifying.get(id) ?? request(token, ip).finally(() => verifying.delete(id));
    verifying.set(id, running);
    return running;
  }

  async function request(token: string, ip: string): Promise<Verified> {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    try {
      const body = new URLSearchParams({ secret, response: token, remoteip: ip });
      const reply = await fetch(verifyUrl, { method: 'POST', body, signal });
      const text = await readWhole(reply, signal, MAX_REPLY_BYTES);
      return replySchema.parse(JSON.parse(text.toString())).success ? 'passed' : 'failed';
    } catch {
      return 'unreachable';
    }
  }

  return {
    sources,
    scripts: [script],
    render: async () => html`<div class="${className}" data-sitekey="${siteKey}"></div>`,
    renew: async () => undefined,

    async verify({ fields, ballotId, ip }) {
      const token = fields[field];
      if (typeof token !== 'string' || token === '') return { outcome: 'missing' };
      if (token.length > MAX_TOKEN_LENGTH) return { outcome: 'failed' };
      const id = createHash('sha256').update(token).digest('base64url');
      const spentOn = await records.find(recordName(id));
      if (spentOn !== undefined) return spentOn === ballotId ? passed(id) : { outcome: 'expired' };
      const outcome = await verifyOnce(id, token, ip);
      // Another front end may have spent the token on the same ballot at the same time.
      if (outcome === 'failed' && (await records.find(recordName(id))) === ballotId) return passed(id);
      if (outcome !== 'passed') return { outcome };
      const kept = await records.putIfAbsent(recordName(id), ballotId, TOKEN_MEMORY_MS);
      return kept === ballotId ? passed(id) : { outcome: 'expired' };
    },
  };
}

function recordName(id: string): `human:${string}` {
  return `human:${id}`;
}
