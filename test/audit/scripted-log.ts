import { randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CheckpointSigner, createLogKey } from '../../src/audit/checkpoint-signer.ts';
import { GrowingTree, type Hash, LOST_ENTRY, proveInclusion } from '../../src/audit/merkle.ts';
import { logHashes } from '../../src/audit/node-crypto.ts';
import type { BallotProof, PublishedResults } from '../../src/audit/verify-log.ts';

export interface ScriptedBallot {
  readonly ballotId: string;
  readonly answers: readonly string[];
  readonly voided?: true;
  /** A change of the ballot with this sequence. */
  readonly replaces?: number;
  /** Its entry is one of a ballot that the server no longer has. */
  readonly lost?: true;
}

/** A log in memory that serves any lie: what a server may send, the real one included. */
export class ScriptedLog {
  readonly pollId = 'abcdefghijk0';
  readonly answers = ['a', 'b', 'c'];
  readonly signer = new CheckpointSigner(createLogKey());
  ballots: ScriptedBallot[] = [];
  ended = true;
  epoch = 1;
  breaks: { checkpoint: string; found_at: string }[] = [];
  pageSize = 10_000;
  /** Changes a reply on its way. */
  lie: (path: string, body: Uint8Array | string) => Uint8Array | string = (_, body) => body;
  readonly asked: string[] = [];
  readonly #hashed: { ballot: ScriptedBallot; leaf: Hash }[] = [];

  add(count: number): this {
    for (let at = 0; at < count; at += 1)
      this.ballots.push({ ballotId: randomUUID(), answers: [this.answers[randomBytes(1)[0]! % 3]!] });
    return this;
  }

  get origin(): string {
    return `vote.example.org/api/poll/${this.pollId}/log${this.epoch === 1 ? '' : `/${this.epoch}`}`;
  }

  get key(): string {
    return this.signer.verifierKey(this.origin);
  }

  checkpoint(size = this.ballots.length): string {
    const tree = new GrowingTree(logHashes);
    for (const leaf of this.#leaves().slice(0, size)) tree.append(leaf);
    return this.signer.sign({ origin: this.origin, size, root: tree.root() });
  }

  /** @param sequence from 1 */
  async proof(sequence: number): Promise<BallotProof> {
    const { ballots, key } = this;
    const leaves = this.#leaves();
    const read = (level: number, index: number): Hash =>
      level === 0
        ? leaves[index]!
        : logHashes.node(read(level - 1, 2 * index), read(level - 1, 2 * index + 1));
    const path = await proveInclusion(logHashes, sequence - 1, ballots.length, read);
    return {
      sequence,
      answers: ballots[sequence - 1]!.answers,
      path: path.map(hash => Buffer.from(hash).toString('base64')),
      checkpoint: this.checkpoint(),
      key,
    };
  }

  get results(): PublishedResults {
    const counted = this.ballots.filter(({ voided, lost }) => !voided && !lost);
    const votesOf = (ballots: readonly ScriptedBallot[], id?: string) =>
      ballots.flatMap(({ answers }) => answers).filter(answer => id === undefined || answer === id).length;
    return {
      status: this.ended ? 'closed' : 'open',
      poll_answers: this.answers.map(id => ({ id, answer: id.toUpperCase(), votes: votesOf(counted, id) })),
      total_voters: counted.length,
      voided_votes: votesOf(this.ballots.filter(({ voided }) => voided)),
      ma: false,
    };
  }

  readonly read = async (path: string): Promise<Response> => {
    this.asked.push(path);
    return new Response(this.lie(path, this.#bodyOf(path)) as string);
  };

  /** Listens as a relay that has the poll. @returns the URL of the relay, and what closes it */
  async serve(): Promise<{ readonly url: string; close(): Promise<void> }> {
    const root = `/api/poll/${this.pollId}`;
    const server: Server = createServer(async ({ url = '' }, reply) => {
      if (url === `${root}/definition`) return reply.end('{}');
      if (url === root || url === `${root}?round=1`)
        return reply.end(JSON.stringify({ title: 'Which?', success: 1, version: 1, ...this.results }));
      const body = await this.read(url.slice(root.length)).catch(() => undefined);
      if (!body) reply.statusCode = 404;
      return reply.end(body && Buffer.from(await body.arrayBuffer()));
    });
    await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening));
    const { port } = server.address() as AddressInfo;
    return {
      url: `http://127.0.0.1:${port}`,
      close: async () => {
        server.closeAllConnections();
        await new Promise(closed => server.close(closed));
      },
    };
  }

  #bodyOf(path: string): Uint8Array | string {
    const { pollId, origin, key, ended, breaks } = this;
    if (path === '/log')
      return JSON.stringify({
        log: { poll_id: pollId, origin, key, size: this.ballots.length, ended, breaks },
      });
    if (path === '/log/checkpoint') return this.checkpoint();
    const from = /^\/log\/entries\?from=(\d+)$/.exec(path)?.[1];
    if (from !== undefined) return this.#lines(Number(from) - 1).join('');
    const [, epoch, level, index, width] =
      /^\/log(?:\/(\d+))?\/tile\/(\d)\/((?:x\d{3}\/)*\d{3})(?:\.p\/(\d+))?$/.exec(path) ?? [];
    if (level === undefined || (epoch ?? '1') !== `${this.epoch}`) throw new Error(`there is no ${path}`);
    const first = Number(index!.replace(/\D/g, '')) * 256;
    return Buffer.concat(this.#level(Number(level)).slice(first, first + Number(width ?? 256)));
  }

  #lines(first: number): string[] {
    return this.ballots
      .slice(first, first + this.pageSize)
      .map(({ ballotId, answers, voided, replaces, lost }, at) => {
        if (lost) return `${JSON.stringify({ sequence: first + at + 1, lost })}\n`;
        const nonce = Buffer.from(logHashes.nonce(ballotId)).toString('base64');
        return `${JSON.stringify({ sequence: first + at + 1, nonce, answers, replaces, voided })}\n`;
      });
  }

  #leaves(): Hash[] {
    return this.ballots.map((ballot, at) => {
      const known = this.#hashed[at];
      if (known?.ballot === ballot) return known.leaf;
      const { ballotId, answers, replaces, lost } = ballot;
      const entry = lost
        ? LOST_ENTRY
        : logHashes.entry(logHashes.nonce(ballotId), this.pollId, { sequence: at + 1, answers, replaces });
      const leaf = logHashes.leaf(entry);
      this.#hashed[at] = { ballot, leaf };
      return leaf;
    });
  }

  /** Hashes of all complete subtrees of a level of tiles. */
  #level(level: number): Hash[] {
    let hashes = this.#leaves();
    for (let halving = 0; halving < level * 8; halving += 1)
      hashes = Array.from({ length: Math.floor(hashes.length / 2) }, (_, at) =>
        logHashes.node(hashes[2 * at]!, hashes[2 * at + 1]!),
      );
    return hashes;
  }
}
