import type { FastifyInstance } from 'fastify';
import { bytesOfImage } from '../http/rate-limit.ts';
import { PollError } from '../poll/poll-error.ts';
import { encodeImage, readImage } from '../poll/stored-image.ts';
import { authorizeShow, readShow } from '../show/rewrite-show.ts';
import { imageReads, MAX_IMAGE_BYTES, SHOW_IMAGES, type ShowImageKind } from '../show/show-images.ts';
import { setImage } from '../show/shows.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { acceptImages, IMAGE_REPLIES, imageIn, sendImage } from './image-body.ts';
import { BODY_ERRORS, BYTES_TYPE, json, type Outline } from './outline.ts';
import { accessOf, PRIVATE, type ShowParams, wholeBody } from './show-routes.ts';

/** `PUT` and `DELETE /api/show/<name>/logo` and `/ground`, and the images themselves. */

export async function showImageRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const findImage = imageReads(options.engine);
  for (const kind of SHOW_IMAGES) await app.register(routesOf, { ...options, kind, findImage });
}

interface KindOptions extends WritingOptions {
  readonly kind: ShowImageKind;
  readonly findImage: ReturnType<typeof imageReads>;
}

async function routesOf(app: FastifyInstance, { kind, findImage, ...options }: KindOptions): Promise<void> {
  const { engine, creation } = options;
  const onRequest = limitCallers('changes', options);
  const path = `/api/show/:name/${kind}`;
  const { read, replace, remove, notFound } = outlines[kind];

  const route = { config: { outline: read } };
  app.get<{ Params: { name: string; file: string } }>(`${path}/:file`, route, async (request, reply) => {
    const { name, file } = request.params;
    const bytes = await findImage(kind, name, file);
    if (!bytes) throw new PollError(notFound);
    return sendImage(request, reply, { file, bytes });
  });

  app.delete<ShowParams>(path, { onRequest, config: { outline: remove } }, async (request, reply) => {
    const { name } = request.params;
    const show = await setImage(engine, name, kind, undefined, accessOf(request, options));
    reply.header('cache-control', PRIVATE);
    return wholeBody(engine, name, show);
  });

  await app.register(async images => {
    const bodyLimit = MAX_IMAGE_BYTES[kind];
    acceptImages(images, bodyLimit, kind === 'logo' ? 'A logo' : 'A ground');
    const route = { onRequest, bodyLimit, config: { outline: replace } };
    images.put<ShowParams>(path, route, async (request, reply) => {
      const { name } = request.params;
      const access = accessOf(request, options);
      const stored = await readShow(engine, name, access);
      authorizeShow(stored, access);
      const image = readImage(imageIn(request), kind);
      if (image.file !== stored[kind]) await creation.spend(request, bytesOfImage(encodeImage(image).data));
      reply.header('cache-control', PRIVATE);
      return wholeBody(engine, name, await setImage(engine, name, kind, image, access));
    });
  });
}

function outlinesOf(kind: ShowImageKind, notFound: 'logo_not_found' | 'ground_not_found', about: string) {
  const name = kind === 'logo' ? 'Logo' : 'Ground';
  const size = kind === 'logo' ? '200 KB' : '1 MB';
  const changed = { 200: json('The changed show.', 'WholeShow') };
  const read: Outline = {
    id: `read${name}`,
    summary: `The ${kind}`,
    description:
      'The URL contains the hash of the image. Caches keep it for 5 minutes, because it can be deleted.',
    path: [
      {
        name: 'file',
        description: `The last part of \`${kind}\`.`,
        pattern: '^[0-9a-f]{64}\\.(png|jpg|webp)$',
      },
    ],
    takes: ['If-None-Match'],
    replies: IMAGE_REPLIES,
    errors: [notFound],
  };
  const replace: Outline = {
    id: `replace${name}`,
    summary: `Replace the ${kind}`,
    description: `${about}The body is the image itself: a still PNG, JPEG or WebP, at most ${size} and 4,096 pixels wide and high. Its bytes decide, not its \`Content-Type\`. The old ${kind} is deleted. Counts against what the address can store per day, except with an operator’s key.`,
    body: { description: 'The image.', types: [BYTES_TYPE] },
    replies: changed,
  };
  const remove: Outline = {
    id: `delete${name}`,
    summary: `Delete the ${kind}`,
    description: 'Repeating the request changes nothing.',
    replies: changed,
    errors: BODY_ERRORS,
  };
  return { read, replace, remove, notFound };
}

const outlines = {
  logo: outlinesOf('logo', 'logo_not_found', ''),
  ground: outlinesOf(
    'ground',
    'ground_not_found',
    'The ground is behind the pictures of `scene=full`, veiled until texts are legible. ',
  ),
};
