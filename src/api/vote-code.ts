import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import * as z from 'zod';
import { toAsset } from '../http/assets.ts';
import { invalidRequest } from '../poll/invalid-request.ts';
import { PollError } from '../poll/poll-error.ts';
import { isReadablePollId, REHEARSAL_ID } from '../poll/rehearsal.ts';
import { findShow } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';

const SIZE_PX = { least: 128, most: 2_048, usual: 1_024 } as const;
const SIZE = `must be a whole number of pixels from ${SIZE_PX.least} to ${SIZE_PX.most}`;

export const codeQuery = z.object({
  size: z
    .string(SIZE)
    .regex(/^[1-9]\d{0,3}$/, SIZE)
    .transform(Number)
    .pipe(z.int().min(SIZE_PX.least, SIZE).max(SIZE_PX.most, SIZE))
    .optional()
    .meta({
      type: 'integer',
      minimum: SIZE_PX.least,
      maximum: SIZE_PX.most,
      description: `Width and height in pixels; else ${SIZE_PX.usual}. An SVG can be printed at any size.`,
    }),
});

/** For clients that know no type of a picture: OpenAPI generators write it into `Accept`. */
const BYTES_TYPE = 'application/octet-stream';

/** Each address has one of the two. */
type Params = Readonly<Record<'id' | 'name', string>>;

const FORMATS = {
  svg: { type: 'image/svg+xml; charset=utf-8', draw: 'qrSvg' },
  png: { type: 'image/png', draw: 'qrPng' },
} as const;

/** It changes with the address of the voting front end alone; a poll that was deleted has its code for so long. */
const KEPT = 'public, max-age=300';

/** `GET /api/poll/<id>/qr.svg`, `/api/show/<name>/qr.svg`, and the same as `.png`: contract, section 11. */
export function voteCodes(app: FastifyInstance, { engine, readRecentPoll, voteUrl }: ApiOptions): void {
  const paths: Readonly<Record<string, (params: Params) => Promise<string>>> = {
    '/api/poll/:id': async ({ id }) => {
      const reading = isReadablePollId(id) ? await readRecentPoll(id) : undefined;
      if (!reading) throw new PollError('poll_not_found');
      // Nobody votes there, and its page says so.
      return `/${reading.poll.rehearsal ? REHEARSAL_ID : id}`;
    },
    '/api/show/:name': async ({ name }) => {
      if (!(await findShow(engine, name))) throw new PollError('show_not_found');
      return `/show/${name}`;
    },
  };
  for (const [path, findPath] of Object.entries(paths))
    for (const [format, { type, draw }] of Object.entries(FORMATS))
      app.get<{ Params: Params }>(`${path}/qr.${format}`, async (request, reply) => {
        const { data, error } = codeQuery.safeParse(request.query);
        if (!data) throw invalidRequest(error);
        const address = `${voteUrl}${await findPath(request.params)}`;
        // Not at each start, for a code that few ask for.
        const drawings = await import('../http/qr-code.ts');
        const image = drawings[draw](drawings.qrCode(address), data.size ?? SIZE_PX.usual);
        return send(request, reply, type, image);
      });
}

function send(request: FastifyRequest, reply: FastifyReply, type: string, image: Buffer | string) {
  const { bytes, hash } = toAsset(image);
  const etag = `"${hash}"`;
  reply.headers({
    ...{ 'cache-control': KEPT, etag, vary: 'accept' },
    'cross-origin-resource-policy': 'cross-origin',
  });
  const held = request.headers['if-none-match']?.split(',').map(tag => tag.trim().replace(/^W\//, ''));
  if (held?.some(tag => tag === etag || tag === '*')) return reply.code(304).send();
  const accepted = new Negotiator(request).mediaType([type, BYTES_TYPE]) ?? type;
  return reply.header('content-type', accepted).send(bytes);
}
