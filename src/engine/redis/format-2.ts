import { hash } from 'node:crypto';
import type { StoredBallot } from '../../poll/ballot.ts';
import { PollError } from '../../poll/poll-error.ts';
import type { ArchivedEntry } from '../engine.ts';
import { RedisArchive } from './redis-archive.ts';

/**
 * Reads polls of format 2, for `tallycast migrate`. Their ballots are in blocks `n:<number>`, `blocks` of them full. `B` and 12
 * bytes of a digest hold a ballot's version in 5 bytes, `V` and 12 bytes mark a voter, and `A` or `P` and 3 bytes hold digests
 * of addresses or proofs, one after the other.
 */

/** Fields and blocks of ballots; large, because no server runs that would have to wait. */
const BATCH = 5_000;
const BLOCKS = 300;
const DIGEST_BYTES = 12;
const MARKS = ['voters', 'addresses', 'proofs'] as const;

export class Format2Archive extends RedisArchive {
  protected override async *entriesIn(copy: string): AsyncIterable<ArchivedEntry[]> {
    const blocks = Number(await this.store.send(client => client.hget(copy, 'blocks'))) + 1;
    for (let first = 1; first <= blocks; first += BLOCKS) {
      const length = Math.min(BLOCKS, blocks - first + 1);
      const names = Array.from({ length }, (_, index) => `n:${first + index}`);
      const found = await this.store.send(client => client.hmgetBuffer(copy, ...names));
      const ballots = found.flatMap(block => (block ? [...ballotsIn(block)] : []));
      if (ballots.length === 0) continue;
      const versions = await this.store.send(client =>
        client.hmgetBuffer(copy, ...ballots.map(({ ballotId }) => versionField(ballotId))),
      );
      yield ballots.map((ballot, index) => {
        const version = versions[index];
        if (!version)
          throw new PollError('internal_error', { message: `A ballot of ${copy} has no version` });
        return { type: 'ballot', version: version.readUIntBE(0, version.length), ...ballot };
      });
    }
    yield* this.#marksIn(copy);
  }

  async *#marksIn(copy: string): AsyncIterable<ArchivedEntry[]> {
    let cursor = '0';
    do {
      const [next, fields] = await this.store.send(client =>
        client.hscanBuffer(copy, cursor, 'COUNT', BATCH),
      );
      const digests = { voters: [] as string[], addresses: [] as string[], proofs: [] as string[] };
      for (let at = 0; at < fields.length; at += 2) {
        const [name, value] = [fields[at]!, fields[at + 1]!];
        const kind = String.fromCharCode(name[0]!);
        if (kind === 'V') digests.voters.push(name.toString('base64url', 1));
        else if (name.length === 4 && (kind === 'A' || kind === 'P'))
          digests[kind === 'A' ? 'addresses' : 'proofs'].push(...digestsIn(value));
      }
      yield MARKS.map(type => ({ type, digests: digests[type] }));
      cursor = next.toString();
    } while (cursor !== '0');
  }
}

/**
 * A block is a sequence of calls: 6 bytes of time in milliseconds, 1 byte with the number of ballots, and for each the id,
 * answers and name, each after its length in 2 bytes. The id begins with a byte: 1 for a UUID in 16 bytes, 0 for a text.
 */
function* ballotsIn(block: Buffer): Iterable<StoredBallot> {
  let at = 0;
  const take = (): Buffer => {
    const start = at + 2;
    at = start + block.readUInt16BE(at);
    return block.subarray(start, at);
  };
  while (at < block.length) {
    const [castAtMs, count] = [block.readUIntBE(at, 6), block.readUInt8(at + 6)];
    at += 7;
    for (let index = 0; index < count; index += 1) {
      const [id, answers, name] = [take(), take().toString(), take().toString()];
      yield { ballotId: ballotIdOf(id), answers: answers.split(','), name: name || null, castAtMs };
    }
  }
}

function ballotIdOf(packed: Buffer): string {
  if (packed[0] !== 1) return packed.toString('utf8', 1);
  return packed.toString('hex', 1).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

function versionField(ballotId: string): Buffer {
  const digest = hash('sha256', ballotId.toWellFormed(), 'buffer');
  return Buffer.concat([Buffer.from('B'), digest.subarray(0, DIGEST_BYTES)]);
}

function digestsIn(bytes: Buffer): string[] {
  const digests: string[] = [];
  for (let at = 0; at < bytes.length; at += DIGEST_BYTES)
    digests.push(bytes.toString('base64url', at, at + DIGEST_BYTES));
  return digests;
}
