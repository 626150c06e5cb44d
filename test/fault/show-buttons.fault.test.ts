// @module-tag redis-server
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { pressAtRandom } from '../api/show/random-presses.ts';
import { redisRig } from '../support/redis-rig.ts';
import { type RelayProcess, startRelayProcess } from '../support/relay-process.ts';
import { castBallots, startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';
import { measured, seed, size } from './plan.ts';

const { start, relayOn, closeAfter } = redisRig();
const PRESSES = size(5_000, 20_000);
const OF_SHOW = 500;
const TIMEOUT_MS = 1_200_000;
const OPTIONS = { changesPerMinute: 1_000_000 };

async function pressShows(relays: readonly [TestRelay, TestRelay]): Promise<void> {
  const shows = Math.ceil(PRESSES / OF_SHOW);
  for (let show = 0; show < shows; show += 1) await pressAtRandom(relays, seed * shows + show, OF_SHOW);
  measured('T24', `${shows * OF_SHOW} presses as the model has them`);
}

it(`T24: ${PRESSES} random presses on the embedded engine do what the model does`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const relay = await startTestRelay(OPTIONS);
  closeAfter(() => relay.close());
  await pressShows([relay, relay]);
});

it(`T24: ${PRESSES} random presses at two relays on Redis do what the model does`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const { url } = await start();
  await pressShows([await relayOn(url, OPTIONS), await relayOn(url, OPTIONS)]);
});

const KILLED_PRESSES = size(100, 1_000);
const LIMITS = { CHANGES_PER_MINUTE: '1000000', CREATE_PER_MINUTE: '1000000' };

it(`T24: ${KILLED_PRESSES} random presses on the embedded engine, whose process is killed between and within them, do what the model does`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
  closeAfter(() => rm(folder, { recursive: true, force: true }));
  const begin = () => startRelayProcess('', { ...LIMITS, DATA_DIR: folder });
  let relay = await begin();
  let kills = 0;
  closeAfter(() => relay.kill());
  const both = () => [relay, relay] as const;
  await pressAtRandom(both(), seed, KILLED_PRESSES, async () => {
    kills += 1;
    await relay.kill();
    relay = await begin();
    return both();
  });
  measured(
    'T24',
    `${KILLED_PRESSES} presses as the model has them, the embedded engine killed ${kills} times`,
  );
});

it(`T24: ${KILLED_PRESSES} random presses at two relays on Redis, which are killed between and within them, do what the model does`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const { url } = await start();
  const engine = await openEngine({ redisUrl: url });
  closeAfter(() => engine.close());
  const begin = () => Promise.all([startRelayProcess(url, LIMITS), startRelayProcess(url, LIMITS)]);
  let relays = await begin();
  let kills = 0;
  const killAll = () => Promise.all(relays.map(relay => relay.kill()));
  closeAfter(killAll);
  const both = () =>
    [
      { url: relays[0].url, engine },
      { url: relays[1].url, engine },
    ] as const;
  await pressAtRandom(both(), seed, KILLED_PRESSES, async () => {
    kills += 1;
    await killAll();
    relays = await begin();
    return both();
  });
  measured('T24', `${KILLED_PRESSES} presses as the model has them, two relays killed ${kills} times`);
});

/** @param vote casts ballots once the poll is open */
async function killAfterEachReply(
  startRelay: () => Promise<RelayProcess>,
  buttons: readonly string[],
  vote: (id: string) => Promise<void>,
): Promise<void> {
  let relay = await startRelay();
  closeAfter(() => relay.kill());
  const show = await takeShow(relay);
  const { id } = (
    await show.addPoll({ answers: ['One', 'Two', 'Three'], status: 'upcoming', results_visibility: 'hidden' })
  ).json;
  for (const button of buttons) {
    // To reveal all after a step, it asks for that.
    const { status, json } = await show.at(relay.url).press(button, { confirm: true });
    await relay.kill();
    expect(status, `${button}: ${JSON.stringify(json.error)}`).toBe(200);
    relay = await startRelay();
    const {
      now: _,
      screens: __,
      phones: ___,
      rejected: ____,
      chat_state: ______,
      view_key: _______,
      ...kept
    } = (await show.at(relay.url).get()).json;
    expect(json, button).toMatchObject(kept);
    const read = await fetch(`${relay.url}/api/poll/${id}`, { headers: { 'x-api-key': show.key } });
    const { timestamp: _____, position: ________, ...poll } = (await read.json()) as Record<string, unknown>;
    expect(json.poll, button).toMatchObject(poll);
    if (button === 'open') await vote(id);
  }
}

it('T24: a relay killed right after the reply to a press has carried it out, on Redis', {
  timeout: TIMEOUT_MS,
}, async () => {
  const { url } = await start();
  const engine = await openEngine({ redisUrl: url });
  closeAfter(() => engine.close());
  await killAfterEachReply(
    () => startRelayProcess(url),
    ['next', 'open', 'close', 'step', 'step', 'undo', 'reveal', 'undo', 'undo', 'undo'],
    async id => {
      await castBallots(engine, id, 0, 2);
      await castBallots(engine, id, 1, 1);
    },
  );
});

it('T24: the same on the embedded engine', { timeout: TIMEOUT_MS }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-'));
  closeAfter(() => rm(folder, { recursive: true, force: true }));
  await killAfterEachReply(
    () => startRelayProcess('', { DATA_DIR: folder }),
    // Without votes, one step reveals all.
    ['next', 'open', 'close', 'step', 'undo', 'reveal', 'undo', 'undo', 'undo'],
    async () => {},
  );
});
