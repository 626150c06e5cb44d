import { readdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { AssetStore, builtFolder, sendAsset } from './asset-store.ts';

const FOR_EVERY_ORIGIN = {
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
};

/**
 * Serves Inter at `/fonts/`, and `/fonts/inter.css` that names its faces, to pages of every origin: a playout server or a
 * page with the widget draws with the font of the relay that it follows. Browsers load the faces alone whose letters they meet.
 *
 * @throws Error where the build left them out
 */
export function serveFonts(app: FastifyInstance, folder = builtFolder('fonts')): void {
  const names = new Set(readdirSync(folder));
  const files = new AssetStore(folder);
  app.get<{ Params: { file: string } }>('/fonts/:file', async (request, reply) => {
    const { file } = request.params;
    if (!names.has(file)) throw new PollError('route_not_found');
    const asset = await files.readAsset(file);
    reply.headers(FOR_EVERY_ORIGIN);
    if (file.endsWith('.woff2'))
      return sendAsset(request, reply, asset, { type: 'font/woff2', keeping: 'immutable' });
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/plain; charset=utf-8';
    return sendAsset(request, reply, asset, { type, keeping: 'revalidate' });
  });
}
