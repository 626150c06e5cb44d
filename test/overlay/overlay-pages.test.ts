import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import Fastify, { type FastifyInstance } from 'fastify';
import { strFromU8, unzipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FairTurns } from '../../src/http/fair-turns.ts';
import { phrasesIn } from '../../src/locales/phrases.ts';
import { overlayPages } from '../../src/overlay/overlay-pages.ts';

const SCRIPT = 'const text = "</script><b>$&";';
let folder: string;
let app: FastifyInstance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tallycast-pages-'));
  cpSync('src/overlay/page', join(folder, 'page'), { recursive: true });
  mkdirSync(join(folder, 'browser'));
  for (const name of ['overlay', 'builder', 'widget', 'ograf', 'playout']) {
    writeFileSync(join(folder, 'browser', `${name}.js`), SCRIPT);
  }
  app = Fastify();
  await app.register(overlayPages, {
    assets: pathToFileURL(`${folder}/`),
    relayUrl: 'https://relay.example',
    voteUrl: 'https://vote.example',
    turns: new FairTurns(),
  });
});

afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true });
});

describe('the overlay pages', () => {
  it.each([
    '/overlay',
    '/overlay/abc',
    '/overlay/abc?style=%00&size=-1',
    '/overlay/%F0%9F%92%A9',
    '/overlay/show/tonight',
  ])('serve %s with a CSP that forbids inline scripts', async url => {
    const reply = await app.inject(url);
    expect(reply.statusCode).toBe(200);
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self'");
    expect(policy).not.toContain('unsafe');
    expect(reply.body).not.toMatch(/<script>|<script type="module">|<style| on\w+=| style=/);
    expect(reply.headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
    });
  });

  it.each([
    ['en', 'ltr', undefined],
    ['de', 'ltr', 'de-AT,en;q=0.5'],
    ['he', 'rtl', 'he'],
  ] as const)(
    'serve the builder in %s, whatever the language of the overlay',
    async (language, dir, wanted) => {
      const headers = wanted === undefined ? {} : { 'accept-language': wanted };
      const { body } = await app.inject({ url: '/overlay?lang=ja', headers });
      expect(body).toContain(`<html lang="${language}" dir="${dir}">`);
      expect(body).toContain(`<h1 id="heading">${phrasesIn(language).builder.page.heading}</h1>`);
      expect(body).not.toContain('{{');
    },
  );

  it('answer 304 to a matching ETag', async () => {
    const { headers } = await app.inject('/overlay/assets/overlay.js');
    expect(headers['cache-control']).toBe('no-cache');
    const again = await app.inject({
      url: '/overlay/assets/overlay.js',
      headers: { 'if-none-match': `W/"other", W/${headers.etag}` },
    });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('serve no other files as assets', async () => {
    for (const file of ['nothing.js', '..%2f..%2fpackage.json', 'constructor', '__proto__']) {
      expect((await app.inject(`/overlay/assets/${file}`)).statusCode, file).toBe(404);
    }
  });

  it.each([
    ['/vote/Ab3456789012', 'https://vote.example/Ab3456789012'],
    ['/vote/show/friday-night?lang=de', 'https://vote.example/show/friday-night'],
  ])('redirect %s to the voting server', async (url, location) => {
    const reply = await app.inject(url);
    expect([reply.statusCode, reply.headers.location]).toEqual([302, location]);
  });

  it.each(['/vote/a%2f..%2fb', '/vote//evil.example', '/vote/a%0d%0ab', '/vote/show/%2e%2e'])(
    'do not redirect %s',
    async url => {
      expect((await app.inject(url)).statusCode).toBe(404);
    },
  );

  it('serve the widget to every origin', async () => {
    const { headers } = await app.inject('/widget.js');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  it('serve the loader as a self-contained download', async () => {
    const { headers, body } = await app.inject('/overlay/loader.html');
    expect(headers['content-disposition']).toContain('attachment');
    expect(body).toContain('data-overlay=""');
    expect(body).not.toMatch(/src=|href=/);
  });
});

describe('the templates', () => {
  it('include an SPX template in one file, with its definition in the head', async () => {
    const { body } = await app.inject('/overlay/templates/tallycast-spx.html');
    const definition = /SPXGCTemplateDefinition = (\{[\s\S]*?\});<\/script>/.exec(
      body.split('</head>')[0] ?? '',
    )?.[1];
    const fields = JSON.parse(definition ?? '').DataFields;
    const named = fields.filter(({ field }: { field?: string }) => field);
    expect(named.map(({ field, title }: { field: string; title: string }) => `${field} ${title}`)).toEqual([
      'f0 Overlay URL',
      'f1 Poll',
      'f2 Show',
      'f3 View key',
      'f4 Hold results back until the next step',
    ]);
    expect(named[0].value).toBe('https://relay.example/overlay/rehearsal');
    expect(body).toContain('"<\\/script><b>$&"');
    expect(body).not.toMatch(/src=|href=/);
  });

  it('include a CasparCG template in one file', async () => {
    const { body } = await app.inject('/overlay/templates/tallycast-casparcg.html');
    expect(body).toContain('"<\\/script><b>$&"');
    expect(body).not.toContain('SPXGC');
  });

  it('include an OGraf package with reproducible bytes', async () => {
    const { rawPayload } = await app.inject('/overlay/templates/tallycast-ograf.zip');
    const [time, date] = [rawPayload.readUInt16LE(10), rawPayload.readUInt16LE(12)];
    expect({ time, date }).toEqual({ time: 0, date: 0x21 });
  });

  it('include an OGraf package whose manifest names its graphic', async () => {
    const files = unzipSync((await app.inject('/overlay/templates/tallycast-ograf.zip')).rawPayload);
    const manifest = JSON.parse(strFromU8(files['tallycast/tallycast.ograf.json']!));
    expect(manifest).toMatchObject({
      $schema: 'https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json',
      supportsRealTime: true,
      supportsNonRealTime: false,
      stepCount: -1,
    });
    expect(Object.keys(manifest.schema.properties)).toEqual(['url', 'poll', 'show', 'key', 'hold']);
    expect(manifest.schema.properties.url.default).toBe('https://relay.example/overlay/rehearsal');
    expect(strFromU8(files[`tallycast/${manifest.main}`]!)).toBe(SCRIPT);
  });
});
