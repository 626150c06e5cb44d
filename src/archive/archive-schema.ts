import * as z from 'zod';
import { CheckpointSigner } from '../audit/checkpoint-signer.ts';
import { logHashes } from '../audit/node-crypto.ts';
import type { ArchivedEntry, ArchivedPoll, ArchivedRecord } from '../engine/engine.ts';
import type { ArchivedKind } from '../engine/record-names.ts';
import { MAX_CHANGES } from '../poll/ballot.ts';
import { MAX_CHAT_LINKS } from '../poll/chat-link.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { JOIN_CODE } from '../poll/join-code.ts';
import {
  ANSWER_COLOR,
  FLAGS,
  type FlagWireName,
  fromStoredPoll,
  IMAGE_FILE,
  isPollId,
  MAX_ROUNDS,
  SHOW_NAME,
  type StoredPoll,
  VISIBILITIES,
} from '../poll/poll.ts';
import { SCOPES } from '../poll/poll-key.ts';
import { imageFocus } from '../poll/poll-schema.ts';
import { isReadablePollId } from '../poll/rehearsal.ts';
import { MAX_DELAY } from '../poll/show-delay.ts';
import { readImage, type StoredImage } from '../poll/stored-image.ts';
import { KEY_NAME, MAX_KEYS } from '../show/operator-keys.ts';
import { imageOfRecord, parseImage } from '../show/show-images.ts';

/** The schemas of an archive's lines. Unknown members are rejected: a newer version may count by them. */

/** Raised with each change that older versions would misread. Archives of one release back are read. */
export const FORMAT = 5;
const KNOWN = [FORMAT];

export type ArchiveItem = ArchivedRecord | ArchivedPoll | ArchivedEntry;

const whole = z.int().min(0);
const time = whole.nullable();
const NO_IMAGE = 'not an image with its hash';
const digest = z.string().regex(/^[\w-]{16}$/);
const hash = z.string().regex(/^([0-9a-f]{64})?$/);
const name = z.string().regex(/^[\w-]{1,64}$/);
const networkKey = z.string().regex(/^[\w-]{22}$/);
const ballotId = z.string().min(1).max(128);
// Archives from before a flag existed do not have it.
const flag = z.boolean().default(false);

const jsonOf = <T extends z.ZodType>(schema: T) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown;
      } catch {
        context.addIssue('not JSON');
        return z.NEVER;
      }
    })
    .pipe(schema);

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
  sha256: z.string(),
});
const record = z.strictObject({
  type: z.literal('record'),
  name: z.string().min(1),
  text: z.string(),
  expiresAtMs: time,
});
const resultsVisibility = z.enum(VISIBILITIES);
const look = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]));
const answers = z
  .array(
    z.strictObject({
      id: name,
      text: z.string(),
      color: z.string().regex(ANSWER_COLOR).optional(),
      image: z.string().regex(IMAGE_FILE).optional(),
      imageFocus,
    }),
  )
  .min(1)
  .max(100);
const earlierWording = z.strictObject({
  untilMs: whole,
  title: z.string().optional(),
  description: z.string().optional(),
  answers: answers.optional(),
});
const definition = z.strictObject({
  id: z.string().regex(/^[0-9A-Za-z]{12}$/),
  edition: name.optional(),
  round: whole.min(2).max(MAX_ROUNDS).optional(),
  roundFrom: whole.optional(),
  earlier: z.array(earlierWording).max(100).optional(),
  title: z.string(),
  description: z.string(),
  answers,
  settings: z.strictObject(
    Object.fromEntries(Object.values(FLAGS).map(({ wire }) => [wire, flag])) as Record<
      FlagWireName,
      typeof flag
    >,
  ),
  minChoices: whole.min(1).optional(),
  maxChoices: whole.min(1).optional(),
  answerOrder: z.literal('random').optional(),
  image: z.string().nullable(),
  imageFocus,
  inactiveDeadlineMs: time.optional(),
  show: z.strictObject({ name: z.string(), id: z.string() }).optional(),
  chat: z.literal(false).optional(),
  firstLetter: whole.max(25).optional(),
  initial: z
    .strictObject({ closesInMs: whole.optional(), resultsVisibility: resultsVisibility.optional() })
    .optional(),
  createdAtMs: whole,
  emptyRetentionMs: whole.optional(),
  joinCode: z.string().regex(JOIN_CODE).optional(),
  networkKey: networkKey.optional(),
});
const logState = jsonOf(
  z.strictObject({
    epoch: whole.min(1),
    base: z.string(),
    size: whole,
    root: z.string(),
    note: z.string(),
    atMs: whole,
    imported: z.literal(true).optional(),
    breaks: z.array(z.strictObject({ note: z.string(), foundAtMs: whole })),
  }),
);
const poll = z.strictObject({
  type: z.literal(['poll', 'round']),
  poll: definition.transform(stored => fromStoredPoll(stored as StoredPoll)),
  keys: z.strictObject({ adminKeyHash: hash, viewKeyHash: hash }),
  version: whole,
  votes: z.array(whole),
  voters: whole,
  chatVoters: z.partialRecord(z.enum(CHAT_PLATFORMS), whole.min(1)).optional(),
  voidedVotes: whole.optional(),
  withdrawn: whole.optional(),
  voidRules: z.string().optional(),
  log: z
    .string()
    .refine(text => logState.safeParse(text).success, 'not a log')
    .optional(),
  closed: z.union([whole, z.literal('upcoming')]).nullable(),
  deadlineMs: time,
  closesInMs: whole.optional(),
  settledDeadlineMs: time,
  resultsVisibility,
  revealedFrom: whole.min(2).optional(),
  retentionMs: time,
  expiresAtMs: time,
});
const ballot = z.strictObject({
  type: z.literal('ballot'),
  version: whole,
  sequence: whole.min(1).optional(),
  ballotId,
  answers: z.array(z.string()).max(100),
  name: z.string().nullable(),
  castAtMs: whole,
  network: name.optional(),
  source: z.enum(CHAT_PLATFORMS).optional(),
  voided: z.literal(true).optional(),
  replaces: whole.optional(),
  logged: z.strictObject({ answers: z.array(z.string()).min(1).max(100), last: whole.min(1) }).optional(),
});
const comment = z.strictObject({
  type: z.literal('comment'),
  id: z.string(),
  name: z.string(),
  text: z.string(),
  writtenAtMs: whole,
});
const image = z
  .strictObject({ type: z.literal('image'), file: z.string(), data: z.string() })
  .refine(({ file, data }) => isImage(() => ({ file, bytes: Buffer.from(data, 'base64') })), NO_IMAGE);
const MAX_DIGESTS = 100_000;
const digests = (type: 'addresses' | 'proofs') =>
  z.strictObject({ type: z.literal(type), digests: z.array(digest).max(MAX_DIGESTS) });
const voterBallot = z.strictObject({
  ballotId,
  changes: whole.max(MAX_CHANGES),
  changedAtMs: whole,
});
const voters = z
  .strictObject({
    type: z.literal('voters'),
    digests: z.array(digest).max(MAX_DIGESTS),
    ballots: z.array(voterBallot.nullable()).optional(),
  })
  .refine(
    ({ digests, ballots }) => !ballots || ballots.length === digests.length,
    'not one ballot for each voter',
  );

const line = z.discriminatedUnion('type', [
  header,
  end,
  record,
  poll,
  ballot,
  comment,
  image,
  voters,
  digests('addresses'),
  digests('proofs'),
]);

export type ArchiveLine = z.infer<typeof header> | z.infer<typeof end> | ArchiveItem;

/** The file is not an archive, is damaged, or conflicts with the engine. Printed as one line. */
export class ArchiveFault extends Error {}

export function parseLine(text: string, number: number): ArchiveLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new ArchiveFault(`Line ${number} is not JSON: the file is truncated or not an archive`);
  }
  const { type, format } = (value ?? {}) as { type?: unknown; format?: unknown };
  if (number === 1 && type === 'tallycast' && !KNOWN.includes(format as number))
    throw new ArchiveFault(
      `The archive has format ${String(format)}, but this version reads ${KNOWN.join(', ')}. Use the version that wrote it, or a newer one`,
    );
  const parsed = line.safeParse(value);
  if (parsed.success) return parsed.data as ArchiveLine;
  const [issue] = parsed.error.issues;
  throw new ArchiveFault(
    `Line ${number} does not belong to an archive: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`,
  );
}

export const VOTING_SECRET = 'secret:voting';
const SHOW = 'show:';

const pollId = z.string().refine(isPollId, 'not a poll id');
/** Also a rehearsal or the twin of a poll, which a show may have on air. */
const shownId = z.string().refine(isReadablePollId, 'not a poll id');
const chatLinks = z.array(z.object({ platform: z.enum(CHAT_PLATFORMS), channel: z.string() }));
/** A show without an owner, from an old version, is the bare id of a poll. Members were added over time. */
const show = z.union([
  pollId,
  jsonOf(
    z
      .looseObject({
        title: z.string(),
        onAir: shownId.nullable(),
        keyHash: hash,
        viewKey: z.object({ hash, sealed: z.string() }),
        id: z.string(),
        version: z.int().min(0),
        rundown: z.array(shownId),
        own: z.array(pollId),
        last: shownId.nullable(),
        place: shownId.nullable(),
        presses: z.array(z.looseObject({ key: z.string(), what: z.string() })),
        history: z.array(z.looseObject({ key: z.string(), press: z.string() })),
        finalTwo: z.boolean(),
        closeBeforeNext: z.boolean(),
        winner: z.literal('press'),
        winners: z.array(z.looseObject({ poll: z.string(), round: whole })),
        look,
        looks: z.record(z.string(), look),
        logo: z.string(),
        delay: z.number().min(0).max(MAX_DELAY),
        ground: z.string(),
        chat: chatLinks.max(MAX_CHAT_LINKS),
        nextLetter: whole.max(25),
        joinCode: z.string().regex(JOIN_CODE),
      })
      .partial(),
  ),
]);

function isLogKey(pem: string): boolean {
  try {
    return new CheckpointSigner(pem).sign({ origin: 'x', size: 0, root: logHashes.emptyRoot() }).length > 0;
  } catch {
    return false;
  }
}

/** Imported images pass the same checks as uploaded ones. */
function isImage(parse: () => StoredImage): boolean {
  try {
    const { file, bytes } = parse();
    return readImage(bytes, 'image').file === file;
  } catch {
    return false;
  }
}

const showImage = z.string().refine(text => isImage(() => parseImage(text)), NO_IMAGE);

const operatorKey = z.strictObject({
  id: z.string().regex(/^[0-9a-f]{8}$/),
  name: z.string().regex(KEY_NAME),
  scopes: z.array(z.enum(SCOPES)),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  createdAtMs: z.int().min(0),
  expiresAtMs: z.int().min(0).nullable(),
});

const TEXTS: Readonly<Record<ArchivedKind, z.ZodType>> = {
  show,
  logo: showImage,
  ground: showImage,
  votingSecret: z.string().regex(/^[\w-]{43}$/, 'not a secret of 256 bits'),
  logKey: z.string().refine(isLogKey, 'not a key of logs'),
  operatorKeys: jsonOf(z.strictObject({ keys: z.array(operatorKey).max(MAX_KEYS) })),
  chatLinks: jsonOf(
    z.array(z.looseObject({ show: z.string(), by: z.string().optional(), chat: chatLinks, atMs: whole })),
  ),
  webhooks: jsonOf(
    z.strictObject({
      webhooks: z.array(
        z.strictObject({
          id: z.string().regex(/^[0-9a-f]{18}$/),
          url: z.url(),
          events: z.array(z.string()).min(1),
          secret: z.string().startsWith('whsec_'),
          createdAtMs: whole,
          after: whole,
          scope: z
            .union([
              z.strictObject({ poll: pollId }),
              z.strictObject({ show: z.strictObject({ name: z.string(), id: z.string() }) }),
            ])
            .optional(),
          creator: z.string().optional(),
        }),
      ),
    }),
  ),
  webhookProgress: jsonOf(
    z.looseObject({ position: whole, failingSinceMs: whole.optional(), disabledAtMs: whole.optional() }),
  ),
  keptReply: jsonOf(
    z.strictObject({ bodyHash: hash, sealed: z.string().min(1), done: z.literal(true).optional() }),
  ),
};

const PERMANENT: ReadonlySet<ArchivedKind> = new Set([
  'votingSecret',
  'logKey',
  'operatorKeys',
  'webhooks',
  'webhookProgress',
]);

/** @throws ArchiveFault if a server could not read the record */
export function checkRecord({ name, text, expiresAtMs }: ArchivedRecord, kind: ArchivedKind): void {
  const fault = (reason: string) =>
    new ArchiveFault(`Nothing was changed: record ${JSON.stringify(name)} is invalid: ${reason}`);
  const named = kind === 'show' ? name.slice(SHOW.length) : imageOfRecord(name)?.show;
  if (named !== undefined && !SHOW_NAME.test(named)) throw fault('not the name of a show');
  if (kind === 'keptReply' && expiresAtMs === null) throw fault('a kept reply must expire');
  if (PERMANENT.has(kind) && expiresAtMs !== null) throw fault('it must not expire');
  const parsed = TEXTS[kind].safeParse(text);
  if (parsed.success) return;
  const [issue] = parsed.error.issues;
  throw fault([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '));
}
