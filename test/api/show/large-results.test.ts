import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestRelay, type TestRelay } from '../../support/test-relay.ts';
import { takeShow } from '../../support/test-show.ts';

/** The results of a large show take tens of milliseconds, in which others must have their turns. */

const POLLS = 40;
let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay();
});
afterAll(() => relay.close());

it.each(['csv', 'json'])(
  'the results of a show as %s leave a turn to others after each poll',
  async format => {
    const show = await takeShow(relay);
    await show.fill(POLLS);
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    count();
    const reply = await relay.app.inject({
      url: `/api/show/${show.name}/results?format=${format}`,
      headers: { 'x-api-key': show.key },
    });
    isOver = true;
    expect(reply.statusCode).toBe(200);
    expect(turns).toBeGreaterThan(POLLS);
    if (format === 'json') expect(reply.json().polls).toHaveLength(POLLS);
    else expect(reply.body.split('\r\n')).toHaveLength(2 * POLLS + 2);
  },
);
