import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { callerAddress, emitsClose } from '../http/caller.ts';
import { bytesOfImage, EVENT_BYTES } from '../http/rate-limit.ts';
import { planImage } from '../poll/correct-poll.ts';
import { createEdition } from '../poll/create-poll.ts';
import { MAX_ANSWER_IMAGE_BYTES, MAX_PHOTO_BYTES } from '../poll/image-size.ts';
import type { EncodedImage } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { encodeImage, readPollImage } from '../poll/stored-image.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { acceptImages, IMAGE_REPLIES, imageIn, sendImage } from './image-body.ts';
import { ignoreBody } from './json-body.ts';
import { BYTES_TYPE, json, type Outline } from './outline.ts';
import { readerOf } from './poll-picture.ts';
import { requirePoll } from './poll-request.ts';
import { changedBody, readManaged } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';

/** `PUT` and `DELETE` of the image of a question or an answer, and the image itself. */

interface ImageParams {
  /** Without an answer, the image is that of the question. */
  readonly Params: { readonly id: string; readonly answer?: string };
}

/** Photos that are scaled at once, of one address and of all: 60 MB. */
const MAX_PHOTOS = { ofOne: 2, ofAll: 6 };
const TOO_MANY_PHOTOS = 'Too many images of more than 200 KB at once. Send them one after the other.';

export async function imageRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation, readPoll, findPollImage, stills } = options;
  const onRequest = limitCallers('changes', options);

  const route = { config: { outline: READ_IMAGE } };
  app.get<{ Params: { id: string; file: string } }>(
    '/api/poll/:id/image/:file',
    route,
    async (request, reply) => {
      const { id, file } = request.params;
      const bytes = await findPollImage(id, file);
      if (!bytes) throw new PollError('image_not_found');
      return sendImage(request, reply, { file, bytes });
    },
  );

  await app.register(async bodiless => {
    ignoreBody(bodiless);
    for (const { path, remove } of OWNERS) {
      const route = { onRequest, config: { outline: remove } };
      bodiless.delete<ImageParams>(path, route, (request, reply) => setImage(request, reply));
    }
  });

  await app.register(async images => {
    acceptImages(images, MAX_PHOTO_BYTES, 'An image of a poll');
    images.addHook('onRequest', onRequest);
    // Without a key, no body is read.
    images.addHook<ImageParams>('onRequest', async (request, reply) => {
      await readManaged(request, reply, options);
    });
    images.addHook('onRequest', limitPhotos());
    for (const { path, replace } of OWNERS) {
      const route = { bodyLimit: MAX_PHOTO_BYTES, config: { outline: replace } };
      images.put<ImageParams>(path, route, async (request, reply) => {
        const scale = (photo: Buffer) => stills.scale(photo, readerOf(request));
        return setImage(request, reply, encodeImage(await readPollImage(imageIn(request), scale)));
      });
    }
  });

  async function setImage(request: FastifyRequest<ImageParams>, reply: FastifyReply, image?: EncodedImage) {
    const { id, answer } = request.params;
    let isPaid = false;
    // Planned again if another change, or the first ballot, was faster.
    for (;;) {
      const reading = await readManaged(request, reply, options);
      if (answer !== undefined && !reading.poll.answers.some(({ id }) => id === answer))
        throw new PollError('answer_not_found');
      const correction = planImage(reading, answer, image, createEdition());
      if (!correction) break;
      if (!isPaid) await creation.spend(request, EVENT_BYTES + (image ? bytesOfImage(image.data) : 0));
      isPaid = true;
      rejectExpired(request);
      if (await engine.polls.change(id, { correction, expected: reading.results })) break;
    }
    return changedBody(reply, await requirePoll(readPoll, id));
  }
}

/** Bounds the memory of photos at one time. Images that need no scaling are always read. */
function limitPhotos(): onRequestHookHandler {
  const held: string[] = [];
  return (request, reply, done) => {
    const { 'content-length': length = Infinity } = request.headers;
    if (Number(length) <= MAX_ANSWER_IMAGE_BYTES) return done();
    const address = callerAddress(request);
    const ofOne = held.filter(holder => holder === address).length;
    if (!emitsClose(reply) || held.length >= MAX_PHOTOS.ofAll || ofOne >= MAX_PHOTOS.ofOne)
      return done(new PollError('rate_limited', { message: TOO_MANY_PHOTOS, retryAfterSeconds: 1 }));
    held.push(address);
    reply.raw.once('close', () => held.splice(held.indexOf(address), 1));
    done();
  };
}

const READ_IMAGE: Outline = {
  id: 'readAnswerImage',
  summary: 'The image of a question or an answer',
  description:
    'The URL contains the hash of the image. Caches keep it for 5 minutes, because it can be deleted. Needs no key, also while the results are hidden.',
  path: [
    { name: 'file', description: 'The last part of `image`.', pattern: '^[0-9a-f]{64}\\.(png|jpg|webp)$' },
  ],
  takes: ['If-None-Match'],
  replies: IMAGE_REPLIES,
  errors: ['image_not_found'],
};

function outlinesOf(owner: 'Question' | 'Answer', more: Pick<Outline, 'path' | 'errors'>) {
  const words = owner === 'Question' ? 'the question' : 'an answer';
  const replies = { 200: json('The changed poll.', 'Results', { headers: 'matched' }) };
  const replace: Outline = {
    ...more,
    id: `replace${owner}Image`,
    summary: `Give ${words} an image`,
    description:
      'The body is the image itself: a still PNG, JPEG or WebP of at most 10 MB and 25 megapixels. Its bytes decide, not its `Content-Type`. One of more than 200 KB, or more than 1,024 pixels wide or high, is stored smaller, as WebP; without `@napi-rs/canvas` the reply is then 503 `picture_unavailable`. Possible at any time, and no public correction. The old image is deleted. Counts against what the address can store per day, except with an operator’s key.',
    body: { description: 'The image.', types: [BYTES_TYPE] },
    replies,
    errors: [...(more.errors ?? []), 'picture_unavailable'],
  };
  const remove: Outline = {
    ...more,
    id: `delete${owner}Image`,
    summary: `Delete the image of ${words}`,
    description: 'Repeating the request changes nothing.',
    replies,
  };
  return { replace, remove };
}

const OWNERS = [
  { path: '/api/poll/:id/image', ...outlinesOf('Question', {}) },
  {
    path: '/api/poll/:id/answer/:answer/image',
    ...outlinesOf('Answer', {
      path: [
        { name: 'answer', description: 'An answer of the poll, by its `id`.', pattern: '^[\\w-]{1,64}$' },
      ],
      errors: ['answer_not_found'],
    }),
  },
];
