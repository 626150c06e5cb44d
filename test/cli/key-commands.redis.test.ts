// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startProgram } from '../start/program.ts';
import { ask, GOOD_POLL, post } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { redisRig } from '../support/redis-rig.ts';
import { until } from '../support/until.ts';
import { runCommand, runToEnd } from './terminal-command.ts';

const rig = redisRig('file');
const folders: string[] = [];
afterAll(() => Promise.all(folders.map(folder => rm(folder, { recursive: true, force: true }))));

async function settingsFor(engine: 'embedded' | 'redis'): Promise<Record<string, string>> {
  if (engine === 'redis') return { REDIS_URL: (await rig.start()).url };
  folders.push(await mkdtemp(join(tmpdir(), 'tallycast-keys-')));
  return { DATA_DIR: folders.at(-1)! };
}

describe.each(['embedded', 'redis'] as const)('keys of a running server on the %s engine', engine => {
  it('can be created, listed and revoked beside it, and revoking closes their streams', async () => {
    const settings = await settingsFor(engine);
    const program = await startProgram({ ...settings, LOG_LEVEL: 'debug' });
    await program.running();
    const poll = { ...GOOD_POLL, results_visibility: 'hidden' };
    const { id } = (await post(program.url, { poll })).json;
    const made = await runCommand(['key', 'create', 'desk', '--scope', 'read', '--expires', '1h'], settings);
    expect([made.code, made.json.scopes]).toEqual([0, ['read']]);
    const { key } = made.json;
    const status = async () =>
      (await ask(`${program.url}/api/poll/${id}`, { headers: { 'x-api-key': key } })).status;
    await until(async () => (await status()) === 200, 'the key to open');
    const client = await LiveClient.open(`${program.url.replace('http', 'ws')}/api/live`);
    client.send({ type: 'subscribe', id, key });
    await client.results(0);

    const listed = await runCommand(['key', 'list'], settings);
    expect(listed.json.keys).toEqual([{ ...made.json, key: undefined, success: undefined }]);
    expect(listed.text).not.toContain(key);
    const revoked = await runCommand(['key', 'revoke', 'desk'], settings);
    expect(revoked.code).toBe(0);
    await client.message(
      message => message.type === 'error' && message.code === 'api_key_rejected',
      'the end of the stream',
    );
    expect(await status()).toBe(403);
    expect((await runCommand(['key', 'revoke', 'desk'], settings)).code).toBe(1);
    expect((await runCommand(['key', 'list'], settings)).json.keys).toEqual([]);
    expect(program.log).not.toContain(key);
    client.close();
  });
});

it('report a missing engine in one line, and reject wrong options', async () => {
  const nowhere = { DATA_DIR: join(tmpdir(), 'tallycast-no-such-folder') };
  const missing = await runCommand(['key', 'list'], nowhere);
  expect([missing.code, missing.json.error.message]).toEqual([
    1,
    expect.stringContaining('There is nothing in DATA_DIR'),
  ]);
  for (const args of [
    ['desk'],
    ['desk', '--scope', 'all'],
    ['desk', '--scope', 'read', '--expires', 'soon'],
    ['desk', '--scope', 'read', '--expires', '2020-01-01T00:00:00Z'],
  ])
    expect((await runToEnd('', ['key', 'create', ...args], nowhere)).code).toBe(2);
  expect((await runCommand(['key', 'list'], { REDIS_URL: 'redis://127.0.0.1:1' })).code).toBe(1);
});
