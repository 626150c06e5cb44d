import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { open } from 'lmdb';
import { digestOf } from '../../src/engine/check-ballot.ts';

/** Polls of older formats in any size. That releases really wrote this, test/engine/fixture shows. */

export const POLL = 'olderPoll123';
const ANSWERS = ['a', 'b', 'c'] as const;
const CREATED_AT_MS = Date.UTC(2026, 10, 20);
const BATCH = 2_000;

/** The ballot of an ordinal, from 1. */
export function olderBallot(ordinal: number) {
  const padded = `${ordinal}`.padStart(12, '0');
  return {
    ballotId: ordinal % 4 === 0 ? `ballot ${ordinal}` : `0a1b2c3d-0000-4000-8000-${padded}`,
    answers: [ANSWERS[ordinal % ANSWERS.length]!],
    name: `Käthe ${ordinal}`,
    castAtMs: CREATED_AT_MS + ordinal,
    voter: `voter ${ordinal}`,
    address: `address ${ordinal}`,
    proof: ordinal % 10 === 0 ? `proof ${ordinal}` : undefined,
  };
}

export function olderVotes(count: number): number[] {
  return [count, count + 2, count + 1].map(votes => Math.floor(votes / ANSWERS.length));
}

const DEFINITION = {
  ...{ id: POLL, title: 'Older', description: '', image: null, createdAtMs: CREATED_AT_MS },
  answers: ANSWERS.map(id => ({ id, text: id.toUpperCase() })),
  settings: {
    ...{ priv: false, co: false, ma: false, mip: false },
    ...{ enter_name: true, only_reg: false, vpn: false, has_image: false },
  },
};

function stateFields(count: number): Record<string, string> {
  return {
    ...{ definition: JSON.stringify(DEFINITION), admin: 'a'.repeat(64), view: 'b'.repeat(64), public: '1' },
    ...{ deadline: '', visibility: 'always', ma: '0', mip: '0', enter_name: '1', closed: '', settled: '' },
    ...{ version: `${count + 1}`, epoch: '1', voters: `${count}` },
    ...Object.fromEntries(olderVotes(count).map((votes, index) => [`votes:${ANSWERS[index]}`, `${votes}`])),
  };
}

type Field = readonly [name: string | Buffer, value: string | Buffer];

export async function writeFormat1(client: Redis, count: number): Promise<void> {
  await writeHash(client, `tallycast:{${POLL}}:poll`, stateFields(count), count, function* (first, last) {
    const lines: string[] = [];
    for (let ordinal = first; ordinal <= last; ordinal += 1) {
      const { ballotId, answers, name, castAtMs, voter, address, proof } = olderBallot(ordinal);
      lines.push(JSON.stringify({ castAtMs, answers, name, ballotId }));
      yield [`b:${ballotId}`, `${ordinal + 1}`];
      yield [`v:${voter}`, ''];
      yield [`a:${address}`, ''];
      if (proof) yield [`p:${proof}`, ''];
    }
    // A call had up to a hundred ballots.
    for (let at = 0; at < lines.length; at += 7)
      yield [`n:${first + at}`, lines.slice(at, at + 7).join('\n')];
  });
}

export async function writeFormat2(client: Redis, count: number): Promise<void> {
  const perBlock = 20;
  const state = { ...stateFields(count), blocks: `${Math.floor((count - 1) / perBlock)}`, hinted: '0' };
  await writeHash(client, `tallycast:{${POLL}}:poll-2`, state, count, function* (first, last) {
    for (let start = first; start <= last; start += perBlock) {
      const ballots = Array.from({ length: Math.min(perBlock, last - start + 1) }, (_, index) =>
        olderBallot(start + index),
      );
      const block = (start - 1) / perBlock;
      yield [`n:${block + 1}`, Buffer.concat(ballots.map(packBallot))];
      yield [bucket('A', block), Buffer.concat(ballots.map(({ address }) => digestBytes(address)))];
      const proofs = ballots.flatMap(({ proof }) => (proof ? [digestBytes(proof)] : []));
      if (proofs.length > 0) yield [bucket('P', block), Buffer.concat(proofs)];
      for (const [index, { ballotId, voter }] of ballots.entries()) {
        const version = Buffer.alloc(5);
        version.writeUIntBE(start + index + 1, 0, 5);
        yield [Buffer.concat([Buffer.from('B'), digestBytes(ballotId)]), version];
        yield [Buffer.concat([Buffer.from('V'), digestBytes(voter)]), ''];
      }
    }
  });
}

function packBallot({ ballotId, answers, name, castAtMs }: ReturnType<typeof olderBallot>): Buffer {
  const call = Buffer.alloc(7);
  call.writeUIntBE(castAtMs, 0, 6);
  call[6] = 1;
  const isUuid = /^[0-9a-f]{8}-/.test(ballotId);
  const id = isUuid ? Buffer.from(ballotId.replaceAll('-', ''), 'hex') : Buffer.from(ballotId);
  const texts = [
    Buffer.concat([Buffer.of(Number(isUuid)), id]),
    Buffer.from(answers.join()),
    Buffer.from(name),
  ];
  return Buffer.concat([
    call,
    ...texts.flatMap(text => [Buffer.of(text.length >> 8, text.length & 0xff), text]),
  ]);
}

function bucket(kind: 'A' | 'P', number: number): Buffer {
  const name = Buffer.from(`${kind}   `);
  name.writeUIntLE(number, 1, 3);
  return name;
}

function digestBytes(text: string): Buffer {
  return hash('sha256', text, 'buffer').subarray(0, 12);
}

async function writeHash(
  client: Redis,
  key: string,
  state: Readonly<Record<string, string>>,
  count: number,
  fieldsOf: (first: number, last: number) => Iterable<Field>,
): Promise<void> {
  for (let first = 1; first <= count; first += BATCH)
    await client.hset(key, ...[...fieldsOf(first, Math.min(count, first + BATCH - 1))].flat());
  await client.hset(key, state);
}

/** The embedded engine's format 1, before its number was noted. @param path of the file */
export async function writeEmbedded(path: string, count: number): Promise<void> {
  const root = open({ path, noSubdir: true, maxDbs: 16 });
  const [polls, tallies, publicPolls, ballots, ballotVersions, voters, addresses, proofs] = [
    ...['polls', 'tallies', 'public-polls', 'ballots', 'ballot-versions', 'voters', 'addresses', 'proofs'],
  ].map(name => root.openDB({ name })) as [
    ReturnType<typeof root.openDB>,
    ...ReturnType<typeof root.openDB>[],
  ];
  for (let first = 1; first <= count; first += BATCH)
    root.transactionSync(() => {
      for (let ordinal = first; ordinal < Math.min(count + 1, first + BATCH); ordinal += 1) {
        const { voter, address, proof, ...ballot } = olderBallot(ordinal);
        ballots!.putSync([POLL, ordinal + 1], ballot);
        ballotVersions!.putSync([POLL, ballot.ballotId], ordinal + 1);
        voters!.putSync([POLL, voter], true);
        addresses!.putSync([POLL, address], true);
        if (proof) proofs!.putSync([POLL, proof], Number.MAX_SAFE_INTEGER);
      }
    });
  root.transactionSync(() => {
    polls.putSync(POLL, { poll: DEFINITION, adminKeyHash: 'a'.repeat(64) });
    publicPolls!.putSync([CREATED_AT_MS, POLL], true);
    tallies!.putSync(POLL, {
      ...{ version: count + 1, epoch: 1, votes: olderVotes(count), voters: count, closedByHand: false },
      ...{ deadlineMs: null, settledDeadlineMs: null, resultsVisibility: 'always' },
      ...{ viewKeyHash: 'b'.repeat(64), expiresAtMs: null },
    });
  });
  await root.close();
}

/** As they are stored today. */
export function olderDigests(count: number, of: 'voter' | 'address' | 'proof'): Set<string> {
  const digests = new Set<string>();
  for (let ordinal = 1; ordinal <= count; ordinal += 1) {
    const name = olderBallot(ordinal)[of];
    if (name !== undefined) digests.add(digestOf(name));
  }
  return digests;
}
