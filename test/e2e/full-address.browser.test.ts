import { beforeAll, expect, it } from 'vitest';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { LiveClient } from '../support/live-client.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

const { maxConnectionsPerAddress } = settingsOf(readConfig({}));
/** What a browser may take longer on a busy machine than is promised. */
const GRACE_MS = 3_000;
const MAX_MS = 3_000 + GRACE_MS;
const EVERY_FEW_SECONDS = 'These results update every few seconds.';

const neighbors: LiveClient[] = [];
const rig = browserRig(() => startLiveSite({ proofCost: 1 }, { maxConnectionsPerAddress }));

/** A neighbor holds every live connection that the relay accepts from its address. */
beforeAll(async () => {
  const { id } = await rig.site.createPoll();
  const url = `${rig.site.relay.wsUrl}/api/poll/${id}/live`;
  while (neighbors.length < maxConnectionsPerAddress)
    neighbors.push(...(await Promise.all(Array.from({ length: 100 }, () => LiveClient.open(url)))));
  return () => {
    for (const { socket } of neighbors) socket.terminate();
  };
});

it('a page shows results within 3 s, then the changed ones, and says that they update every few seconds', async () => {
  const { id } = await rig.site.createPoll({ mip: true });
  const context = await rig.browser.newContext({ locale: 'en-US' });
  const page = await context.newPage();
  await page.goto(`${rig.site.url}/${id}`);
  await page.getByLabel('Volare').check();
  await page.getByRole('button', { name: 'Vote', exact: true }).click();
  await page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
  const watch = new Stopwatch();
  await page.getByText(EVERY_FEW_SECONDS).waitFor();
  expect(watch.ms).toBeLessThan(MAX_MS);
  await rig.site.relay.cast(id, 0, 3);
  await page.getByText('4 votes', { exact: true }).waitFor();
  expect(neighbors.every(({ closed }) => closed === undefined)).toBe(true);
});

it('an overlay shows results within 3 s', async () => {
  const { id } = await rig.site.createPoll({ mip: true });
  await rig.site.relay.cast(id, 0, 3);
  const page = await (await rig.browser.newContext({ locale: 'en-US' })).newPage();
  const watch = new Stopwatch();
  await page.goto(`${rig.site.relay.url}/overlay/${id}`);
  await page.getByText('Waterloo').first().waitFor();
  expect(watch.ms).toBeLessThan(MAX_MS);
});
