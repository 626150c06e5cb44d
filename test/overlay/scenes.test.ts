import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { followScenes } from '../../src/overlay/browser/live/scenes.ts';
import type { Scene } from '../../src/overlay/browser/stage.ts';
import { parseOverlayAddress } from '../../src/picture/overlay-address.ts';
import type { ResultsMessage, ShowMessage } from '../../src/protocol/messages.ts';
import { ScriptedRelay } from '../client/scripted-relay.ts';
import { until } from '../support/until.ts';
import { knownResults } from './poll-snapshots.ts';

let relay: ScriptedRelay;
let stop = (): void => {};

beforeEach(async () => {
  relay = await ScriptedRelay.open();
  relay.onSocket = () => {};
  const kept = new Map<string, string>();
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => kept.get(name) ?? null,
    setItem: (name: string, value: string) => kept.set(name, value),
    removeItem: (name: string) => kept.delete(name),
  });
  vi.stubGlobal('navigator', { language: 'en' });
  vi.stubGlobal('WebSocket', WebSocket);
});

afterEach(async () => {
  stop();
  await relay.close();
});

/** Scenes of an overlay of the show, from now on. */
function open(): Scene[] {
  stop();
  const scenes: Scene[] = [];
  const listener = { onScene: (scene: Scene) => scenes.push(scene), onLook: () => {}, onStatus: () => {} };
  stop = followScenes(parseOverlayAddress(`${relay.url}/overlay/show/evening`), listener);
  return scenes;
}

async function say(message: ShowMessage | ResultsMessage): Promise<void> {
  await until(() => relay.sockets.size === 1, 'the overlay');
  for (const socket of relay.sockets) socket.send(JSON.stringify(message));
}

const onAir = (id: string, more: Partial<ShowMessage> = {}): ShowMessage => ({
  type: 'show',
  show: 'evening',
  id,
  subscribed: true,
  ...more,
});
const closed = (id: string, version = 1): ResultsMessage => ({
  ...knownResults([5, 3], { id, status: 'closed', version, position: `${version}-x` }),
  type: 'results',
  final: true,
});
const winnerOf = (scene: Scene | undefined) => scene?.poll?.winner;

describe('the stored results of a show whose winner comes on a press', () => {
  it.each([
    ['before the press', [null], 'pending'],
    ['after it', [null, 1], 'shown'],
  ] as const)('are drawn as they were on air %s', async (_, rounds, winner) => {
    const before = open();
    await say(onAir('a', { aired_winner: { round: null } }));
    await say(closed('a'));
    for (const round of rounds) await say(onAir('a', { aired_winner: { round } }));
    await until(() => winnerOf(before.at(-1)) === winner, 'the winner');
    relay.onSocket = undefined;
    for (const socket of relay.sockets) socket.terminate();
    const scenes = open();
    await until(() => scenes.some(({ poll }) => poll?.id === 'a'), 'the stored results');
    expect(scenes.at(-1)).toMatchObject({ away: true, poll: { winner } });
  });
});
