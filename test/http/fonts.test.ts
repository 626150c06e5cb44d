import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { serveFonts } from '../../src/http/assets.ts';

const app = Fastify();
serveFonts(app);

it('serves a sheet, and every file that it names for as long as its content is the same', async () => {
  const sheet = await app.inject('/fonts/inter.css');
  const files = [...sheet.body.matchAll(/url\(\.\/([^)]+)\)/g)].map(([, file]) => `/fonts/${file}`);
  expect(files).toHaveLength(8);
  expect(sheet.body).toMatch(/font-family: Inter;[^}]*unicode-range/);
  for (const file of files) {
    const { statusCode, headers, rawPayload } = await app.inject(file);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'font/woff2',
      'cache-control': 'public, max-age=31536000, immutable',
      'access-control-allow-origin': '*',
    });
    expect(rawPayload.toString('latin1', 0, 4)).toBe('wOF2');
  }
});

it('carries the license of the font along, and nothing that was not built', async () => {
  expect((await app.inject('/fonts/LICENSE')).body).toContain('SIL OPEN FONT LICENSE');
  for (const file of ['/fonts/nothing.woff2', '/fonts/..%2Fmain.js'])
    expect((await app.inject(file)).statusCode).not.toBe(200);
});
