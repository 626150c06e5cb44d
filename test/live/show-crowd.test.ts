import { afterEach, expect, it } from 'vitest';
import { withRehearsal } from '../../src/engine/with-rehearsal.ts';
import { Roster } from '../../src/live/connection-registry.ts';
import { Hub } from '../../src/live/hub.ts';
import { serveMany } from '../../src/live/multiplexed-session.ts';
import { NEWCOMERS_REST_MS } from '../../src/live/pending-subscriptions.ts';
import { WebsocketConnection } from '../../src/live/websocket-connection.ts';
import { ShowBoard } from '../../src/show/show-board.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { engineWith } from '../support/engine-with.ts';
import { pointShow } from '../support/point-show.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { WireStub } from './wire-stub.ts';

const PAGES = 2_000;
const SHOW = 'friday-night';
/** The shortest pause between two sweeps. */
const SWEEP_MS = 1_500;

let relay: TestRelay;
const closeAfter: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closeAfter.splice(0).reverse()) await close();
});

it(`${PAGES} pages that follow a show through a switch cost a read of the show, and one of the poll each tick`, async () => {
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
  const roster = new Roster(PAGES + 1);
  closeAfter.push(
    () => hub.close(),
    () => shows.close(),
  );
  const wires = Array.from({ length: PAGES }, () => {
    const wire = new WireStub();
    const connection = new WebsocketConnection(wire as never, roster, 'crowd');
    const query = { hz: 10, compact: true, preview: false };
    serveMany({ hub, shows, connection, query, key: undefined, isOperatorKey: () => false });
    connection.session?.message(JSON.stringify({ type: 'follow', show: SHOW }));
    return wire;
  });
  const heard = (wire: WireStub) =>
    wire.written.map(json => JSON.parse(json)).map(({ type, id }) => `${type} ${id}`);
  const polls = [await relay.create(), await relay.create()];
  const expected = ['show null'];
  await until(() => wires.every(({ written }) => written.length === 1), 'the show');
  for (const { id } of polls) {
    await relay.cast(id, 0, 5);
    const before = { polls: faults.reads, shows: showsRead, atMs: performance.now() };
    await pointShow(relay.engine, SHOW, id);
    expected.push(`show ${id}`, `results ${id}`);
    await until(() => wires.every(({ written }) => written.length === expected.length), 'the switch');
    const tookMs = performance.now() - before.atMs;
    // On a busy machine a tick or a sweep may come by meanwhile.
    expect(faults.reads - before.polls).toBeLessThanOrEqual(2 + tookMs / NEWCOMERS_REST_MS);
    expect(showsRead - before.shows).toBeLessThanOrEqual(2 + tookMs / SWEEP_MS);
  }
  for (const wire of wires) expect(heard(wire)).toEqual(expected);
  // Encoded once: all hold the same string.
  expect(new Set(wires.map(({ written }) => written.at(-1))).size).toBe(1);
});
