import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { browserRig } from './browser-rig.ts';
import { WidgetSite } from './widget-site.ts';

/** The client on a page of another origin, where the browser's own rules decide what it may send. */

const rig = browserRig(WidgetSite.open);
let script: string;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['src/client/watch-poll.ts'],
    bundle: true,
    format: 'iife',
    globalName: 'client',
    target: 'chrome103',
    write: false,
  });
  script = outputFiles[0]!.text;
});

async function watchOnPage(id: string, key: string, head: string): Promise<Page> {
  const page = await rig.site.visit(rig.browser, '', { head: `${head}<script>${script}</script>` });
  await page.evaluate(
    ([url, viewKey]) => {
      const told: unknown[] = [];
      Object.assign(globalThis, { told });
      (globalThis as unknown as { client: typeof import('../../src/client/watch-poll.ts') }).client.watchPoll(
        url!,
        {
          key: viewKey,
          onResults: ({ total_votes }) => told.push(total_votes),
          onState: state => told.push(state),
        },
      );
    },
    [`${rig.site.relayUrl}/api/poll/${id}`, key],
  );
  return page;
}

it.each([
  ['websocket', ''],
  ['sse', '<script>delete window.WebSocket</script>'],
])('opens hidden results over %s, and is pushed the next vote', async (via, head) => {
  const { id, view_key } = await rig.site.create({ results_visibility: 'hidden' });
  const page = await watchOnPage(id, view_key, head);
  await expect.poll(() => page.evaluate('told')).toEqual([0, { state: 'live', via }]);
  await rig.site.cast(id, 1);
  await expect.poll(() => page.evaluate('told')).toEqual([0, { state: 'live', via }, 1]);
});

it.each(['', '<script>delete window.WebSocket</script>'])(
  'gets the reason of a rejection (%s)',
  async head => {
    const { id } = await rig.site.create({ results_visibility: 'hidden' });
    const page = await watchOnPage(id, 'view_wrong', head);
    await expect
      .poll(() => page.evaluate('told'))
      .toEqual([expect.objectContaining({ state: 'refused', code: 4403, error: 'api_key_rejected' })]);
  },
);
