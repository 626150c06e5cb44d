import type { FastifyInstance } from 'fastify';
import { AssetStore, builtFolder, sendAsset, toAsset } from './asset-store.ts';

/** What browsers and search engines ask every server for, whatever its pages say. */

const ICONS: Readonly<Record<string, string>> = {
  'icon.svg': 'image/svg+xml',
  'favicon.ico': 'image/x-icon',
  'apple-touch-icon.png': 'image/png',
};

/** @param hidden paths that are of no use to a search engine */
export function addSiteFiles(app: FastifyInstance, hidden: readonly string[]): void {
  const icons = new AssetStore(builtFolder('http/icon'));
  for (const [name, type] of Object.entries(ICONS))
    app.get(`/${name}`, async (request, reply) =>
      sendAsset(request, reply, await icons.readAsset(name), { type, keeping: 'revalidate' }),
    );
  const lines = hidden.length > 0 ? hidden.map(path => `Disallow: ${path}`) : ['Disallow:'];
  const robots = toAsset(['User-agent: *', ...lines, ''].join('\n'));
  app.get('/robots.txt', async (request, reply) =>
    sendAsset(request, reply, robots, { type: 'text/plain; charset=utf-8', keeping: 'revalidate' }),
  );
}
