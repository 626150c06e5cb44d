import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { GraphicsManifest } from 'ograf';
import { Asset, readAsset, sendAsset } from '../http/assets.ts';
import type { FairTurns } from '../http/fair-turns.ts';
import { FLAG, graphicFieldNames, graphicFields, numberOf } from '../picture/graphic-fields.ts';

export interface TemplateOptions {
  readonly folder: URL;
  readonly relayUrl: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly turns: FairTurns;
}

const FOLDER = '/overlay/templates';
/** OGraf's number of steps where the poll decides it. */
const UNKNOWN_STEPS = -1;
/** More than any poll has. */
const MOST_STEPS = 101;
/** Uncompressed and with a fixed time, so that equal files give equal bytes. */
const ARCHIVE = { level: 0, mtime: new Date(1980, 0, 1) } as const;

/**
 * Serves the overlay as templates for playout servers: an OGraf package, and one HTML file each for
 * SPX and CasparCG.
 */
export async function playoutTemplates(
  app: FastifyInstance,
  { folder, relayUrl, headers, turns }: TemplateOptions,
) {
  const urlOf = (request: FastifyRequest) =>
    `${relayUrl ?? `${request.protocol}://${request.host}`}/overlay/rehearsal`;
  const manifest = (request: FastifyRequest) =>
    Buffer.from(JSON.stringify(ografManifest(urlOf(request)), null, 2));
  const readText = (path: string) => readAsset(new URL(path, folder)).bytes.toString();
  const graphic = () => readAsset(new URL('browser/ograf.js', folder));
  const send = (request: FastifyRequest, reply: FastifyReply, asset: Asset, name: string) =>
    sendAsset(request, reply.headers(headers), asset, name);

  app.get(`${FOLDER}/ograf/tallycast.ograf.json`, async (request, reply) =>
    send(request, reply, new Asset(manifest(request)), 'tallycast.ograf.json'),
  );
  app.get(`${FOLDER}/ograf/graphic.mjs`, async (request, reply) =>
    send(request, reply, graphic(), 'graphic.mjs'),
  );
  app.get(`${FOLDER}/tallycast-ograf.zip`, async (request, reply) => {
    const files = { 'tallycast.ograf.json': manifest(request), 'graphic.mjs': graphic().bytes };
    const { zipSync } = await import('fflate');
    await turns.take(request);
    const zip = zipSync({ tallycast: files }, ARCHIVE);
    return send(request, reply, new Asset(Buffer.from(zip)), 'tallycast-ograf.zip');
  });
  const addPage = (file: string, headOf: (url: string) => string) =>
    app.get(`${FOLDER}/${file}`, async (request, reply) => {
      await turns.take(request);
      const script = readText('browser/playout.js').replaceAll('</script', '<\\/script');
      const page = readText('page/playout.html')
        .replace('<!-- definition -->', () => headOf(urlOf(request)))
        .replace('/* script */', () => script);
      reply.header('content-disposition', `attachment; filename="${file}"`);
      return send(request, reply, new Asset(page), file);
    });
  addPage('tallycast-casparcg.html', () => '');
  addPage('tallycast-spx.html', url => {
    // Escaped, because JSON may contain the end of a script element.
    const definition = JSON.stringify(spxDefinition(url), null, 2).replaceAll('<', '\\u003c');
    return `<script>window.SPXGCTemplateDefinition = ${definition};</script>`;
  });
}

/** Returns the manifest of the OGraf package (v1). @param url the overlay that is drawn by default */
function ografManifest(url: string): GraphicsManifest {
  const fields = graphicFieldNames.map(name => {
    const { title, about: description } = graphicFields[name];
    if (name === FLAG) return [name, { type: 'boolean', title, description, default: false }];
    const value = name === 'url' ? url : '';
    return [name, { type: 'string', gddType: 'single-line', title, description, default: value }];
  });
  return {
    $schema: 'https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json',
    id: 'tallycast-poll-results',
    version: '2',
    name: 'Tallycast poll results',
    description:
      'Live results of a poll or a show. Play shows the overlay, each next step reveals one place, the last one all results.',
    main: 'graphic.mjs',
    supportsRealTime: true,
    supportsNonRealTime: false,
    stepCount: UNKNOWN_STEPS,
    schema: { type: 'object', properties: Object.fromEntries(fields) },
    customActions: [
      {
        id: 'reveal',
        name: 'Reveal',
        description: 'Reveals all results, from the last place to the first.',
        schema: null,
      },
      {
        id: 'cover',
        name: 'Hold back',
        description: 'Returns to the first step, which shows no results that are held back.',
        schema: null,
      },
    ],
  };
}

function spxDefinition(url: string): object {
  const fields = graphicFieldNames.flatMap(name => {
    const { title, about } = graphicFields[name];
    const control = name === FLAG ? { ftype: 'checkbox', value: '0' } : { ftype: 'textfield', value: '' };
    return [
      { ftype: 'instruction', value: about },
      { field: numberOf(name), title, ...control, ...(name === 'url' && { value: url }) },
    ];
  });
  return {
    description: 'Tallycast poll results',
    playserver: 'OVERLAY',
    playchannel: '1',
    playlayer: '10',
    webplayout: '10',
    steps: `${MOST_STEPS}`,
    out: 'manual',
    uicolor: '4',
    dataformat: 'json',
    DataFields: fields,
  };
}
