// @module-tag redis-server
import { expect, it } from 'vitest';
import { ask, expectError } from '../support/api-request.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startRelayProcess } from '../support/relay-process.ts';
import { takeShow } from '../support/test-show.ts';
import { until } from '../support/until.ts';

const { start, relayOn, closeAfter } = redisRig();
const WANTED_MS = 1_000;

it('what came to a relay that stood still is not carried out when it goes on, unless it is still wanted', async () => {
  const redis = await start();
  const frozen = await startRelayProcess(redis.url);
  closeAfter(() => {
    frozen.thaw();
    return frozen.stop();
  });
  const other = await relayOn(redis.url);
  const show = await takeShow(other);
  const [one, two] = await show.fill(2);
  await show.patch({ on_air: one });
  const before = (await show.get()).json;
  const desk = show.at(frozen.url);
  const poll = (method: string, path: string, body?: unknown) => (headers: Record<string, string>) =>
    ask(`${frozen.url}/api/poll/${two}${path}`, {
      method,
      headers: { 'x-api-key': show.key, ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  frozen.freeze();
  const untilMs = Date.now() + WANTED_MS;
  const headers = { 'request-expires': `${untilMs / 1_000}` };
  const late = [
    desk.press('next', undefined, headers),
    desk.press('clear', undefined, headers),
    desk.patch({ on_air: two }, headers),
    desk.addPoll({}, headers),
    ...[poll('PATCH', '', { poll: { status: 'closed' } }), poll('DELETE', '')].map(send => send(headers)),
    // Their times have not come.
    desk.patch({ title: 'Still wanted' }, { 'request-expires': `${untilMs / 1_000 + 3_600}` }),
    desk.patch({ title: 'Still wanted' }),
  ];
  await until(() => Date.now() > untilMs, 'the time to be over', 10 * WANTED_MS);
  frozen.thaw();
  const replies = await Promise.all(late);
  for (const reply of replies.slice(0, -2)) expectError(reply, 409, 'request_expired');
  for (const reply of replies.slice(-2)) expect(reply.status).toBe(200);
  const { now: _, version: __, ...after } = (await show.get()).json;
  expect({ ...before, title: 'Still wanted' }).toMatchObject(after);
  expect(await other.read(two!)).toMatchObject({ status: 'open', version: 1 });
});
