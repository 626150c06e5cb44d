import type { StoredBallot } from '../../poll/ballot.ts';
import { PollError } from '../../poll/poll-error.ts';
import { digestOf } from '../check-ballot.ts';
import type { ArchivedDigests, ArchivedEntry } from '../engine.ts';
import { RedisArchive } from './redis-archive.ts';

/**
 * Reads polls of format 1, for `tallycast migrate`. `n:<ordinal>` holds the ballots of one call, the first of which has that
 * ordinal, each as JSON on a line of its own. `b:<ballot id>` is a ballot's version; `v:`, `a:` and `p:` mark voters, addresses
 * and proofs by their full names.
 */

/** Large, because no server runs that would have to wait. */
const BATCH = 5_000;
const MARKS: Readonly<Record<string, ArchivedDigests['type']>> = { v: 'voters', a: 'addresses', p: 'proofs' };

export class Format1Archive extends RedisArchive {
  protected override async *entriesIn(poll: string): AsyncIterable<ArchivedEntry[]> {
    const last = Number(await this.store.send(client => client.hget(poll, 'voters')));
    for (let first = 1; first <= last; first += BATCH) {
      const length = Math.min(BATCH, last - first + 1);
      const names = Array.from({ length }, (_, index) => `n:${first + index}`);
      const texts = await this.store.send(client => client.hmget(poll, ...names));
      const ballots = texts.flatMap(text => (text ? text.split('\n') : [])).map(parseBallot);
      if (ballots.length === 0) continue;
      const versions = await this.store.send(client =>
        client.hmget(poll, ...ballots.map(({ ballotId }) => `b:${ballotId}`)),
      );
      yield ballots.map((ballot, index) => {
        const version = versions[index];
        if (!version)
          throw new PollError('internal_error', { message: `A ballot of ${poll} has no version` });
        return { type: 'ballot', version: Number(version), ...ballot };
      });
    }
    yield* this.#marksIn(poll);
  }

  async *#marksIn(poll: string): AsyncIterable<ArchivedEntry[]> {
    let cursor = '0';
    do {
      const [next, fields] = await this.store.send(client =>
        client.hscan(poll, cursor, 'MATCH', '[vap]:*', 'COUNT', BATCH),
      );
      const digests = { voters: [] as string[], addresses: [] as string[], proofs: [] as string[] };
      for (let at = 0; at < fields.length; at += 2) {
        const type = MARKS[fields[at]![0]!]!;
        digests[type].push(digestOf(fields[at]!.slice(2)));
      }
      yield Object.values(MARKS).map(type => ({ type, digests: digests[type] }));
      cursor = next;
    } while (cursor !== '0');
  }
}

function parseBallot(text: string): StoredBallot {
  const { ballotId, answers, name, castAtMs } = JSON.parse(text) as StoredBallot;
  return { ballotId, answers, name, castAtMs };
}
