import { build } from 'esbuild';
import { expect, it } from 'vitest';
import { blocksOf } from '../document/documents.ts';
import { browserRig } from './browser-rig.ts';
import { moment } from './widget-page.ts';
import { WidgetSite } from './widget-site.ts';

/** What the package says of its element, on pages of other people. */

const rig = browserRig(WidgetSite.open);

const policy = blocksOf('src/client-package/README.md').find(({ text }) => text.startsWith('script-src'));

function policyFor(relayUrl: string): string {
  const allowed = policy?.text ?? '';
  const ours = allowed
    .replaceAll('https://relay.example', relayUrl)
    .replaceAll('wss://relay.example', relayUrl.replace('http', 'ws'));
  return `default-src 'none'; ${ours}`;
}

/** Returns the page's markup, and how the first widget gets its results. */
const VIA = `new Promise(done => document.addEventListener('poll-state', ({ detail }) => done(detail.via)))`;

it('works under the CSP of the README', async () => {
  const page = await rig.site.visit(rig.browser, '', { policy: policyFor(rig.site.relayUrl) });
  const via = page.evaluate(VIA);
  await page.evaluate(() => {
    document.body.append(Object.assign(document.createElement('poll-results'), { id: 'late' }));
    document.querySelector('#late')?.setAttribute('poll', 'rehearsal');
  });
  expect(await via).toBe('websocket');
  await page.getByText('Rehearsal: Which song should close the show?').waitFor();
});

it('reports an unreachable relay if the CSP forbids it', async () => {
  const elsewhere = policyFor(rig.site.relayUrl).replace(
    /connect-src.*/,
    'connect-src https://other.example',
  );
  const page = await rig.site.visit(rig.browser, '<poll-results poll="rehearsal"></poll-results>', {
    policy: elsewhere,
  });
  await page.getByText('Not live right now').waitFor();
});

it('is defined by a bundle that imports it, and needs `relay`', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "import 'tallycast-client/widget';", resolveDir: process.cwd() },
    alias: { 'tallycast-client': `${process.cwd()}/dist/client-package` },
    bundle: true,
    minify: true,
    format: 'iife',
    write: false,
  });
  const page = await rig.browser.newPage();
  await page.setContent('<poll-results poll="rehearsal"></poll-results>');
  await page.addScriptTag({ content: outputFiles[0]?.text ?? '' });
  await moment(page, 'faulty').getByText('set relay to the address of the relay').waitFor();
  await page.evaluate(
    url => document.querySelector('poll-results')?.setAttribute('relay', url),
    rig.site.relayUrl,
  );
  await page.getByText('Rehearsal: Which song should close the show?').waitFor();
});
