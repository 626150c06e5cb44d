import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { browserRig } from '../e2e/browser-rig.ts';
import { WidgetSite } from '../e2e/widget-site.ts';
import { EXAMPLES } from './run-example.ts';

const rig = browserRig(WidgetSite.open);

async function openOverlay(id: string) {
  const page = await rig.browser.newPage();
  const url = pathToFileURL(`${EXAMPLES}${'overlay.html'}`);
  url.search = `relay=${rig.site.relayUrl}&poll=${id}`;
  await page.goto(url.href);
  return page;
}

it('shows results as they come, as a file and with texts that are no markup', async () => {
  const { id } = await rig.site.create({ title: 'Tea <or> cake?', answers: ['Tea', '<b>Cake</b>'] });
  const page = await openOverlay(id);
  await page.getByText('<b>Cake</b> 0').waitFor();
  expect(await page.locator('header').textContent()).toBe('Tea <or> cake?');
  await rig.site.cast(id, 1, 3);
  await page.getByText('<b>Cake</b> 3').waitFor();
  expect(await page.locator('div').evaluateAll(bars => bars.map(bar => bar.style.transform))).toEqual([
    'scaleX(0)',
    'scaleX(1)',
  ]);
});

it('shows hidden results without votes, and nothing of a deleted poll', async () => {
  const { id } = await rig.site.create({ results_visibility: 'hidden' });
  await rig.site.cast(id, 0);
  const page = await openOverlay(id);
  await page.getByText('Waterloo').waitFor();
  expect(await page.locator('section p').allTextContents()).toEqual(['Waterloo', 'Volare']);
  await rig.site.engine.polls.remove(id);
  await page.locator('header').waitFor({ state: 'detached' });
});
