import { describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/engine/engine.ts';
import { engineWith, type PortOverrides } from '../../src/engine/engine-with.ts';
import { internalErrors } from '../../src/metrics/catalogue.ts';
import { PollError } from '../../src/poll/poll-error.ts';
import { ask, faultOfError } from '../support/api-request.ts';
import { LiveClient } from '../support/live-client.ts';
import { logLines } from '../support/log-lines.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';

const REQUESTS = 30;
const fault = () => new TypeError('this poll has no such member');

interface Line {
  readonly msg: string;
  readonly err?: { readonly type: string; readonly stack: string };
}

/** A relay with a fault of its own, its log, and what it counts at a place. */
async function faultyRelay(
  overrides: (engine: Engine) => PortOverrides,
): Promise<{ relay: TestRelay; readLines: () => Line[] }> {
  const inner = await startTestRelay();
  const { logger, lines } = logLines();
  const relay = await startTestRelay({ engine: engineWith(inner.engine, overrides(inner.engine)), logger });
  onTestFinished(async () => {
    await relay.close();
    await inner.close();
  });
  lines.length = 0;
  return { relay, readLines: () => lines.map(line => JSON.parse(line)) };
}

const countOf = (place: string) => internalErrors.of({ place }).value;

describe('an internal error', () => {
  it.each([
    ['thrown by a handler', () => Promise.reject(fault())],
    ['below the engine', () => Promise.reject(new PollError('engine_unavailable', { cause: fault() }))],
  ])('%s is 500 internal_error, logged once with its stack, and counted each time', async (_, find) => {
    const { relay, readLines } = await faultyRelay(() => ({ polls: { find } }));
    const before = countOf('/api/poll/:id');
    for (let request = 0; request < REQUESTS; request += 1) {
      const reply = await ask(`${relay.url}/api/poll/abcdefabcdef`);
      expect(reply.status).toBe(500);
      expect(faultOfError(reply, 'internal_error')).toBeUndefined();
      expect(reply.text).not.toContain('no such member');
    }
    expect(readLines().map(({ msg, err }) => [msg, err?.type])).toEqual([['request failed', 'TypeError']]);
    expect(readLines()[0]?.err?.stack).toContain('own-faults.test');
    expect(countOf('/api/poll/:id') - before).toBe(REQUESTS);
  });

  it('thrown outside of a promise is 500 internal_error, and logged with its stack', async () => {
    const { relay, readLines } = await faultyRelay(() => ({
      records: {
        find: () => {
          throw fault();
        },
      },
    }));
    const reply = await ask(`${relay.url}/api/show/evening`);
    expect(reply.status).toBe(500);
    expect(readLines().map(({ err }) => err?.type)).toEqual(['TypeError']);
  });

  it.each([
    ['the handler of an upgrade', 'websocket', '/api/poll/abcdefabcdef/live'],
    ['the listener of a message', 'connection', '/api/live'],
  ])('in %s ends this connection alone', async (_, place, path) => {
    let isFaulty = false;
    const { relay, readLines } = await faultyRelay(({ hints }) => ({
      hints: {
        follow: (...args) => {
          if (isFaulty) throw fault();
          return hints.follow(...args);
        },
      },
    }));
    const other = await LiveClient.open(`${relay.wsUrl}/api/live`);
    const before = countOf(place);
    isFaulty = true;
    for (let connection = 0; connection < 3; connection += 1) {
      const live = await LiveClient.open(`${relay.wsUrl}${path}`);
      if (path === '/api/live') live.send({ type: 'subscribe', id: 'abcdefabcdef' });
      expect((await live.end()).code).toBe(1006);
    }
    expect(readLines().map(({ msg, err }) => [msg, err?.type])).toEqual([['internal error', 'TypeError']]);
    expect(countOf(place) - before).toBe(3);
    isFaulty = false;
    const { id } = await relay.create();
    other.send({ type: 'subscribe', id });
    await until(() => other.of('results').length > 0, 'results on the other connection');
  });
});
