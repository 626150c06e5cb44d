import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { Asset, sendAsset } from '../../src/http/assets.ts';

const app = Fastify();
const asset = new Asset('a'.repeat(1_000));
app.get('/', (request, reply) => sendAsset(request, reply, asset, 'letters.txt'));

it.each([
  ['gzip, deflate, br, zstd', 'br'],
  ['BR', 'br'],
  ['*', 'br'],
  ['br;q=0', undefined],
  ['gzip, br;q=0', 'gzip'],
  ['br;q=0, *', 'gzip'],
  ['br;q=0.000, gzip;q=0.5', 'gzip'],
  ['x-br, brotli', undefined],
  ['identity', undefined],
  ['', undefined],
  [undefined, undefined],
])('answers Accept-Encoding: %s with %s', async (accepted, coding) => {
  const headers = accepted === undefined ? {} : { 'accept-encoding': accepted };
  const reply = await app.inject({ url: '/', headers });
  expect([reply.statusCode, reply.headers['content-encoding']]).toEqual([200, coding]);
});
