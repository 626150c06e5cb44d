/**
 * Every name of a record, whole or up to a colon. A new name does not compile until it has a place
 * in one of the two tables.
 */

/** In archives: the kind by which `archive/` checks and imports the record. */
export const ARCHIVED_RECORDS = {
  'show:': 'show',
  'logo:': 'logo',
  'ground:': 'ground',
  'secret:voting': 'votingSecret',
  'secret:log': 'logKey',
  'operator-keys': 'operatorKeys',
  'chat:links': 'chatLinks',
  webhooks: 'webhooks',
  'webhook:': 'webhookProgress',
  'kept-reply:': 'keptReply',
} as const;

/** Not in archives, which the README of `start/` says in these words. */
export const PASSING_RECORDS = {
  audience: 'numbers of viewers',
  'audience:': 'numbers of viewers',
  'chat:since:': 'the time from which chat votes count',
  'chat:state': 'states of linked chats',
  'chat:state:': 'states of linked chats',
  'comment:': 'retries of comments',
  'events-lease': 'leases of processes',
  'events-since': 'the log of events',
  'human:': 'spent human checks',
  'join:': 'join codes of deleted polls and shows',
  'join-check:': 'spent human checks',
  'join-tries:': 'spent human checks',
  'limits:': 'rate limits',
  'press:': 'leases of processes',
  'rehearsal:': 'rehearsals',
  'rejected:': 'numbers of rejected ballots',
  'secret:limits': 'rate limits',
  start: 'probes',
  trial: 'probes',
} as const;

type Table = typeof ARCHIVED_RECORDS & typeof PASSING_RECORDS;
type NameOf<K> = K extends `${string}:` ? `${K}${string}` : K;
export type RecordName = NameOf<keyof Table>;
export type ArchivedKind = (typeof ARCHIVED_RECORDS)[keyof typeof ARCHIVED_RECORDS];

const KINDS = new Map<string, ArchivedKind>(Object.entries(ARCHIVED_RECORDS));

/** Returns undefined for a record that no archive has. */
export function kindOfRecord(name: string): ArchivedKind | undefined {
  return KINDS.get(name) ?? KINDS.get(name.slice(0, name.indexOf(':') + 1));
}
