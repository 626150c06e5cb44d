import type { FastifyInstance, FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify';
import { callerAddress } from '../http/caller.ts';
import { bytesOfImage, EVENT_BYTES } from '../http/rate-limit.ts';
import { planImage } from '../poll/correct-poll.ts';
import { createEdition } from '../poll/create-poll.ts';
import { MAX_ANSWER_IMAGE_BYTES, MAX_PHOTO_BYTES } from '../poll/image-size.ts';
import type { EncodedImage } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import { encodeImage, readAnswerImage } from '../poll/stored-image.ts';
import { limitCallers, type WritingOptions } from './creation.ts';
import { acceptImages, IMAGE_REPLIES, imageIn, sendImage } from './image-body.ts';
import { ignoreBody } from './json-body.ts';
import { BYTES_TYPE, json, type Outline } from './outline.ts';
import { readerOf } from './poll-picture.ts';
import { requirePoll } from './poll-request.ts';
import { changedBody, readManaged } from './poll-routes.ts';
import { rejectExpired } from './request-rules.ts';

/** `PUT` and `DELETE /api/poll/<id>/answer/<answer id>/image`, and the image itself. */

interface AnswerParams {
  readonly Params: { readonly id: string; readonly answer: string };
}

const PATH = '/api/poll/:id/answer/:answer/image';
/** Photos that are scaled at once, of one address and of all: 60 MB. */
const MAX_PHOTOS = { ofOne: 2, ofAll: 6 };
const TOO_MANY_PHOTOS = 'Too many images of more than 200 KB at once. Send them one after the other.';

export async function answerImageRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation, readPoll, findAnswerImage, stills } = options;
  const onRequest = limitCallers('changes', options);

  const route = { config: { outline: READ_IMAGE } };
  app.get<{ Params: { id: string; file: string } }>(
    '/api/poll/:id/image/:file',
    route,
    async (request, reply) => {
      const { id, file } = request.params;
      const bytes = await findAnswerImage(id, file);
      if (!bytes) throw new PollError('image_not_found');
      return sendImage(request, reply, { file, bytes });
    },
  );

  await app.register(async bodiless => {
    ignoreBody(bodiless);
    const route = { onRequest, config: { outline: DELETE_IMAGE } };
    bodiless.delete<AnswerParams>(PATH, route, (request, reply) => setImage(request, reply));
  });

  await app.register(async images => {
    acceptImages(images, MAX_PHOTO_BYTES, 'An image of an answer');
    images.addHook('onRequest', onRequest);
    // Without a key, no body is read.
    images.addHook<AnswerParams>('onRequest', async (request, reply) => {
      await readManaged(request, reply, options);
    });
    images.addHook('onRequest', limitPhotos());
    const route = { bodyLimit: MAX_PHOTO_BYTES, config: { outline: REPLACE_IMAGE } };
    images.put<AnswerParams>(PATH, route, async (request, reply) => {
      const scale = (photo: Buffer) => stills.scale(photo, readerOf(request));
      return setImage(request, reply, encodeImage(await readAnswerImage(imageIn(request), scale)));
    });
  });

  async function setImage(request: FastifyRequest<AnswerParams>, reply: FastifyReply, image?: EncodedImage) {
    const { id, answer } = request.params;
    let isPaid = false;
    // Planned again if another change, or the first ballot, was faster.
    for (;;) {
      const reading = await readManaged(request, reply, options);
      if (!reading.poll.answers.some(one => one.id === answer)) throw new PollError('answer_not_found');
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
    if (held.length >= MAX_PHOTOS.ofAll || ofOne >= MAX_PHOTOS.ofOne)
      return done(new PollError('rate_limited', { message: TOO_MANY_PHOTOS, retryAfterSeconds: 1 }));
    held.push(address);
    reply.raw.once('close', () => held.splice(held.indexOf(address), 1));
    done();
  };
}

const READ_IMAGE: Outline = {
  id: 'readAnswerImage',
  summary: 'The image of an answer',
  description:
    'The URL contains the hash of the image. Caches keep it for 5 minutes, because it can be deleted. Needs no key, also while the results are hidden.',
  path: [
    { name: 'file', description: 'The last part of `image`.', pattern: '^[0-9a-f]{64}\\.(png|jpg|webp)$' },
  ],
  takes: ['If-None-Match'],
  replies: IMAGE_REPLIES,
  errors: ['image_not_found'],
};

const ANSWER = [
  { name: 'answer', description: 'An answer of the poll, by its `id`.', pattern: '^[\\w-]{1,64}$' },
];

const REPLACE_IMAGE: Outline = {
  id: 'replaceAnswerImage',
  summary: 'Give an answer an image',
  description:
    'The body is the image itself: a still PNG, JPEG or WebP of at most 10 MB and 25 megapixels. Its bytes decide, not its `Content-Type`. One of more than 200 KB, or more than 1,024 pixels wide or high, is stored smaller, as WebP; without `@napi-rs/canvas` the reply is then 503 `picture_unavailable`. Possible at any time, and no public correction. The old image is deleted. Counts against what the address can store per day, except with an operator’s key.',
  path: ANSWER,
  body: { description: 'The image.', types: [BYTES_TYPE] },
  replies: { 200: json('The changed poll.', 'Results', { headers: 'matched' }) },
  errors: ['answer_not_found', 'picture_unavailable'],
};

const DELETE_IMAGE: Outline = {
  id: 'deleteAnswerImage',
  summary: 'Delete the image of an answer',
  description: 'Repeating the request changes nothing.',
  path: ANSWER,
  replies: { 200: json('The changed poll.', 'Results', { headers: 'matched' }) },
  errors: ['answer_not_found'],
};
