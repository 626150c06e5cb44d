import * as z from 'zod';
import type { ArchivedEntry, ArchivedPoll, ArchivedRecord } from '../engine/archive.ts';
import { fromStoredPoll, type StoredPoll } from '../poll/stored-poll.ts';

/** What a line of an archive may be. Members that are not known are refused: they could be what a newer version counts by. */

/** Raised with every change that an older version would read wrongly: 2 has polls of shows, 3 networks of ballots. */
export const FORMAT = 3;
/** Formats that this version reads. */
const KNOWN = [1, 2, FORMAT];

export type ArchiveItem = ArchivedRecord | ArchivedPoll | ArchivedEntry;

const whole = z.int().min(0);
const moment = whole.nullable();
const digest = z.string().regex(/^[\w-]{16}$/);
const hash = z.string().regex(/^([0-9a-f]{64})?$/);
const flag = z.boolean();

const header = z.strictObject({
  type: z.literal('tallycast'),
  format: z.literal(KNOWN),
  writtenAtMs: whole,
});
const end = z.strictObject({
  type: z.literal('end'),
  records: whole,
  polls: whole,
  ballots: whole,
  /** Of every byte before this line. */
  sha256: z.string(),
});
const record = z.strictObject({
  type: z.literal('record'),
  name: z.string().min(1),
  text: z.string(),
  expiresAtMs: moment,
});
const definition = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{12}$/),
  title: z.string(),
  description: z.string(),
  answers: z
    .array(z.strictObject({ id: z.string().regex(/^[\w-]{1,64}$/), text: z.string() }))
    .min(1)
    .max(100),
  settings: z.strictObject({
    priv: flag,
    co: flag,
    ma: flag,
    mip: flag,
    enter_name: flag,
    only_reg: flag,
    vpn: flag,
    has_image: flag,
  }),
  image: z.string().nullable(),
  inactiveDeadlineMs: moment.optional(),
  show: z.strictObject({ name: z.string(), id: z.string() }).optional(),
  createdAtMs: whole,
  emptyRetentionMs: whole.optional(),
});
const poll = z.strictObject({
  type: z.literal('poll'),
  poll: definition.transform(stored => fromStoredPoll(stored as StoredPoll)),
  keys: z.strictObject({ adminKeyHash: hash, viewKeyHash: hash }),
  version: whole,
  /** In archives from before positions. Not read. */
  epoch: whole.optional(),
  votes: z.array(whole),
  voters: whole,
  closed: z.union([whole, z.literal('upcoming')]).nullable(),
  deadlineMs: moment,
  closesInMs: whole.optional(),
  settledDeadlineMs: moment,
  resultsVisibility: z.enum(['always', 'after_deadline', 'hidden']),
  retentionMs: moment,
  expiresAtMs: moment,
});
const ballot = z.strictObject({
  type: z.literal('ballot'),
  version: whole,
  ballotId: z.string().min(1).max(128),
  answers: z.array(z.string()).min(1).max(100),
  name: z.string().nullable(),
  castAtMs: whole,
  network: z
    .string()
    .regex(/^[\w-]{1,64}$/)
    .optional(),
});
const comment = z.strictObject({
  type: z.literal('comment'),
  id: z.string(),
  name: z.string(),
  text: z.string(),
  writtenAtMs: whole,
});
const digests = (type: 'voters' | 'addresses' | 'proofs') =>
  z.strictObject({ type: z.literal(type), digests: z.array(digest).max(100_000) });

const line = z.discriminatedUnion('type', [
  header,
  end,
  record,
  poll,
  ballot,
  comment,
  digests('voters'),
  digests('addresses'),
  digests('proofs'),
]);

export type ArchiveLine = z.infer<typeof header> | z.infer<typeof end> | ArchiveItem;

/** An archive that is none, is damaged, or does not fit where it is to go: told in one line. */
export class ArchiveFault extends Error {}

/** @throws ArchiveFault */
export function parseLine(text: string, number: number): ArchiveLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ArchiveFault(`Line ${number} is not JSON: the file is cut off, or no archive`);
  }
  const { type, format } = (value ?? {}) as { type?: unknown; format?: unknown };
  if (number === 1 && type === 'tallycast' && !KNOWN.includes(format as number))
    throw new ArchiveFault(
      `This archive has format ${String(format)}, and this version knows ${KNOWN.join(', ')}: take the version that wrote it, or a newer one`,
    );
  const parsed = line.safeParse(value);
  if (parsed.success) return parsed.data as ArchiveLine;
  const [issue] = parsed.error.issues;
  throw new ArchiveFault(
    `Line ${number} is none of an archive: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}
