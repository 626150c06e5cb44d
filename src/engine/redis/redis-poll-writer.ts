import { randomUUID } from 'node:crypto';
import { isPollId } from '../../poll/create-poll.ts';
import { emptyUntilMs } from '../../poll/poll.ts';
import type { ArchivedEntry, ArchivedPoll } from '../archive.ts';
import type { CommandsInFlight } from './commands-in-flight.ts';
import { BlockBuilder, BucketBuilder, type Field, stateFields, voterField } from './poll-layout.ts';
import type { RedisKeys } from './redis-keys.ts';
import { RedisPublicPolls } from './redis-public-polls.ts';
import { GRACE_MS } from './redis-retention.ts';

/** Fields that Redis is given at once. */
const BATCH = 500;
/** What was left half built goes by itself. */
const BUILT_MS = 3_600_000;

/** Builds a poll under another name, and puts it in its place when it is whole. */
export class PollWriter {
  readonly #commands: CommandsInFlight;
  readonly #keys: RedisKeys;

  constructor(commands: CommandsInFlight, keys: RedisKeys) {
    this.#commands = commands;
    this.#keys = keys;
  }

  async add(archived: ArchivedPoll, entries: AsyncIterable<readonly ArchivedEntry[]>): Promise<boolean> {
    const { poll, voters, expiresAtMs } = archived;
    if (!isPollId(poll.id)) throw new RangeError('Not a poll id');
    const names = this.#keys.ofPoll(poll.id);
    if ((await this.#commands.send(client => client.exists(names.poll))) > 0) return false;
    const built = this.#keys.aside(poll.id, `import:${randomUUID()}`);
    const blocks = new BlockBuilder();
    const buckets = {
      addresses: new BucketBuilder('addresses', voters),
      proofs: new BucketBuilder('proofs', voters),
    };
    const comments: string[] = [];
    let fields: Field[] = [];
    for await (const batch of entries) {
      for (const entry of batch)
        if (entry.type === 'ballot') fields.push(...blocks.add(entry));
        else if (entry.type === 'voters') fields.push(...entry.digests.map(voterField));
        else if (entry.type === 'comment') comments.push(textOf(entry));
        else for (const digest of entry.digests) buckets[entry.type].add(digest);
      fields = await this.#putFull(built, fields);
    }
    fields.push(...blocks.end(), ...buckets.addresses.fields(), ...buckets.proofs.fields());
    fields.push(...stateFields(archived, blocks.full));
    for (const last of inBatches(fields)) await this.#put(built, last);
    const goesAtMs = expiresAtMs === null ? 0 : expiresAtMs + GRACE_MS;
    await this.#putComments(names.comments, comments, goesAtMs);
    const added = await this.#commands.write(client => client.addPoll(names.poll, built, goesAtMs));
    if (added === 1) await this.#list(archived);
    return added === 1;
  }

  /** Before the poll is there: so long nobody can add any. */
  async #putComments(key: string, comments: readonly string[], goesAtMs: number): Promise<void> {
    if (comments.length === 0) return;
    await this.#commands.write(async client => {
      await client.unlink(key);
      await client.lpush(key, ...comments);
      await client.pexpireat(key, goesAtMs > 0 ? goesAtMs : Date.now() + BUILT_MS);
    });
  }

  /** What lies apart from the poll may lag behind it: see RedisPublicPolls and RedisRetention. */
  async #list({ poll, voters, deadlineMs, expiresAtMs }: ArchivedPoll): Promise<void> {
    const { id, createdAtMs, settings } = poll;
    const emptyMs = voters === 0 ? emptyUntilMs(poll, deadlineMs) : null;
    const dueAtMs = Math.min(expiresAtMs ?? Number.POSITIVE_INFINITY, emptyMs ?? Number.POSITIVE_INFINITY);
    await this.#commands.write(async client => {
      if (expiresAtMs === null) await client.persist(this.#keys.ofPoll(id).comments);
      if (Number.isFinite(dueAtMs)) await client.zadd(this.#keys.retention, dueAtMs, id);
      if (!settings.priv) await new RedisPublicPolls(client, this.#keys).add(id, createdAtMs);
    });
  }

  /** @returns what does not fill a batch yet */
  async #putFull(built: string, fields: Field[]): Promise<Field[]> {
    let left = fields;
    while (left.length >= BATCH) {
      await this.#put(built, left.slice(0, BATCH));
      left = left.slice(BATCH);
    }
    return left;
  }

  async #put(built: string, fields: readonly Field[]): Promise<void> {
    await this.#commands.write(async client => {
      await client.hset(built, ...fields.flat());
      await client.pexpire(built, BUILT_MS);
    });
  }
}

function textOf({ type: _, ...comment }: Extract<ArchivedEntry, { type: 'comment' }>): string {
  return JSON.stringify(comment);
}

function* inBatches(fields: readonly Field[]): Iterable<readonly Field[]> {
  for (let start = 0; start < fields.length; start += BATCH) yield fields.slice(start, start + BATCH);
}
