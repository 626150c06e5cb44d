import { afterAll, beforeAll, expect, it } from 'vitest';
import { logHashes, nodeCrypto } from '../../src/audit/node-crypto.ts';
import { openCheckpoint } from '../../src/audit/note.ts';
import { type ApiReply, ask, expectError, post } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { voidBallots } from '../support/void-ballots.ts';
import { ballotsOf, castMany, entryOf, type OpenedEngine, onEachEngine, treeHash } from './log-rig.ts';

const FULL = 256;
const FOR_EVER = 'public, max-age=31536000, immutable';

async function bytesOf(url: string): Promise<Buffer> {
  const reply = await fetch(url);
  expect([url, reply.status, reply.headers.get('content-type')]).toEqual([
    url,
    200,
    'application/octet-stream',
  ]);
  return Buffer.from(await reply.arrayBuffer());
}

/** As C2SP tlog-tiles has them. */
function tilePath(level: number | 'entries', index: number, size: number): string {
  const digits = `${index}`.padStart(Math.ceil(`${index}`.length / 3) * 3, '0');
  const groups = digits.match(/\d{3}/g)!;
  const name = groups.map((group, at) => (at < groups.length - 1 ? `x${group}` : group)).join('/');
  const width = Math.floor(size / (level === 'entries' ? 1 : FULL ** level)) - index * FULL;
  return `${level}/${name}${width < FULL ? `.p/${width}` : ''}`;
}

onEachEngine('the log of a verifiable poll', (_, open) => {
  let opened: OpenedEngine;
  let relay: TestRelay;
  let clockMs = 0;
  beforeAll(async () => {
    opened = await open();
    const { engine } = opened;
    relay = await startTestRelay({ engine, operatorKeys: ['an-operator-key-of-tests'] });
  });
  afterAll(async () => {
    await relay.close();
    await opened.close();
  });

  /** Asks again while a busy machine is late, as clients do. */
  const logOf = async (id: string, path = '', key?: string): Promise<ApiReply> => {
    const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
    for (;;) {
      const reply = await ask(`${relay.url}/api/poll/${id}/log${path}`, { headers });
      if (reply.json?.error?.code !== 'log_unavailable') return reply;
    }
  };
  const close = ({ id, admin_key }: { id: string; admin_key: string }) =>
    ask(`${relay.url}/api/poll/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-api-key': admin_key },
      body: '{"poll":{"status":"closed"}}',
    });

  it.each([0, 1, 255, 256, 257, 513])(
    'serves %d ballots as tiles that lead to the checkpoint',
    async size => {
      const poll = await relay.create({ verifiable: true });
      const { id } = poll;
      await castMany(opened.engine, id, size);
      const base = `${relay.url}/api/poll/${id}/log`;
      const { json, headers } = await logOf(id);
      const { key, ...log } = json.log;
      const origin = `relay.test/api/poll/${id}/log`;
      expect(log).toEqual({ poll_id: id, origin, size, ended: false, breaks: [] });
      expect(headers.get('access-control-allow-origin')).toBe('*');
      const checkpoint = await logOf(id, '/checkpoint');
      expect(checkpoint.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(checkpoint.headers.get('cache-control')).toBe('no-cache');
      const { root, ...signed } = openCheckpoint(nodeCrypto, checkpoint.text, key);
      expect(signed).toEqual({ origin, size });

      const entries = (await ballotsOf(opened.engine, id, size)).map(ballot => entryOf(id, ballot));
      const leaves = entries.map(entry => logHashes.leaf(entry));
      if (size > 0) expect(Buffer.from(root)).toEqual(treeHash(leaves));
      for (let index = 0; index * FULL < size; index += 1) {
        const [start, end] = [index * FULL, (index + 1) * FULL];
        const hashes = await bytesOf(`${base}/tile/${tilePath(0, index, size)}`);
        expect(hashes).toEqual(Buffer.concat(leaves.slice(start, end)));
        const bundle = await bytesOf(`${base}/tile/${tilePath('entries', index, size)}`);
        expect(bundle).toEqual(
          Buffer.concat(entries.slice(start, end).flatMap(entry => [Buffer.of(0, 32), entry])),
        );
        if (end > size) continue;
        const above = await bytesOf(`${base}/tile/${tilePath(1, 0, size)}`);
        expect(above.subarray(32 * index, 32 * index + 32)).toEqual(treeHash(leaves.slice(start, end)));
      }
      const width = size % FULL;
      const beyond = [
        tilePath(0, Math.floor(size / FULL), size - width + FULL),
        `0/000.p/${size + 1}`,
        '2/000',
      ];
      for (const tile of [
        ...beyond,
        '0/x000/000',
        '0/00',
        '7/000',
        '0/000.p/0',
        '0/000.p/256',
        'x',
        '0/x001/x000',
      ])
        expectError(await logOf(id, `/tile/${tile}`), 404, 'tile_not_found');
      if (size === 0) return;
      const tile = await fetch(`${base}/tile/${tilePath(0, 0, size)}`);
      expect(tile.headers.get('cache-control')).toBe(FOR_EVER);
      const refused = await ask(`${base}/tile/0/000`, { method: 'POST' });
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    },
  );

  it('publishes the ballots once the poll is closed, without data of the voters', async () => {
    const poll = await relay.create({ verifiable: true, ma: true, enter_name: false });
    const { id } = poll;
    await castMany(opened.engine, id, 700);
    await castMany(opened.engine, id, 30, 'removed');
    expectError(await logOf(id, '/entries'), 409, 'log_open');
    await voidBallots(opened.engine.polls, id, { network: 'removed', toMs: Number.MAX_SAFE_INTEGER });
    await close(poll);
    expect((await logOf(id)).json.log).toMatchObject({ size: 730, ended: true });
    const reply = await logOf(id, '/entries');
    expect(reply.headers.get('content-type')).toBe('application/x-ndjson');
    const ballots = await ballotsOf(opened.engine, id, 730);
    const lines = ballots.map(({ ballotId, sequence, answers, voided }) => {
      const nonce = Buffer.from(logHashes.nonce(ballotId)).toString('base64');
      return JSON.stringify({ sequence, nonce, answers, ...(voided && { voided }) });
    });
    expect(lines.slice(700).every(line => line.endsWith('"voided":true}'))).toBe(true);
    expect(reply.text).toBe(lines.map(line => `${line}\n`).join(''));
    expect((await logOf(id, '/entries?from=729')).text).toBe(`${lines[728]}\n${lines[729]}\n`);
    expect((await logOf(id, '/entries?from=731')).text).toBe('');
    for (const from of ['0', '-1', 'x', '1.5', ''])
      expectError(await logOf(id, `/entries?from=${from}`), 400, 'invalid_request');
    await close(poll);
    const votes = (await relay.read(id)).poll_answers.map(answer => answer.votes);
    const counted = new Map<string, number>();
    for (const line of reply.text.trim().split('\n')) {
      const { answers, voided } = JSON.parse(line);
      if (!voided) for (const answer of answers) counted.set(answer, (counted.get(answer) ?? 0) + 1);
    }
    expect([...counted.values()].sort()).toEqual([...votes].sort());
  });

  it('sends at most 10,000 ballots at once', async () => {
    const poll = await relay.create({ verifiable: true });
    await castMany(opened.engine, poll.id, 10_400);
    await close(poll);
    await expect.poll(() => logOf(poll.id).then(({ json }) => json.log?.ended)).toBe(true);
    const sequences = async (from: number) =>
      (await logOf(poll.id, `/entries?from=${from}`)).text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line).sequence);
    const first = await sequences(1);
    expect([first.length, first[0], first.at(-1)]).toEqual([10_000, 1, 10_000]);
    expect(await sequences(10_001)).toEqual(Array.from({ length: 400 }, (_, at) => 10_001 + at));
  });

  it('is only there for verifiable polls', async () => {
    const { id, admin_key } = await relay.create();
    expect(await relay.read(id)).toMatchObject({ verifiable: false });
    const verifiable = await relay.create({ verifiable: true });
    expect(await relay.read(verifiable.id)).toMatchObject({ verifiable: true });
    for (const path of ['', '/checkpoint', '/tile/0/000', '/entries', '/2/checkpoint', '/2/tile/0/000']) {
      expectError(await logOf(id, path, admin_key), 404, 'log_not_found');
      expectError(await logOf('rehearsal', path), 404, 'log_not_found');
      expectError(await logOf(`${verifiable.id}~`, path), 404, 'poll_not_found');
      expectError(await logOf('000000000000', path), 404, 'poll_not_found');
    }
    expectError(await logOf(verifiable.id, '/2/checkpoint'), 404, 'log_not_found');
    expectError(await logOf(verifiable.id, '/0/checkpoint'), 404, 'log_not_found');
  });

  it('follows a copy of the poll, whose creator may decide otherwise', async () => {
    const poll = await relay.create({ verifiable: true, show_log_size: true });
    const copyWith = async (given: object) => {
      const reply = await ask(`${relay.url}/api/poll/${poll.id}/copy`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': poll.admin_key },
        body: JSON.stringify({ poll: given }),
      });
      return (await opened.engine.polls.find(reply.json.id))?.poll.settings;
    };
    expect(await copyWith({})).toMatchObject({ isVerifiable: true, showLogSize: true });
    expect(await copyWith({ verifiable: false })).toMatchObject({ isVerifiable: false, showLogSize: false });
  });

  it('shows nothing of a hidden poll that depends on its ballots, except to its keys', async () => {
    const settings = { verifiable: true, results_visibility: 'hidden' };
    const polls = [await relay.create(settings), await relay.create(settings), await relay.create(settings)];
    const [, some, many] = polls;
    await castMany(opened.engine, some!.id, 3);
    await castMany(opened.engine, many!.id, 600);
    // A key has built the log before.
    expect((await logOf(many!.id, '', many!.view_key)).json.log.size).toBe(600);
    const PATHS = ['', '/checkpoint', '/tile/0/000', '/tile/0/000.p/3', '/tile/1/000', '/tile/entries/000'];
    const observe = async ({ id }: { id: string }) => {
      const seen: unknown[] = [];
      for (const path of [...PATHS, '/entries', '/entries?from=601', '/2/checkpoint', '/2/tile/0/000'])
        for (const method of ['GET', 'HEAD', 'POST']) {
          const { status, headers, text } = await ask(`${relay.url}/api/poll/${id}/log${path}`, { method });
          const { date: _, 'x-request-id': requestId, ...rest } = Object.fromEntries(headers);
          seen.push([path, method, status, rest, text.replace(requestId!, 'its request')]);
        }
      return seen;
    };
    const seen = await observe(polls[0]!);
    expect(await observe(some!)).toEqual(seen);
    expect(await observe(many!)).toEqual(seen);
    for (const path of PATHS) {
      expectError(await logOf(many!.id, path), 403, 'log_hidden');
      expectError(await logOf(many!.id, path, 'admin_wrong'), 403, 'api_key_rejected');
    }
    for (const poll of polls) await close(poll);
    expect(await observe(many!)).toEqual(seen);
    expectError(await logOf(many!.id, '/entries'), 403, 'log_hidden');
    for (const key of [many!.admin_key, many!.view_key, 'an-operator-key-of-tests']) {
      const entries = await logOf(many!.id, '/entries', key);
      expect(entries.text.split('\n')).toHaveLength(601);
      expect(entries.headers.get('cache-control')).toBe('private, no-store');
      const tile = await logOf(many!.id, '/tile/0/000', key);
      expect([tile.status, tile.headers.get('cache-control')]).toEqual([200, 'private, no-store']);
    }
  });

  it('can be followed while the results are hidden, if its creator allowed that', async () => {
    const body = { title: 'Hidden?', answers: ['a', 'b'], mip: true, results_visibility: 'hidden' };
    const { json } = await post(relay.url, { poll: { ...body, verifiable: true, show_log_size: true } });
    await castMany(opened.engine, json.id, 300);
    expect((await logOf(json.id)).json.log.size).toBe(300);
    expect((await logOf(json.id, '/checkpoint')).text).toContain('\n300\n');
    const tile = await logOf(json.id, '/tile/0/000');
    expect([tile.status, tile.headers.get('cache-control')]).toEqual([200, FOR_EVER]);
    for (const isClosed of [false, true]) {
      if (isClosed) await close(json);
      expectError(await logOf(json.id, '/entries'), 403, 'log_hidden');
      expect((await ask(`${relay.url}/api/poll/${json.id}`)).status).toBe(401);
    }
  });

  it('has addresses of its own for each epoch', async () => {
    const poll = await relay.create({ verifiable: true });
    const { id } = poll;
    await castMany(opened.engine, id, 300);
    const before = (await logOf(id)).json.log;
    const old = (await logOf(id, '/checkpoint')).text;
    const { state } = (await opened.engine.polls.findLog(id))!;
    await opened.engine.polls.replaceLog(id, state, JSON.stringify({ ...JSON.parse(state), imported: true }));
    clockMs = Date.now();
    const { log } = (await logOf(id)).json;
    expect(log).toMatchObject({ origin: `${before.origin}/2`, size: 300 });
    expect(log.breaks).toEqual([{ checkpoint: old, found_at: expect.any(String) }]);
    expect(Date.parse(log.breaks[0].found_at)).toBeGreaterThanOrEqual(clockMs);
    const checkpoint = (await logOf(id, '/checkpoint')).text;
    expect(openCheckpoint(nodeCrypto, checkpoint, log.key)).toMatchObject({ origin: log.origin, size: 300 });
    expect((await logOf(id, '/2/checkpoint')).text).toBe(checkpoint);
    expect((await bytesOf(`${relay.url}/api/poll/${id}/log/2/tile/0/000`)).length).toBe(FULL * 32);
    expectError(await logOf(id, '/tile/0/000'), 404, 'tile_not_found');
    expectError(await logOf(id, '/1/tile/0/000'), 404, 'log_not_found');
    expectError(await logOf(id, '/3/tile/0/000'), 404, 'log_not_found');
  });
});
