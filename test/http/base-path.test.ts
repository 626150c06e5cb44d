import { once } from 'node:events';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { linksBelow, serveBelow } from '../../src/http/base-path.ts';

const app = Fastify({ logger: false });
let url: string;

beforeAll(async () => {
  serveBelow(app, '/polls');
  app.get('/', async () => 'root');
  app.get('/some/page', async (request, reply) =>
    reply.type('text/html').send(`<a href="/x?from=${request.url}">/y</a>`),
  );
  app.get('/moved', async (_, reply) => reply.redirect('/some/page'));
  app.get('/away', async (_, reply) => reply.redirect('//elsewhere.test/'));
  url = await app.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(() => app.close());

const get = (path: string) => fetch(url + path, { redirect: 'manual' });

it.each(['/polls', '/polls/', '/polls?key=1', '/', ''])('serves %s as the root', async path => {
  expect(await (await get(path)).text()).toBe('root');
});

it.each(['/pollster', '/polls/polls', '/pollsx/some/page'])('has no %s', async path => {
  expect((await get(path)).status).toBe(404);
});

it('puts its path before links and redirects of its own, and nothing else', async () => {
  for (const path of ['/polls/some/page', '/some/page'])
    expect(await (await get(path)).text()).toBe('<a href="/polls/x?from=/some/page">/y</a>');
  expect((await get('/polls/moved')).headers.get('location')).toBe('/polls/some/page');
  expect((await get('/polls/away')).headers.get('location')).toBe('//elsewhere.test/');
});

it('takes its path off upgrades', async () => {
  const asked = once(app.server, 'upgrade');
  new WebSocket(`${url.replace('http', 'ws')}/polls/live`).on('error', () => {});
  const [request, socket] = await asked;
  socket.destroy();
  expect(request.url).toBe('/live');
});

it('leaves pages at the root as they are', () => {
  expect(linksBelow('', '<a href="/x">')).toBe('<a href="/x">');
  expect(linksBelow('/p', '<a href="//cdn.test/x"><form action="/y"><p title="/z">')).toBe(
    '<a href="//cdn.test/x"><form action="/p/y"><p title="/z">',
  );
});
