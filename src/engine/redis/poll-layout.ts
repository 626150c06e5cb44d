import { type ArchivedBallot, type ArchivedPoll, digestOf } from '../archive.ts';
import { packTexts } from './packed-ballots.ts';
import { UPCOMING } from './redis-replies.ts';

/** The fields of a poll's hash, which create-poll-1.lua describes: made from an archive, and told apart when they are read. */

export type Field = readonly [name: string | Buffer, value: string | Buffer];

const ID_BYTES = 12;
const BLOCK_BYTES = 512;
const CALL_HEAD_BYTES = 7;
const VERSION_BYTES = 5;
/** A bucket holds so many ids on average: the same number as in cast-ballots-1.lua. */
const BUCKET_IDS = 12;

/** How the names of fields begin whose rest is bytes: B, V, A and P. */
const [BALLOT, VOTER, ADDRESSES, PROOFS] = [0x42, 0x56, 0x41, 0x50] as const;

/** What there is to a poll beside its ballots, and what they have used up. */
export function stateFields(archived: ArchivedPoll, blocks: number): Field[] {
  const { poll, keys, version, votes, voters, closed, deadlineMs, settledDeadlineMs } = archived;
  const { resultsVisibility, retentionMs, closesInMs } = archived;
  const { priv, ma, mip, enter_name } = poll.settings;
  const flag = (value: boolean) => (value ? '1' : '0');
  const orEmpty = (value: number | string | null) => `${value ?? ''}`;
  return [
    ['definition', JSON.stringify(poll)],
    ['admin', keys.adminKeyHash],
    ['view', keys.viewKeyHash],
    ['public', flag(!priv)],
    ['deadline', orEmpty(deadlineMs)],
    ['closes_in', orEmpty(closesInMs ?? null)],
    ['created', `${poll.createdAtMs}`],
    ['empty', orEmpty(poll.emptyRetentionMs ?? null)],
    ['visibility', resultsVisibility],
    ['ma', flag(ma)],
    ['mip', flag(mip)],
    ['enter_name', flag(enter_name)],
    ['retention', orEmpty(retentionMs)],
    ['version', `${version}`],
    ['closed', closed === 'upcoming' ? UPCOMING : orEmpty(closed)],
    ['settled', orEmpty(settledDeadlineMs)],
    ['voters', `${voters}`],
    ['blocks', `${blocks}`],
    ['hinted', '0'],
    ...poll.answers.map(({ id }, index): Field => [`votes:${id}`, `${votes[index]}`]),
  ];
}

/** Ballots in blocks, in the order in which they are added. */
export class BlockBuilder {
  /** How many blocks are full. */
  full = 0;
  #parts: Buffer[] = [];
  #bytes = 0;

  add({ ballotId, answers, name, castAtMs, version }: ArchivedBallot): Field[] {
    const kept = packTexts([{ ballotId, answers: answers.join(','), name: name ?? '' }]);
    const head = Buffer.alloc(CALL_HEAD_BYTES);
    head.writeUIntBE(castAtMs, 0, CALL_HEAD_BYTES - 1);
    head[CALL_HEAD_BYTES - 1] = 1;
    this.#parts.push(head, kept);
    this.#bytes += head.length + kept.length;
    const versionBytes = Buffer.alloc(VERSION_BYTES);
    versionBytes.writeUIntBE(version, 0, VERSION_BYTES);
    const fields: Field[] = [[ballotField(ballotId), versionBytes]];
    if (this.#bytes < BLOCK_BYTES) return fields;
    fields.push(...this.end());
    this.full += 1;
    this.#parts = [];
    this.#bytes = 0;
    return fields;
  }

  /** The block that is not full yet, if anything is in it. */
  end(): Field[] {
    return this.#bytes === 0 ? [] : [[`n:${this.full + 1}`, Buffer.concat(this.#parts)]];
  }
}

export function voterField(digest: string): Field {
  return [nameOf(VOTER, bytesOf(digest)), ''];
}

/** Ids in their buckets, as many as there are for so many ballots. */
export class BucketBuilder {
  readonly #kind: number;
  readonly #count: number;
  readonly #narrow: number;
  readonly #buckets = new Map<number, Buffer[]>();

  constructor(kind: 'addresses' | 'proofs', voters: number) {
    this.#kind = kind === 'addresses' ? ADDRESSES : PROOFS;
    this.#count = Math.floor(voters / BUCKET_IDS) + 1;
    this.#narrow = 2 ** Math.floor(Math.log2(this.#count));
  }

  add(digest: string): void {
    const id = bytesOf(digest);
    const index = id.readUIntLE(0, 3) % (2 * this.#narrow);
    const bucket = index < this.#count ? index : index - this.#narrow;
    const known = this.#buckets.get(bucket);
    if (known) known.push(id);
    else this.#buckets.set(bucket, [id]);
  }

  *fields(): Iterable<Field> {
    for (const [index, ids] of this.#buckets) {
      const number = Buffer.alloc(3);
      number.writeUIntLE(index, 0, 3);
      yield [nameOf(this.#kind, number), Buffer.concat(ids)];
    }
  }
}

/** What a field of the hash says is used up; undefined where it is another kind of field. */
export function digestsIn(
  name: Buffer,
  value: Buffer,
): { readonly type: 'voters' | 'addresses' | 'proofs'; readonly digests: string[] } | undefined {
  const [kind] = name;
  if (kind === VOTER && name.length === 1 + ID_BYTES) return { type: 'voters', digests: [digestAt(name, 1)] };
  if (name.length !== 4 || (kind !== ADDRESSES && kind !== PROOFS)) return undefined;
  const digests: string[] = [];
  for (let at = 0; at < value.length; at += ID_BYTES) digests.push(digestAt(value, at));
  return { type: kind === ADDRESSES ? 'addresses' : 'proofs', digests };
}

/** The field that holds which version a ballot got. */
export function ballotField(ballotId: string): Buffer {
  return nameOf(BALLOT, bytesOf(digestOf(ballotId)));
}

export function versionIn(value: Buffer): number {
  return value.readUIntBE(0, VERSION_BYTES);
}

function nameOf(kind: number, rest: Buffer): Buffer {
  return Buffer.concat([Buffer.of(kind), rest]);
}

function bytesOf(digest: string): Buffer {
  return Buffer.from(digest, 'base64url');
}

function digestAt(bytes: Buffer, at: number): string {
  return bytes.toString('base64url', at, at + ID_BYTES);
}
