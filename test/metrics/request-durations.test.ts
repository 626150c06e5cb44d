import Fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { countRequests } from '../../src/http/request-log.ts';
import { httpSeconds } from '../../src/metrics/catalogue.ts';
import { POLL_PATH } from '../../src/pages/guard/known-polls.ts';

it('the durations of requests are without streams', async () => {
  const app = Fastify({ logger: false });
  onTestFinished(() => app.close());
  countRequests(app, 'voting');
  const streams = ['/api/poll/:id/live', `${POLL_PATH}/comments/live`, `${POLL_PATH}/results`];
  const others = ['/api/show/:name/results', `${POLL_PATH}/state`];
  for (const route of [...streams, ...others]) app.get(route, async () => 'answered');
  const countOf = (route: string) =>
    [...httpSeconds.samples()].find(
      ({ metricName, labels }) =>
        metricName?.endsWith('_count') && labels['server'] === 'voting' && labels['route'] === route,
    )?.value ?? 0;
  const before = [...streams, ...others].map(countOf);
  for (const path of ['api/poll/x/live', 'abcdefabcdef/comments/live', 'abcdefabcdef/results'])
    expect((await app.inject(`/${path}`)).statusCode).toBe(200);
  for (const path of ['api/show/x/results', 'abcdefabcdef/state'])
    expect((await app.inject(`/${path}`)).statusCode).toBe(200);
  const added = [...streams, ...others].map((route, n) => countOf(route) - before[n]!);
  expect(added).toEqual([0, 0, 0, 1, 1]);
});
