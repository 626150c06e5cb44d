import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { runToEnd, TerminalCommand } from './terminal-command.ts';

let relay: TestRelay;

beforeAll(async () => {
  relay = await startTestRelay({ maxConnectionsPerAddress: 20 });
});

afterAll(() => relay.close());

it('measures what subscribers receive of a poll with votes', async () => {
  const { id, view_key } = await relay.create({ results_visibility: 'hidden' });
  const url = `${relay.url}/api/poll/${id}`;
  const args = ['bench', url, '-n', '10', '--duration', '3', '--key', view_key, '--json'];
  const command = new TerminalCommand(args, { TALLYCAST_URL: relay.url });
  let votes = 0;
  const voting = setInterval(() => void relay.cast(id).then(() => (votes += 1)), 100);
  const code = await command.exit;
  clearInterval(voting);
  const report = JSON.parse(command.stdout);
  expect(code, command.stdout + command.stderr).toBe(0);
  expect(report).toMatchObject({ connected: 10, subscribers: 10, out_of_order: 0, lost: {} });
  expect(report.frames).toBeGreaterThan(10);
  expect(report.frames).toBeLessThanOrEqual(10 * (votes + 1));
  expect(report.bytes).toBeGreaterThan(100 * report.frames);
  for (const name of ['handshake', 'first_message', 'spread', 'round_trip'])
    expect(report[name].p99).toBeGreaterThan(0);
  // Timestamps are whole seconds.
  expect(report.age.max).toBeGreaterThanOrEqual(0);
});

it('watches the simulated poll of a relay, and reports rejected connections', async () => {
  const args = ['bench', relay.url, '-n', '25', '--duration', '1'];
  const { code, stdout, stderr } = await runToEnd(relay.url, args);
  expect([code, stderr]).toEqual([1, 'tallycast: Not all subscribers were served.\n']);
  expect(stdout).toMatch(/^connected {3}20 of 25 /);
  expect(stdout).toMatch(/^LOST {8}5 × Too many/m);
});
