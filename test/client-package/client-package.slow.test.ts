import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ts } from '@ts-morph/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../document/documents.ts';
import { deadLinks, packageFaults } from '../package/packed.ts';
import { pointShow } from '../support/point-show.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { type Consumer, installClient } from './consumer.ts';

/** The client as its users get it: packed, and installed in an empty folder. */

const { ModuleKind, ModuleResolutionKind, JsxEmit } = ts;

let consumer: Consumer;
let installed: string;

beforeAll(async () => {
  consumer = await installClient();
  installed = join(consumer.folder, 'node_modules', 'tallycast-client');
});
afterAll(() => consumer.remove());

const files = () => readdirSync(installed, { recursive: true, encoding: 'utf8' });

const USE = `
  import { RelayLink, watchPoll, type ResultsMessage, type WatchState } from 'tallycast-client';
  import { PollResultsElement, type PollResultsAttributes } from 'tallycast-client/widget';
  const watch = watchPoll('https://relay.example/api/poll/rehearsal', {
    WebSocket, fetch, hz: 5,
    onResults: ({ total_votes, poll_answers, rehearsal }: ResultsMessage) => [total_votes + 1, poll_answers[0]?.votes, rehearsal === true],
    onState(state: WatchState) { if (state.state === 'refused') state.code.toFixed(); },
  });
  watch.close();
  const relay = new RelayLink('https://relay.example');
  relay.follow('evening', { onShow: id => id?.length, onResults: results => results.title.length });
  const element: PollResultsElement | null = document.querySelector('poll-results');
  element?.addEventListener('poll-state', event => event.detail.state);
  document.addEventListener('poll-results', () => {});
  const attributes: PollResultsAttributes = { poll: 'x', 'view-key': 'view_x', sort: 'votes' };
  export { attributes };
`;

describe('the package of the client', () => {
  it('has no findings of publint or arethetypeswrong', async () => {
    expect(await packageFaults(consumer.tarball)).toEqual([]);
  });

  it('contains what its documents link to', () => {
    expect(files()).toContain('CHANGELOG.md');
    expect(deadLinks({ files: files() }, installed)).toEqual([]);
  });

  it('has no dependencies, and imports only its own files', () => {
    const manifest = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(manifest.dependencies).toBeUndefined();
    expect(readdirSync(join(consumer.folder, 'node_modules')).filter(name => !name.startsWith('.'))).toEqual([
      'tallycast-client',
    ]);
    const code = files().filter(file => /\.(js|ts)$/.test(file));
    const imports = code.flatMap(file => {
      const source = readFileSync(join(installed, file), 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
      return [...source.matchAll(/\bfrom ['"]([^'"]+)['"]/g)].map(([, name = '']) => [file, name]);
    });
    const foreign = imports.filter(([, name = '']) => !name.startsWith('.')).map(([, name]) => name);
    expect([...new Set(foreign)].sort()).toEqual(['preact', 'react', 'solid-js']);
    expect(imports.filter(([, name = '']) => name.endsWith('.ts'))).toEqual([]);
    const cited = code.flatMap(
      file => readFileSync(join(installed, file), 'utf8').match(/\b\w+\.md\b|\bcontract\b/g) ?? [],
    );
    expect(cited.filter(word => !files().includes(word))).toEqual([]);
  });

  it.each([
    ['node10', { moduleResolution: ModuleResolutionKind.Node10, module: ModuleKind.ES2022 }],
    ['node16', { moduleResolution: ModuleResolutionKind.Node16, module: ModuleKind.Node16 }],
    ['bundler', { moduleResolution: ModuleResolutionKind.Bundler, module: ModuleKind.ES2022 }],
  ])('has types for TypeScript 5.0 with module resolution %s', async (_, options) => {
    expect(ts.version).toMatch(/^5\.0\./);
    const wrong = [`watchPoll(4, { onResults() {} });`, `relay.watch('x', { onResults: 5 });`];
    expect(await consumer.compile([USE, ...wrong].join('\n'), options)).toEqual(wrong);
  });

  it.each([
    ['react', 'react', '@types/react', '@types/react'],
    ['react', 'react', '@types/react-18', '@types/react'],
    ['preact', 'preact', 'preact', 'preact'],
    ['solid', 'solid-js', 'solid-js', 'solid-js'],
  ])('has types for JSX: %s with %s from %s', async (entry, jsxImportSource, name, as) => {
    await consumer.link(name, as);
    await consumer.link('csstype');
    await consumer.link('@types/prop-types');
    const solid = entry === 'solid';
    const options = {
      moduleResolution: ModuleResolutionKind.Bundler,
      module: ModuleKind.ES2022,
      skipLibCheck: true,
      jsx: solid ? JsxEmit.Preserve : JsxEmit.ReactJSX,
      jsxImportSource,
    };
    const wrong = ['sort="vote"', 'poll={3}', 'pol="x"'].map(
      (attribute, at) => `export const wrong${at} = <poll-results ${attribute} />;`,
    );
    const source = [
      `import 'tallycast-client/${entry}';`,
      `export const right = <poll-results poll="rehearsal" view-key="view_x" sort="votes" id="a" />;`,
      ...wrong,
    ];
    expect(await consumer.compile(source.join('\n'), options, `${entry}.tsx`)).toEqual(wrong);
  });
});

describe('the client of the package', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
    await pointShow(relay.engine, 'friday-night', 'rehearsal');
  });
  afterAll(() => relay.close());

  it('is the same as in the package of the server', async () => {
    const [own, server] = [
      await import('../../dist/client-package/index.js'),
      await import('tallycast/client'),
    ];
    expect(Object.keys(server)).toEqual(['RelayLink', 'watchPoll']);
    expect(server).toBe(own);
  });

  it('runs every example of its README', async () => {
    const examples = blocksOf('src/client-package/README.md').filter(({ language }) => language === 'js');
    expect(examples).toHaveLength(2);
    for (const { text } of examples) {
      const printed = `
        const print = console.log;
        console.log = (...words) => { if (typeof words[0] === 'number') { print(...words); process.exit(); } };
        setTimeout(() => process.exit(1), 20_000);
        ${text.replaceAll('http://127.0.0.1:8080', relay.url)}`;
      expect(await consumer.run(printed)).toMatch(/^\d+/);
    }
  });

  it('can be loaded by require, and its element on a server', async () => {
    const source = `const { watchPoll } = require('tallycast-client');
      const { PollResultsElement } = require('tallycast-client/widget');
      console.log(typeof watchPoll, typeof PollResultsElement);`;
    expect(await consumer.run(source, 'commonjs')).toBe('function function\n');
  });
});
