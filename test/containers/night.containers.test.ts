import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { watchPoll } from '../../src/client/watch-poll.ts';
import { readShipped } from '../deploy/composition.ts';
import { createPoll } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { type Alert, SERVERS, Stack } from './stack.ts';

/** The night of faults: what the operator's webhook receives, with voters and screens all the time. */

const NOTIFIED_MS = 60_000;
/** How long a fault lasts after its notification. */
const HOLD_MS = 10_000;
const CLEAR_MS = 400_000;
/** Longer than nearly all rules wait. */
const QUIET_MS = 100_000;
const AWAY_MINUTES = Number(process.env['AWAY_MINUTES'] ?? 10);
const SCREENS = 30;
const VOTE_MS = 500;
/** Between questions to Prometheus and the webhook. */
const ROUND_MS = 500;
const DISK = '64m';

/** The expression of the dashboard's panel. */
const FIRING = JSON.parse(readShipped('src/deploy/monitoring/dashboard.json')).panels.find(
  ({ title }: { title: string }) => title === 'Firing alerts',
).targets[0].expr as string;

let stack: Stack;
let watches: { close(): void }[] = [];
let isOver = false;
let voting: Promise<void>;
/** Of the table that a run ends with. */
const rows: string[] = [];

beforeAll(async () => {
  stack = await Stack.start(DISK);
  const { id } = await createPoll(stack.relays);
  const poll = await (await fetch(`${stack.relays}/api/poll/${id}`)).json();
  watches = Array.from({ length: SCREENS }, () =>
    watchPoll(`${stack.relays}/api/poll/${id}`, { WebSocket, onResults: () => {} }),
  );
  voting = (async () => {
    while (!isOver) {
      await stack.vote(id, poll.poll_answers[0].id);
      await new Promise(done => setTimeout(done, VOTE_MS));
    }
  })();
  await until(allClear, 'all targets', CLEAR_MS);
}, 900_000);
afterAll(async () => {
  isOver = true;
  for (const watch of watches) watch.close();
  await voting;
  await stack?.remove();
  console.info(['cause | notified | after | runbook', ...rows].join('\n'));
}, 120_000);

const wait = (milliseconds: number) => new Promise(done => setTimeout(done, milliseconds));
const allClear = async () => {
  await wait(ROUND_MS);
  const { activeTargets } = await stack.prometheus('targets');
  const { alerts } = await stack.prometheus('alerts');
  // A fault that begins before is a part of the notification that is still open.
  const groups = new Map((await stack.notifications()).map(({ groupKey, status }) => [groupKey, status]));
  return (
    alerts.length === 0 &&
    activeTargets.every(({ health }) => health === 'up') &&
    [...groups.values()].every(status => status === 'resolved')
  );
};
const redis = (...args: string[]) => stack.compose('exec', '-T', 'redis', ...args);
const kill = (name: string, signal: string) => stack.compose('kill', '--signal', signal, name);
const up = (name: string) => stack.compose('up', '--detach', '--no-deps', '--wait', name);

interface Fault {
  readonly alert: string;
  begin(): Promise<unknown>;
  end(): Promise<unknown>;
  readonly holdMs?: number;
}
const ALERTS: Readonly<Record<string, string>> = {
  redis: 'TallycastEngineLost',
  'front-door': 'TallycastUnreachable',
};
const alertOf = (name: string) => ALERTS[name] ?? 'TallycastDown';
/** The service stays down until the command of the runbook. */
const ended = (name: string, signal: 'TERM' | 'KILL', more: Partial<Fault> = {}): [string, Fault] => [
  `${name} ${signal}`,
  { alert: alertOf(name), begin: () => kill(name, signal), end: () => up(name), ...more },
];
const frozen = (name: string): [string, Fault] => [
  `${name} STOP`,
  { alert: alertOf(name), begin: () => kill(name, 'STOP'), end: () => stack.compose('restart', name) },
];
const frozenFor = (name: string, seconds: number): [string, Fault] => [
  `${name} STOP ${seconds} s`,
  {
    alert: alertOf(name),
    begin: async () => {
      await kill(name, 'STOP');
      setTimeout(() => void kill(name, 'CONT'), 1_000 * seconds);
    },
    end: () => wait(1_000 * seconds),
  },
];
const blind = (name: string): [string, Fault] => [
  `${name} KILL`,
  { alert: 'TallycastMonitoringBlind', begin: () => kill(name, 'KILL'), end: () => up(name) },
];

/** Each server starts at most twice within ten minutes; a third time would be `TallycastRestarts`. */
const FAULTS: readonly [string, Fault][] = [
  ended('relay-1', 'TERM'),
  ended('voting-1', 'TERM'),
  ended('front-door', 'TERM'),
  ended('redis', 'TERM'),
  frozenFor('redis', 3),
  frozenFor('redis', 30),
  ended('relay-2', 'KILL'),
  ended('voting-2', 'KILL'),
  ended('front-door', 'KILL'),
  // Long enough for each symptom.
  ended('redis', 'KILL', { holdMs: QUIET_MS }),
  [
    'redis full',
    {
      alert: 'TallycastRedisMemory',
      async begin() {
        const used = Number(/used_memory:(\d+)/.exec(await redis('redis-cli', 'info', 'memory'))?.[1]);
        await redis('redis-cli', 'config', 'set', 'maxmemory', `${used - 100_000}`);
      },
      end: () => redis('redis-cli', 'config', 'set', 'maxmemory', '1gb'),
      holdMs: QUIET_MS,
    },
  ],
  [
    'disk full',
    {
      alert: 'TallycastDiskFull',
      begin: () => redis('sh', '-c', 'dd if=/dev/zero of=/data/filler bs=4k 2>/dev/null || true'),
      end: () => redis('rm', '/data/filler'),
      holdMs: QUIET_MS,
    },
  ],
  frozen('relay-1'),
  frozen('voting-1'),
  frozen('front-door'),
  blind('redis-exporter'),
  blind('node-exporter'),
  blind('blackbox-exporter'),
  [`relay-2 away for ${AWAY_MINUTES} min`, ended('relay-2', 'KILL', { holdMs: 60_000 * AWAY_MINUTES })[1]],
];

describe('the night of faults', { timeout: 1_800_000 }, () => {
  it('sends nothing while every server is replaced in turn', async () => {
    await stack.buildUpdate();
    for (const name of SERVERS) await up(name);
    await wait(QUIET_MS);
    expect(await stack.notifications()).toEqual([]);
    rows.push('rolling update | none | |');
  });

  it.each(FAULTS)(
    'sends one notification for: %s',
    async (cause, { alert, begin, end, holdMs = HOLD_MS }) => {
      const before = (await stack.notifications()).length;
      const firing = async () => {
        await wait(ROUND_MS);
        return (await stack.notifications()).slice(before).filter(({ status }) => status === 'firing');
      };
      const begunMs = Date.now();
      await begin();
      await until(async () => (await firing()).length > 0, `a notification of ${alert}`, NOTIFIED_MS).catch(
        () => {},
      );
      const shown = await stack.prometheus(`query?query=${encodeURIComponent(FIRING)}`);
      await wait(holdMs);
      await end();
      await until(allClear, 'the end of all alerts', CLEAR_MS);

      const received = await firing();
      // The notification of a group repeats what was resolved within a quarter of an hour.
      const fired = received.map(({ alerts }) => alerts.filter(({ status }) => status === 'firing'));
      const names = fired.map(alerts => alerts.map(({ labels }) => labels.alertname));
      const seconds = Math.round(((received[0]?.atMs ?? Number.NaN) - begunMs) / 1_000);
      const { annotations, labels } = (fired[0]?.[0] ?? { annotations: {}, labels: {} }) as Alert;
      const row = `${cause} | ${names.map(one => one.join('+')).join(', ')} ${labels.instance ?? ''} | ${seconds} s | ${annotations.runbook}`;
      rows.push(row);
      console.info(row);
      expect(names).toEqual([[alert]]);
      expect(seconds).toBeLessThanOrEqual(NOTIFIED_MS / 1_000);
      expect(annotations.runbook).toBe(`src/metrics/RUNBOOK.md#${alert.toLowerCase()}`);
      expect(JSON.stringify(shown.result)).toContain(alert);
    },
  );
});
