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
function follow(): Scene[] {
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
const open = (id: string): ResultsMessage => ({ ...knownResults([5, 3], { id }), type: 'results' });
const closed = (id: string): ResultsMessage => ({ ...open(id), status: 'closed', final: true });
const winnerOf = (scene: Scene | undefined) => scene?.poll?.winner;

describe('the stored results of a show whose winner comes on a press', () => {
  it.each([
    ['before the press', [null], 'pending'],
    ['after it', [null, 1], 'shown'],
  ] as const)('are drawn as they were on air %s', async (_, rounds, winner) => {
    const before = follow();
    await say(onAir('a', { aired_winner: { round: null } }));
    await say(closed('a'));
    for (const round of rounds) await say(onAir('a', { aired_winner: { round } }));
    await until(() => winnerOf(before.at(-1)) === winner, 'the winner');
    relay.onSocket = undefined;
    for (const socket of relay.sockets) socket.terminate();
    const scenes = follow();
    await until(() => scenes.some(({ poll }) => poll?.id === 'a'), 'the stored results');
    expect(scenes.at(-1)).toMatchObject({ away: true, poll: { winner } });
  });
});

describe('a poll that leaves for the next one of its show', () => {
  it.each([
    ['its winner pending', { round: null }, { round: 1 }, 'pending'],
    ['its winner shown', { round: 1 }, { round: null }, 'shown'],
    ['its winner from the close', undefined, { round: null }, undefined],
  ])('keeps %s', async (_, own, next, winner) => {
    const scenes = follow();
    await say(onAir('a', { aired_winner: own }));
    await say(closed('a'));
    await say(onAir('b', { aired_winner: next }));
    await say(closed('b'));
    await until(() => scenes.at(-1)?.poll?.id === 'b', 'the next poll');
    const left = scenes.filter(({ poll }) => poll?.id === 'a');
    expect(new Set(left.map(winnerOf))).toEqual(new Set([winner]));
    expect(winnerOf(scenes.at(-1))).toBe(next.round === null ? 'pending' : 'shown');
  });

  it('keeps chat, join code and delay, and takes no others where it stays after all', async () => {
    const scenes = follow();
    const own = { chat: true, join_code: '111111', delay: 3 } as const;
    const seen = ({ poll, takesChat, joinCode, delayMs }: Scene) => [poll?.id, takesChat, joinCode, delayMs];
    await say(onAir('a', own));
    await say(open('a'));
    await say(onAir('b', { join_code: '222222' }));
    await say(onAir('a', own));
    await say({ ...open('a'), version: 2, position: '2-x' });
    await say(onAir('b', { join_code: '222222' }));
    await say(open('b'));
    await until(() => scenes.at(-1)?.poll?.id === 'b', 'the next poll');
    expect(new Set(scenes.map(scene => `${seen(scene)}`))).toEqual(
      new Set(['a,true,111111,3000', 'b,false,222222,0']),
    );
  });
});
