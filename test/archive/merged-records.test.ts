import { expect, it, onTestFinished } from 'vitest';
import { importArchive } from '../../src/archive/import-archive.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { openEngine } from '../../src/engine/open-engine.ts';
import { CHAT_LINKS, parseChatClaims } from '../../src/show/chat-links.ts';
import { createOperatorKey, listOperatorKeys, OPERATOR_KEYS } from '../../src/show/operator-keys.ts';
import { makeDataDirectory, removeDataDirectory } from '../engine/embedded/data-directory.ts';

async function open(): Promise<Engine> {
  const dataDir = await makeDataDirectory();
  const engine = await openEngine({ dataDir });
  onTestFinished(async () => {
    await engine.close();
    await removeDataDirectory(dataDir);
  });
  return engine;
}

const createKey = (engine: Engine, name: string) =>
  createOperatorKey(engine, { name, scopes: ['read'], expiresAtMs: null }, Date.now());

it.each([
  ['an import', undefined],
  ['a restore with --replace', 'replace' as const],
])('%s adds the operator keys and chat claims that are not there, and keeps the others', async (_, into) => {
  const [from, to] = [await open(), await open()];
  const both = await createKey(from, 'both');
  await to.records.put(OPERATOR_KEYS, (await from.records.find(OPERATOR_KEYS))!);
  await createKey(from, 'archived');
  await createKey(to, 'present');
  const claim = (show: string, atMs: number) => ({
    show,
    chat: [{ platform: 'twitch', channel: show }],
    atMs,
  });
  await from.records.put(CHAT_LINKS, JSON.stringify([claim('friday', 1), claim('sunday', 1)]));
  await to.records.put(CHAT_LINKS, JSON.stringify([claim('monday', 2), claim('friday', 2)]));
  async function* items() {
    for (const name of [OPERATOR_KEYS, CHAT_LINKS] as const)
      yield [{ type: 'record' as const, name, text: (await from.records.find(name))!, expiresAtMs: null }];
  }
  const run = () => importArchive(to, { items, into, withKeys: true, nowMs: Date.now() });
  expect(await run()).toMatchObject({ records: 2, operatorKeys: ['archived'] });
  expect(await run()).toMatchObject({ records: 0, operatorKeys: [] });
  const keys = await listOperatorKeys(to);
  expect(keys.map(({ name }) => name)).toEqual(['both', 'present', 'archived']);
  expect(keys[0]).toEqual(both.created);
  const claims = parseChatClaims(await to.records.find(CHAT_LINKS));
  expect(claims).toEqual([claim('monday', 2), claim('friday', 2), claim('sunday', 1)]);
});
