import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVotingSite, type VotingSite } from './voting-site.ts';

let site: VotingSite;
beforeAll(async () => {
  site = await startVotingSite();
});
afterAll(() => site.close());

it.each([
  ['POST', '/api/poll'],
  ['GET', '/api/poll/abcdefabcdef'],
  ['GET', '/api'],
  ['PATCH', '/api/poll/abcdefabcdef'],
  ['DELETE', '/api/show/evening'],
  ['OPTIONS', '/api/poll'],
] as const)('a program at the wrong port learns the address of the API: %s %s', async (method, url) => {
  const headers = {
    'content-type': 'application/json',
    origin: 'https://show.example',
    'x-request-id': 'job-7',
  };
  const reply = await site.server.inject({
    method,
    url,
    headers,
    ...(method === 'POST' && { body: '{"poll":{}}' }),
  });
  expect(reply.statusCode).toBe(404);
  expect(reply.json()).toMatchObject({ success: 0, error: { code: 'route_not_found', request_id: 'job-7' } });
  expect(reply.json().error.message).toMatch(
    /^This is the voting front end\. The API is at https?:\/\/\S+\/api,/,
  );
  expect(reply.headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': 'job-7',
    'access-control-allow-origin': '*',
  });
});

it('pages have the id of their request, too', async () => {
  for (const url of ['/', '/nobodyisHere', '/%c0%']) {
    const { headers } = await site.server.inject({ url, headers: { 'x-request-id': 'job-8' } });
    expect([url, headers['x-request-id']]).toEqual([url, 'job-8']);
  }
});

it('other pages are as they were', async () => {
  const { statusCode, headers } = await site.server.inject({ method: 'GET', url: '/apiary' });
  expect([statusCode, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
});
