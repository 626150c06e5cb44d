import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import * as z from 'zod';
import { Asset } from '../http/assets.ts';
import { isNotModified } from '../http/entity-tag.ts';
import { PollError, parseOrThrow } from '../poll/poll-error.ts';
import { REHEARSAL_ID } from '../poll/rehearsal.ts';
import { findShow } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import { BYTES_TYPE, cached, json, type Outline } from './outline.ts';
import { requirePoll, wholeNumber } from './poll-request.ts';

const SIZE_PX = { least: 128, most: 2_048, usual: 1_024 } as const;
const SIZE = `must be a whole number of pixels from ${SIZE_PX.least} to ${SIZE_PX.most}`;

const codeQuery = z.object({
  size: wholeNumber(
    SIZE_PX.least,
    SIZE_PX.most,
    SIZE,
    `Width and height in pixels, ${SIZE_PX.usual} by default. An SVG prints at any size.`,
  ).optional(),
});

/** Each route has one of the two. */
type Params = Readonly<Record<'id' | 'name', string>>;

const FORMATS = {
  svg: { type: 'image/svg+xml; charset=utf-8', draw: 'qrSvg' },
  png: { type: 'image/png', draw: 'qrPng' },
  json: { type: 'application/json; charset=utf-8', draw: 'qrJson' },
} as const;

/** A code changes only with the URL of the voting front end. */
const CACHING = 'public, max-age=300';

/** `GET /api/poll/<id>/qr.svg`, `/api/show/<name>/qr.svg`, and the same as `.png` and `.json`. */
export async function voteCodes(
  app: FastifyInstance,
  { engine, readRecentPoll, voteUrl, turns }: ApiOptions,
): Promise<void> {
  const paths: Readonly<Record<'poll/:id' | 'show/:name', (params: Params) => Promise<string>>> = {
    'poll/:id': async ({ id }) => {
      const reading = await requirePoll(readRecentPoll, id);
      // A page that explains rehearsals.
      return `/${reading.poll.rehearsal ? REHEARSAL_ID : id}`;
    },
    'show/:name': async ({ name }) => {
      if (!(await findShow(engine, name))) throw new PollError('show_not_found');
      return `/show/${name}`;
    },
  };
  for (const [path, findPath] of Object.entries(paths))
    for (const [format, { type, draw }] of Object.entries(FORMATS)) {
      const config = { outline: qrCode(path === 'poll/:id' ? 'Poll' : 'Show', format) };
      app.get<{ Params: Params }>(`/api/${path}/qr.${format}`, { config }, async (request, reply) => {
        const { size = SIZE_PX.usual } = parseOrThrow(codeQuery, request.query);
        const address = `${voteUrl}${await findPath(request.params)}`;
        // Rarely needed, so not loaded at start.
        const drawings = await import('../http/qr-code.ts');
        await turns.take(request);
        const image = await drawings[draw](drawings.qrCode(address), size);
        return send(request, reply, type, image);
      });
    }
}

function send(request: FastifyRequest, reply: FastifyReply, type: string, image: Buffer | string) {
  const { bytes, hash } = new Asset(image);
  const etag = `"${hash}"`;
  reply.headers({
    'cache-control': CACHING,
    etag,
    vary: 'accept',
    'cross-origin-resource-policy': 'cross-origin',
  });
  if (isNotModified(request, etag)) return reply.code(304).send();
  return reply
    .header('content-type', type.startsWith('image/') ? acceptedType(request, type) : type)
    .send(bytes);
}

export function acceptedType(request: FastifyRequest, type: string): string {
  return new Negotiator(request).mediaType([type, BYTES_TYPE]) ?? type;
}

function qrCode(of: 'Poll' | 'Show', format: string): Outline {
  const type = format === 'svg' ? 'image/svg+xml' : 'image/png';
  const isDrawing = format !== 'json';
  return {
    id: `drawCodeOf${of}As${format.toUpperCase()}`,
    summary: `QR code of the ${of === 'Poll' ? 'voting page' : 'audience page'}, as ${format.toUpperCase()}`,
    description: isDrawing
      ? 'Dark on light, with a margin that scanners need.'
      : 'The modules of the code, for programs that draw it.',
    ...(isDrawing && { query: codeQuery }),
    takes: ['If-None-Match'],
    replies: cached(
      isDrawing ? { description: 'The code.', types: [type, BYTES_TYPE] } : json('The code.', 'VoteCode'),
    ),
  };
}
