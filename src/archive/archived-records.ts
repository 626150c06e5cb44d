import * as z from 'zod';
import type { ArchivedRecord } from '../engine/archive.ts';
import { KEY_NAME, MAX_KEYS, OPERATOR_KEYS } from '../operator/operator-keys.ts';
import { isPollId } from '../poll/create-poll.ts';
import { SHOW_NAME } from '../poll/name-rules.ts';
import { SCOPES } from '../poll/poll-key.ts';

import { ArchiveFault } from './archive-line.ts';

/** What voters are recognized by: see the voting front end. */
export const VOTING_SECRET = 'secret:voting';
const SHOW = 'show:';

/** Records that an archive holds. All others pass: rate limits, audiences, spent tokens and whatever a process writes next. */
export type RecordKind = 'show' | 'votingSecret' | 'operatorKeys' | 'keptReply';

/** @returns undefined for a passing record */
export function kindOfRecord(name: string): RecordKind | undefined {
  if (name.startsWith(SHOW)) return 'show';
  if (name === VOTING_SECRET) return 'votingSecret';
  if (name === OPERATOR_KEYS) return 'operatorKeys';
  return name.startsWith('kept-reply:') ? 'keptReply' : undefined;
}

const jsonOf = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('it is not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

const pollId = z.string().refine(isPollId, 'it is no poll id');
const hash = z.string().regex(/^([0-9a-f]{64})?$/);
/** A show from before it had owners is the bare id of a poll; members came one by one. */
const show = z.union([
  pollId,
  jsonOf(
    z
      .looseObject({
        title: z.string(),
        onAir: pollId.nullable(),
        keyHash: hash,
        id: z.string(),
        version: z.int().min(0),
        rundown: z.array(pollId),
        own: z.array(pollId),
        last: pollId.nullable(),
        place: pollId.nullable(),
        presses: z.array(z.looseObject({ key: z.string(), what: z.string() })),
      })
      .partial(),
  ),
]);

const operatorKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  name: z.string().regex(KEY_NAME),
  scopes: z.array(z.enum(SCOPES)),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAtMs: z.int().min(0),
  expiresAtMs: z.int().min(0).nullable(),
});

const TEXTS: Readonly<Record<RecordKind, z.ZodType>> = {
  show,
  votingSecret: z.string().regex(/^[\w-]{43}$/, 'it is no secret of 256 bits'),
  operatorKeys: jsonOf(z.strictObject({ keys: z.array(operatorKey).max(MAX_KEYS) })),
  keptReply: jsonOf(
    z.strictObject({ bodyHash: hash, sealed: z.string().min(1), done: z.literal(true).optional() }),
  ),
};

/** @throws ArchiveFault where a server could not read the record */
export function checkRecord({ name, text, expiresAtMs }: ArchivedRecord, kind: RecordKind): void {
  const fault = (reason: string) =>
    new ArchiveFault(`Nothing was changed: record ${JSON.stringify(name)} cannot be used: ${reason}`);
  if (kind === 'show' && !SHOW_NAME.test(name.slice(SHOW.length))) throw fault('it is no name of a show');
  if (kind === 'keptReply' && expiresAtMs === null) throw fault('a kept reply must expire');
  if ((kind === 'votingSecret' || kind === 'operatorKeys') && expiresAtMs !== null)
    throw fault('it must not expire');
  const parsed = TEXTS[kind].safeParse(text);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw fault([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}
