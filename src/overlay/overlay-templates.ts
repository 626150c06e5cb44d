import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Asset, readAsset, sendAsset, toAsset } from '../http/assets.ts';
import { ografManifest, spxDefinition } from './template-manifests.ts';

export interface TemplateOptions {
  /** Where the built files are. */
  readonly folder: URL;
  readonly publicUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

const FOLDER = '/overlay/templates';
/** Not compressed, and of the first day that an archive knows: the same files give the same bytes. */
const ARCHIVE = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/**
 * The overlay as templates for playout servers, each drawn by the code that the overlay's page draws with:
 * an OGraf package, and one self-contained HTML file each for SPX and CasparCG.
 */
export async function overlayTemplates(
  app: FastifyInstance,
  { folder, publicUrl, headers }: TemplateOptions,
) {
  const urlOf = (request: FastifyRequest) =>
    `${publicUrl ?? `${request.protocol}://${request.host}`}/overlay/rehearsal`;
  const manifest = (request: FastifyRequest) =>
    Buffer.from(JSON.stringify(ografManifest(urlOf(request)), null, 2));
  const readText = async (path: string) => readAsset(new URL(path, folder)).bytes.toString();
  const graphic = () => readAsset(new URL('browser/ograf.js', folder));
  const send = (request: FastifyRequest, reply: FastifyReply, asset: Asset, name: string) =>
    sendAsset(request, reply.headers(headers), asset, name);

  app.get(`${FOLDER}/ograf/tallycast.ograf.json`, async (request, reply) =>
    send(request, reply, toAsset(manifest(request)), 'tallycast.ograf.json'),
  );
  app.get(`${FOLDER}/ograf/graphic.mjs`, async (request, reply) =>
    send(request, reply, await graphic(), 'graphic.mjs'),
  );
  app.get(`${FOLDER}/tallycast-ograf.zip`, async (request, reply) => {
    const files = { 'tallycast.ograf.json': manifest(request), 'graphic.mjs': (await graphic()).bytes };
    const { zipSync } = await import('fflate');
    const zip = zipSync({ tallycast: files }, ARCHIVE);
    return send(request, reply, toAsset(Buffer.from(zip)), 'tallycast-ograf.zip');
  });
  for (const [file, head] of [
    [
      'tallycast-spx.html',
      (url: string) => `<script>window.SPXGCTemplateDefinition = ${inScript(spxDefinition(url))};</script>`,
    ],
    ['tallycast-casparcg.html', () => ''],
  ] as const) {
    app.get(`${FOLDER}/${file}`, async (request, reply) => {
      const page = await readText('page/playout.html');
      const script = (await readText('browser/playout.js')).replaceAll('</script', '<\\/script');
      const html = page
        .replace('<!-- definition -->', () => head(urlOf(request)))
        .replace('/* script */', () => script);
      reply.header('content-disposition', `attachment; filename="${file}"`);
      return send(request, reply, toAsset(html), file);
    });
  }
}

/** JSON that cannot end the script it stands in. */
function inScript(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll('<', '\\u003c');
}
