import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import Fastify from 'fastify';
import { overlayPages } from '../../src/overlay/overlay-pages.ts';

/** Tests and npm scripts run at the top of the project; this file may be bundled elsewhere. */
const SOURCE = join(process.cwd(), 'src', 'overlay');

/** The overlay's files, bundled as the build bundles them, in a folder of their own. */
export async function bundleOverlay(): Promise<{ assets: URL; remove: () => void }> {
  const folder = mkdtempSync(join(tmpdir(), 'tallycast-overlay-'));
  const entries = readdirSync(join(SOURCE, 'browser')).filter(
    file => file.endsWith('.entry.ts') && file !== 'widget.entry.ts',
  );
  await Promise.all(
    entries.map(file =>
      build({
        entryPoints: [join(SOURCE, 'browser', file)],
        outfile: join(folder, 'browser', file.replace('.entry.ts', '.js')),
        bundle: true,
        minify: true,
        target: 'chrome103',
        format: 'esm',
        logLevel: 'warning',
      }),
    ),
  );
  cpSync(join(SOURCE, 'page'), join(folder, 'page'), { recursive: true });
  return {
    assets: pathToFileURL(`${folder}/`),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Serves the overlay's pages alone: enough for everything that needs no relay. */
export async function serveOverlay(): Promise<{ url: string; close: () => Promise<void> }> {
  const { assets, remove } = await bundleOverlay();
  const app = Fastify();
  await app.register(overlayPages, { assets, fonts: pathToFileURL(join(process.cwd(), 'dist', 'fonts/')) });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    close: async () => {
      await app.close();
      remove();
    },
  };
}
