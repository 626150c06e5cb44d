import { type Challenge, createChallenge, type Payload, randomInt, verifySolution } from 'altcha-lib';
import { deriveKey } from 'altcha-lib/algorithms/pbkdf2';
import { z } from 'zod';
import type { CheckAnswer, CheckSubject, CheckVerdict, HumanCheck } from '../guard/human-check.ts';
import { html, type Markup } from '../page/html.ts';
import type { ReadSecret, VotingSecret } from '../voter/voting-secret.ts';

/**
 * PBKDF2 iterations of one try; a browser needs 256 tries on average. Measured: 0.3 ms of a server's core to set, a hash to check,
 * 70 ms of a desktop to solve (median), and 0.7 s where a browser offers no cryptography because there is no HTTPS. A phone takes
 * several times as long, while its owner reads.
 */
export const PROOF_COST = 1_000;
/** Long enough to read, choose and be called to the door; a page that is open for longer gets a new task by itself. */
const LIFETIME_MS = 600_000;
/** A spent proof is remembered longer than it is valid, because the engine's clock may run ahead of this one. */
const MEMORY_MARGIN_MS = 300_000;
/** Tries until the solution, drawn evenly: the longest wait is three times the shortest. */
const FEWEST_TRIES = 128;
const MOST_TRIES = 384;
const MAX_PAYLOAD_LENGTH = 4_000;

const payloadSchema = z.object({
  challenge: z.object({
    parameters: z.looseObject({
      nonce: z.string().min(16).max(64),
      expiresAt: z.number(),
      data: z.object({ poll: z.string(), voter: z.string() }),
    }),
    signature: z.string(),
  }),
  solution: z.object({ counter: z.number(), derivedKey: z.string() }),
});

/** Proof of work by ALTCHA, on this server alone: nobody else learns who votes. */
export class AltchaCheck implements HumanCheck {
  readonly sources = [];
  readonly scripts = [];
  readonly #secret: ReadSecret;
  readonly #cost: number;
  readonly #clock: () => number;
  readonly #workerPath: string;

  /** @param cost PBKDF2 iterations of one try */
  constructor(secret: ReadSecret, cost: number, clock: () => number, workerPath: string) {
    this.#secret = secret;
    this.#cost = cost;
    this.#clock = clock;
    this.#workerPath = workerPath;
  }

  async render(subject: CheckSubject): Promise<Markup> {
    const challenge = await this.renew(subject);
    return html`<div data-proof data-challenge="${JSON.stringify(challenge)}" data-lifetime-ms="${LIFETIME_MS}" data-worker="${this.#workerPath}" data-renew="/${subject.pollId}/challenge">
<input type="hidden" name="proof" value="">
<p class="check" aria-live="polite" data-proof-state></p>
</div>`;
  }

  async renew({ pollId, voter }: CheckSubject): Promise<Challenge> {
    const secret = await this.#secret();
    return createChallenge({
      algorithm: 'PBKDF2/SHA-256',
      cost: this.#cost,
      counter: randomInt(MOST_TRIES, FEWEST_TRIES),
      deriveKey,
      expiresAt: Math.ceil((this.#clock() + LIFETIME_MS) / 1000),
      data: { poll: pollId, voter: secret.hash('challenge', voter) },
      ...signing(secret),
    });
  }

  async verify({ fields, pollId, voter }: CheckAnswer): Promise<CheckVerdict> {
    if (fields['proof'] === undefined || fields['proof'] === '') return { outcome: 'missing' };
    const payload = readPayload(fields['proof']);
    if (!payload) return { outcome: 'failed' };
    const secret = await this.#secret();
    const { nonce, expiresAt, data } = payload.challenge.parameters;
    if (data.poll !== pollId || data.voter !== secret.hash('challenge', voter)) return { outcome: 'failed' };
    if (expiresAt * 1000 <= this.#clock()) return { outcome: 'expired' };
    const { verified } = await verifySolution({
      ...(payload as unknown as Payload),
      deriveKey,
      ...signing(secret),
    });
    if (!verified) return { outcome: 'failed' };
    return { outcome: 'passed', proof: { id: nonce, expiresAtMs: expiresAt * 1000 + MEMORY_MARGIN_MS } };
  }
}

function signing(secret: VotingSecret) {
  return {
    hmacSignatureSecret: secret.bytes('challenge').toString('hex'),
    // With the derived key signed too, checking a solution costs a hash instead of a derivation.
    hmacKeySignatureSecret: secret.bytes('challenge-key').toString('hex'),
  };
}

function readPayload(text: unknown): z.infer<typeof payloadSchema> | undefined {
  if (typeof text !== 'string' || text.length > MAX_PAYLOAD_LENGTH) return undefined;
  try {
    return payloadSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}
