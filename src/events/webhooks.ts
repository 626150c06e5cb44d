import { createHmac, randomBytes } from 'node:crypto';
import type { Engine, Records } from '../engine/engine.ts';
import type { EventType } from './poll-event.ts';

/** Addresses that are sent every event, by the Standard Webhooks specification. One record holds all of them. */

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** `whsec_` and base64. Kept readable, because it signs. */
  readonly secret: string;
  readonly createdAtMs: number;
  /** Position of the newest event when it was created: it gets later ones. */
  readonly after: number;
}

/** How far a webhook has come; in a record of its own, which only the process that delivers writes. */
export interface WebhookProgress {
  /** Every event up to this position is delivered, or not wanted. */
  readonly position: number;
  /** Later events of the same batch that are delivered already. */
  readonly done?: readonly number[] | undefined;
  /** UNIX time in milliseconds since which every delivery has failed. */
  readonly failingSinceMs?: number | undefined;
  readonly attempts?: number | undefined;
  readonly retryAtMs?: number | undefined;
  /** UNIX time in milliseconds at which it was given up. */
  readonly disabledAtMs?: number | undefined;
}

/** Name of the record of all webhooks. */
export const WEBHOOKS = 'webhooks';
const MAX_WEBHOOKS = 1_000;
const SECRET_BYTES = 32;

export function parseWebhooks(text: string | undefined): readonly Webhook[] {
  return text === undefined ? [] : (JSON.parse(text) as { webhooks: Webhook[] }).webhooks;
}

export async function listWebhooks(records: Records): Promise<readonly Webhook[]> {
  return parseWebhooks(await records.find(WEBHOOKS));
}

export async function drawWebhook(
  { events, polls }: Pick<Engine, 'events' | 'polls'>,
  url: string,
  wanted: readonly EventType[],
): Promise<Webhook> {
  const [after, createdAtMs] = await Promise.all([events.findNewest(), polls.now()]);
  return {
    id: randomBytes(9).toString('hex'),
    url,
    events: wanted,
    createdAtMs,
    after,
    secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
  };
}

/** Safe to repeat. @returns false if there are `MAX_WEBHOOKS` already */
export async function addWebhook(records: Records, webhook: Webhook): Promise<boolean> {
  let isFull = false;
  await rewrite(records, webhooks => {
    isFull = false;
    if (webhooks.some(({ id }) => id === webhook.id)) return webhooks;
    isFull = webhooks.length >= MAX_WEBHOOKS;
    return isFull ? webhooks : [...webhooks, webhook];
  });
  return !isFull;
}

/** @returns false if there is no such webhook */
export async function removeWebhook(records: Records, id: string): Promise<boolean> {
  let existed = false;
  await rewrite(records, webhooks => {
    existed = webhooks.some(webhook => webhook.id === id);
    return existed ? webhooks.filter(webhook => webhook.id !== id) : webhooks;
  });
  if (existed) await records.remove(progressRecord(id));
  return existed;
}

async function rewrite(
  records: Records,
  next: (webhooks: readonly Webhook[]) => readonly Webhook[],
): Promise<void> {
  for (;;) {
    const text = await records.find(WEBHOOKS);
    const webhooks = parseWebhooks(text);
    const wanted = next(webhooks);
    if (wanted === webhooks) return;
    const written = JSON.stringify({ webhooks: wanted });
    const isWritten =
      text === undefined
        ? (await records.putIfAbsent(WEBHOOKS, written)) === written
        : await records.replace(WEBHOOKS, text, written);
    if (isWritten) return;
  }
}

export function progressRecord(id: string): string {
  return `webhook:${id}`;
}

export function parseProgress(webhook: Pick<Webhook, 'after'>, text: string | undefined): WebhookProgress {
  return text === undefined ? { position: webhook.after } : (JSON.parse(text) as WebhookProgress);
}

/** The headers of Standard Webhooks. @param nowMs of this attempt: receivers reject old ones */
export function signedHeaders(
  secret: string,
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
): Record<string, string> {
  const timestamp = `${Math.floor(nowMs / 1_000)}`;
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
    'content-type': 'application/json',
    'user-agent': 'Tallycast',
  };
}
