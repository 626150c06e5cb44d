import { createHmac, randomBytes } from 'node:crypto';
import type { Engine, Records } from '../engine/engine.ts';
import type { PollId, PollOwner } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import type { EventType } from './poll-event.ts';
import type { FollowedPoll } from './poll-progress.ts';

/** Addresses that are sent events, by the Standard Webhooks specification. One record holds all of them. */

/** The poll or the show whose events a webhook gets. It ends with it. */
export type WebhookScope = { readonly poll: PollId } | { readonly show: PollOwner };

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  /** `whsec_` and base64. Kept readable, because it signs. */
  readonly secret: string;
  readonly createdAtMs: number;
  /** Position of the newest event when it was created: it gets later ones. */
  readonly after: number;
  /** Absent for all polls and shows. */
  readonly scope?: WebhookScope | undefined;
  /** Digest of the address that created it; absent for an operator's key. */
  readonly creator?: string | undefined;
}

type Webhooks = readonly Webhook[];

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
/** As many of the operator as of polls and shows: those never take the place of an operator's. */
const MAX_WEBHOOKS = 1_000;
const MAX_OF_POLL = 3;
const MAX_OF_SHOW = 10;
/** Webhooks of polls and shows that one address makes. */
const MAX_OF_CREATOR = 30;
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
  owned: Pick<Webhook, 'scope' | 'creator'> = {},
): Promise<Webhook> {
  const [after, createdAtMs] = await Promise.all([events.findNewest(), polls.now()]);
  return {
    id: randomBytes(9).toString('hex'),
    url,
    events: wanted,
    createdAtMs,
    after,
    secret: `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`,
    ...owned,
  };
}

/** Safe to repeat. @throws PollError `webhooks_full` */
export async function addWebhook(records: Records, webhook: Webhook): Promise<void> {
  await rewrite(records, webhooks => {
    if (webhooks.some(({ id }) => id === webhook.id)) return webhooks;
    requireRoom(webhooks, webhook);
    return [...webhooks, webhook];
  });
}

function requireRoom(webhooks: readonly Webhook[], { scope, creator }: Webhook): void {
  if (!scope) {
    if (webhooks.filter(one => !one.scope).length >= MAX_WEBHOOKS) throw new PollError('webhooks_full');
    return;
  }
  const owned = webhooks.filter(one => one.scope);
  const limits = [
    { what: 'This server has', max: MAX_WEBHOOKS, found: owned },
    {
      what: 'poll' in scope ? 'This poll has' : 'This show has',
      max: 'poll' in scope ? MAX_OF_POLL : MAX_OF_SHOW,
      found: owned.filter(one => isInScope(one, scope)),
    },
    {
      what: 'This address has created',
      max: MAX_OF_CREATOR,
      found: creator === undefined ? [] : owned.filter(one => one.creator === creator),
    },
  ];
  for (const { what, max, found } of limits)
    if (found.length >= max)
      throw new PollError('webhooks_full', {
        message: `${what} ${max.toLocaleString('en')} webhooks of polls and shows already. Delete some first.`,
      });
}

/** Whether a webhook belongs to a poll or a show. */
export function isInScope({ scope }: Webhook, wanted: WebhookScope): boolean {
  return JSON.stringify(scope) === JSON.stringify(wanted);
}

/** @param subject a poll or a show @param showId of the show itself, or of the one that owns the poll */
export function concerns({ scope }: Webhook, { subject, showId }: FollowedPoll): boolean {
  if (!scope) return true;
  return 'poll' in scope ? scope.poll === subject : scope.show.id === showId;
}

/** @param scope that it must have @returns false if there is no such webhook */
export async function removeWebhook(records: Records, id: string, scope?: WebhookScope): Promise<boolean> {
  let existed = false;
  await rewrite(records, webhooks => {
    const isIt = (one: Webhook) => one.id === id && (!scope || isInScope(one, scope));
    existed = webhooks.some(isIt);
    return existed ? webhooks.filter(one => !isIt(one)) : webhooks;
  });
  if (existed) await records.remove(progressRecord(id));
  return existed;
}

async function rewrite(records: Records, next: (webhooks: Webhooks) => Webhooks): Promise<void> {
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

export function progressRecord(id: string): `webhook:${string}` {
  return `webhook:${id}`;
}

export function parseProgress(webhook: Pick<Webhook, 'after'>, text: string | undefined): WebhookProgress {
  return text === undefined ? { position: webhook.after } : (JSON.parse(text) as WebhookProgress);
}

/** The headers of Standard Webhooks. @param nowMs of this attempt: receivers reject old ones */
export function signedHeaders(
  secret: string,
  id: string,
  body: string,
  nowMs: number,
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
