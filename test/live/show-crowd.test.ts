import { afterEach, expect, it } from 'vitest';
import { engineWith } from '../../src/engine/engine-with.ts';
import { withRehearsal } from '../../src/engine/with-rehearsal.ts';
import { Hub } from '../../src/live/hub.ts';
import { MultiplexedSession } from '../../src/live/session.ts';
import { READ_INTERVAL_MS } from '../../src/live/subscription.ts';
import { ShowBoard } from '../../src/show/show-board.ts';
import { ButtonBoard } from '../../src/show/show-buttons.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { pointShow } from '../support/point-show.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { ConnectionStub } from './connection-stub.ts';

const PAGES = 2_000;
const SHOW = 'friday-night';
/** The shortest pause between two sweeps. */
const SWEEP_MS = 1_500;

let relay: TestRelay;
const closeAfter: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closeAfter.splice(0).reverse()) await close();
});

it(`${PAGES} pages that follow a show through a switch cost a few reads of the show, and of the poll`, async () => {
  relay = await startTestRelay();
  closeAfter.push(() => relay.close());
  const faults = new EngineDouble(relay.engine);
  let showsRead = 0;
  const engine = engineWith(faults.engine, {
    records: {
      findMany: names => {
        showsRead += 1;
        return faults.engine.records.findMany(names);
      },
    },
  });
  const hub = new Hub({ engine: withRehearsal(engine), isOperatorKey: () => false });
  const shows = new ShowBoard(engine);
  closeAfter.push(
    () => hub.close(),
    () => shows.close(),
  );
  const buttons = new ButtonBoard({ engine, readPoll: hub.read }, shows);
  const pages = Array.from({ length: PAGES }, () => {
    const connection = new ConnectionStub();
    const query = { hz: 10, compact: true, preview: false };
    const services = { hub, shows, buttons, isOperatorKey: () => false };
    connection.session = new MultiplexedSession(services, { key: undefined, query }, connection);
    connection.session.message(JSON.stringify({ type: 'follow', show: SHOW }));
    return connection;
  });
  const received = (page: ConnectionStub) =>
    page.written.map(json => JSON.parse(json)).map(({ type, id }) => `${type} ${id}`);
  const polls = [await relay.create(), await relay.create()];
  const expected = ['show null'];
  await until(() => pages.every(({ written }) => written.length === 1), 'the show');
  for (const { id } of polls) {
    await relay.cast(id, 0, 5);
    const before = { polls: faults.reads, shows: showsRead, atMs: performance.now() };
    await pointShow(relay.engine, SHOW, id);
    expected.push(`show ${id}`, `results ${id}`);
    await until(() => pages.every(({ written }) => written.length === expected.length), 'the switch');
    const tookMs = performance.now() - before.atMs;
    // A few, beside the ticks and sweeps of a slow machine: none for each page.
    expect(faults.reads - before.polls).toBeLessThanOrEqual(10 + tookMs / READ_INTERVAL_MS);
    expect(showsRead - before.shows).toBeLessThanOrEqual(10 + tookMs / SWEEP_MS);
  }
  for (const page of pages) expect(received(page)).toEqual(expected);
  // Encoded once: all hold the same string.
  expect(new Set(pages.map(({ written }) => written.at(-1))).size).toBe(1);
});
