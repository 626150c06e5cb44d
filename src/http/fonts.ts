import { readdirSync, readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { PollError } from '../poll/poll-error.ts';
import { builtFolder, sendAsset, toAsset } from './asset-store.ts';

/** The style sheet that names every face of Inter. */
export const FONT_SHEET = '/fonts/inter.css';

/**
 * Serves Inter at `/fonts/`, to pages of every origin: a playout server or a page with the widget draws with the font of
 * the relay that it follows. Browsers load the faces alone whose letters they meet.
 *
 * @throws Error where the build left them out
 */
export function serveFonts(app: FastifyInstance, folder = builtFolder('fonts')): void {
  const files = new Map(
    readdirSync(folder).map(name => [name, toAsset(readFileSync(new URL(name, folder)))] as const),
  );
  app.get<{ Params: { file: string } }>('/fonts/:file', async (request, reply) => {
    const { file } = request.params;
    const asset = files.get(file);
    if (!asset) throw new PollError('route_not_found');
    reply.headers({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
    });
    if (file.endsWith('.woff2'))
      return sendAsset(request, reply, asset, { type: 'font/woff2', keeping: 'immutable' });
    const type = file.endsWith('.css') ? 'text/css; charset=utf-8' : 'text/plain; charset=utf-8';
    return sendAsset(request, reply, asset, { type, keeping: 'revalidate' });
  });
}
