import type { FastifyInstance } from 'fastify';
import { bytesOfImage } from '../http/rate-limit.ts';
import { PollError } from '../poll/poll-error.ts';
import { encodeImage, imageHeaders, readImage } from '../poll/stored-image.ts';
import { logoReads, MAX_LOGO_BYTES } from '../show/logo.ts';
import { authorizeShow, readShow } from '../show/rewrite-show.ts';
import { setLogo } from '../show/shows.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { acceptImages, imageIn } from './image-body.ts';
import { BODY_ERRORS, BYTES_TYPE, json, type Outline } from './outline.ts';
import { accessOf, PRIVATE, type ShowParams, wholeBody } from './show-routes.ts';

/** `PUT` and `DELETE /api/show/<name>/logo`, and the image itself. */

const PATH = '/api/show/:name/logo';

export async function logoRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  const onRequest = limitCallers('changes', options);
  const findLogo = logoReads(engine);

  app.get<{ Params: { name: string; file: string } }>(
    `${PATH}/:file`,
    { config: { outline: READ_LOGO } },
    async (request, reply) => {
      const { name, file } = request.params;
      const bytes = await findLogo(name, file);
      if (!bytes) throw new PollError('logo_not_found');
      return reply.headers(imageHeaders(file)).send(bytes);
    },
  );

  app.delete<ShowParams>(PATH, { onRequest, config: { outline: DELETE_LOGO } }, async (request, reply) => {
    const show = await setLogo(engine, request.params.name, undefined, accessOf(request, options));
    reply.header('cache-control', PRIVATE);
    return wholeBody(show);
  });

  await app.register(async images => {
    acceptImages(images, MAX_LOGO_BYTES, 'A logo');
    images.put<ShowParams>(
      PATH,
      { onRequest, bodyLimit: MAX_LOGO_BYTES, config: { outline: REPLACE_LOGO } },
      async (request, reply) => {
        const { name } = request.params;
        const access = accessOf(request, options);
        const stored = await readShow(engine, name, access);
        authorizeShow(stored, access);
        const logo = readImage(imageIn(request), 'logo');
        if (logo.file !== stored.logo) await creation.spend(request, bytesOfImage(encodeImage(logo).data));
        reply.header('cache-control', PRIVATE);
        return wholeBody(await setLogo(engine, name, logo, access));
      },
    );
  });
}

const READ_LOGO: Outline = {
  id: 'readLogo',
  summary: 'The logo',
  description: 'The URL contains the hash of the image, so caches may keep it forever.',
  path: [
    { name: 'file', description: 'The last part of `logo`.', pattern: '^[0-9a-f]{64}\\.(png|jpg|webp)$' },
  ],
  replies: {
    200: {
      description: 'The image.',
      types: ['image/png', 'image/jpeg', 'image/webp', BYTES_TYPE],
    },
  },
  errors: ['logo_not_found'],
};

const REPLACE_LOGO: Outline = {
  id: 'replaceLogo',
  summary: 'Replace the logo',
  description:
    'The body is the image itself: a still PNG, JPEG or WebP, at most 200 KB and 4,096 pixels wide and high. Its bytes decide, not its `Content-Type`. The old logo is deleted. Counts against what the address can store per day, except with an operator’s key.',
  key: 'required',
  body: { description: 'The image.', types: [BYTES_TYPE] },
  replies: { 200: json('The changed show.', 'WholeShow') },
};

const DELETE_LOGO: Outline = {
  id: 'deleteLogo',
  summary: 'Delete the logo',
  description: 'Repeating the request changes nothing.',
  key: 'required',
  replies: { 200: json('The changed show.', 'WholeShow') },
  errors: BODY_ERRORS,
};
