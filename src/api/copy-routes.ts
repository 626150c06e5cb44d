import type { FastifyInstance, FastifyRequest } from 'fastify';
import type * as z from 'zod';
import { bytesOfImage, bytesOfPoll, SHOW_BYTES } from '../http/rate-limit.ts';
import { type CopiedImages, copyPoll, imagesOfCopy, type PollCopy } from '../poll/copy-poll.ts';
import type { PollOrigin, PollSeed, PollWithKeys } from '../poll/create-poll.ts';
import { type EncodedImage, imageFiles, type NewPoll, type PollId, type Reading } from '../poll/poll.ts';
import { parseOrThrow } from '../poll/poll-error.ts';
import { createKey, hashKey } from '../poll/poll-key.ts';
import { copyPollBody, givenMembersOfCopy } from '../poll/poll-schema.ts';
import { encodeImage } from '../poll/stored-image.ts';
import { drawJoinCode, drawSeed, ownerShow } from '../show/join-codes.ts';
import { authorizeShow, opensShow, readShow } from '../show/rewrite-show.ts';
import { ownsPoll, parseShow, type StoredShow, showTopic } from '../show/show.ts';
import { findImages } from '../show/show-images.ts';
import { createShowBody } from '../show/show-schema.ts';
import { addPoll, createShowId, createShowOfPolls, requireFreeName } from '../show/shows.ts';
import type { ApiOptions } from './api-options.ts';
import type { WritingOptions } from './creation.ts';
import { acceptOptionalJson } from './json-body.ts';
import { created, type Outline } from './outline.ts';
import type { PollParams } from './poll-request.ts';
import { createdReply, draftOf, drawPoll, POLL_LINKS, pollOf, readManaged } from './poll-routes.ts';
import {
  accessOf,
  createdShowReply,
  type NewShow,
  SHOW_LINKS,
  type ShowParams,
  sealViewKey,
} from './show-routes.ts';

/** `POST /api/poll/<id>/copy` and `POST /api/show/<name>/copy`. */

/** A copy before it is stored. It is kept for retries, as the original may change. */
interface DrawnPoll extends CopiedImages {
  readonly of: PollId;
  readonly poll: PollCopy;
  readonly seed: PollSeed;
}

interface DrawnShow
  extends NewShow,
    Pick<StoredShow, 'look' | 'looks' | 'finalTwo' | 'closeBeforeNext' | 'winner' | 'delay'> {
  readonly id: string;
  readonly polls: readonly DrawnPoll[];
  readonly leftOut: readonly PollId[];
}

export async function copyRoutes(app: FastifyInstance, options: WritingOptions): Promise<void> {
  await app.register(pollRoute, options);
  await app.register(showRoute, options);
}

async function pollRoute(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;
  acceptOptionalJson(app);

  const route = { onRequest: creation.limit, config: { outline: COPY_POLL } };
  app.post<PollParams>('/api/poll/:id/copy', route, async (request, reply) => {
    const original = await readManaged(request, reply, options);
    const { id } = original.poll;
    parseOrThrow(copyPollBody, request.body);
    const given = givenMembersOfCopy(request.body as z.input<typeof copyPollBody>);
    const show = await findOpenedShow(request, original, options);
    const isKept = show?.isKept ?? false;
    const origin: PollOrigin = {
      show: show && { name: show.name, id: show.id },
      emptyRetentionMs: isKept ? undefined : creation.emptyRetentionMs(request),
    };
    // In its show, the show's key is enough, as for any new poll of it.
    const caller = show ? `show ${show.id}` : creation.authorize(request);
    const drawn = await creation.onceFor(`copy ${id} ${caller}`, request, {
      async draw(): Promise<DrawnPoll> {
        const poll = copyPoll(original, given);
        return { of: id, poll, ...imagesOfCopy(original, given), seed: await drawPoll({ poll }, options) };
      },
      async store(drawn) {
        const created = await withImages(engine, drawn, origin);
        const bytes = bytesOfPoll(created.poll);
        await creation.spend(request, bytes + bytesOfImages(created), bytes);
        if (show)
          await addPoll(engine, created, { ...accessOf(request, options), requireMatch: undefined }, id);
        else await engine.polls.create(created);
      },
    });
    const copied = { copy_of: id, show: show?.name ?? null };
    return { ...createdReply(reply, copyOf(drawn, origin), options), ...copied };
  });
}

/** Finds the show that owns a poll, if the key of the request manages that show. */
async function findOpenedShow(
  request: FastifyRequest,
  { poll: { show: owner } }: Reading,
  options: ApiOptions,
): Promise<{ readonly name: string; readonly id: string; readonly isKept: boolean } | undefined> {
  const text = owner && (await options.engine.records.find(showTopic(owner.name)));
  if (!owner || text === undefined) return undefined;
  const stored = parseShow(text);
  if (!ownsPoll(stored, owner) || !opensShow(stored, accessOf(request, options))) return undefined;
  return { ...owner, isKept: stored.isKept ?? false };
}

async function showRoute(app: FastifyInstance, options: WritingOptions): Promise<void> {
  const { engine, creation } = options;

  const route = { onRequest: creation.limit, config: { outline: COPY_SHOW } };
  app.post<ShowParams>('/api/show/:name/copy', route, async (request, reply) => {
    const original = request.params.name;
    const access = accessOf(request, options);
    const stored = await readShow(engine, original, access);
    authorizeShow(stored, access);
    const isKept = creation.isOperator(request);
    const originOf = ({ name, id }: DrawnShow): PollOrigin => ({
      show: { name, id },
      emptyRetentionMs: creation.emptyRetentionMs(request),
    });

    const drawn = await creation.onceFor(`copy ${original} ${creation.authorize(request)}`, request, {
      draw: () => drawShow(stored, request.body, options),
      async store(drawn) {
        const keyHash = hashKey(drawn.showKey);
        await requireFreeName(engine, drawn.name, keyHash);
        const created = await Promise.all(drawn.polls.map(poll => withImages(engine, poll, originOf(drawn))));
        const images = await findImages(engine, original, stored);
        const pollBytes = created.reduce((sum, { poll }) => sum + bytesOfPoll(poll), 0);
        const showBytes = Object.values(images).reduce(
          (sum, image) => sum + (image ? bytesOfImage(encodeImage(image).data) : 0),
          SHOW_BYTES,
        );
        const imageBytes = created.reduce((sum, poll) => sum + bytesOfImages(poll), 0);
        await creation.spend(request, showBytes + pollBytes + imageBytes, pollBytes);
        const { showKey, polls: _, leftOut: __, ...show } = drawn;
        const viewKey = sealViewKey(drawn.viewKey, showKey);
        await createShowOfPolls(engine, { ...show, viewKey }, keyHash, created, { isKept, images });
      },
    });
    return {
      ...createdShowReply(reply, drawn, options),
      copy_of: original,
      polls: drawn.polls.map(({ of, poll, seed }) => ({
        id: seed.created.poll.id,
        copy_of: of,
        title: poll['title'],
        admin_key: seed.adminKey,
        view_key: seed.viewKey,
      })),
      left_out: drawn.leftOut,
    };
  });
}

/** Polls that the show does not own are left out: its key does not manage them. */
async function drawShow(
  stored: StoredShow,
  body: unknown,
  { engine, readPoll }: ApiOptions,
): Promise<DrawnShow> {
  const { name, title, delay = stored.delay, join_code } = parseOrThrow(createShowBody, body).show;
  const hasCode = join_code ?? stored.joinCode !== undefined;
  const isTitled = Object.hasOwn((body as { show: object }).show, 'title');
  const readings = await Promise.all(stored.rundown.map(id => readPoll(id)));
  const owned = readings.filter(reading => reading !== undefined && ownsPoll(stored, reading.poll.show));
  const nowMs = await engine.polls.now();
  const polls = await Promise.all(
    owned.map(async (reading): Promise<DrawnPoll> => {
      const poll = copyPoll(reading!);
      const seed = await drawSeed(engine, draftOf({ poll }, nowMs), nowMs);
      return { of: reading!.poll.id, poll, seed, ...imagesOfCopy(reading!) };
    }),
  );
  const id = createShowId();
  const copied = new Map(polls.map(({ of, seed }) => [of, seed.created.poll.id]));
  const looks = Object.entries(stored.looks ?? {}).flatMap(([of, look]) => {
    const id = copied.get(of);
    return id === undefined ? [] : [[id, look] as const];
  });
  return {
    name,
    title: isTitled ? title : stored.title,
    id,
    showKey: createKey('show'),
    viewKey: createKey('show_view'),
    look: stored.look,
    looks: looks.length > 0 ? Object.fromEntries(looks) : undefined,
    finalTwo: stored.finalTwo,
    closeBeforeNext: stored.closeBeforeNext,
    winner: stored.winner,
    delay,
    joinCode: hasCode ? await drawJoinCode(engine, ownerShow(name, id)) : undefined,
    polls,
    leftOut: stored.rundown.filter(id => !copied.has(id)),
  };
}

function copyOf({ poll, seed, image: ofQuestion, images }: DrawnPoll, origin: PollOrigin): PollWithKeys {
  const made = pollOf({ poll }, seed, origin);
  const copied = made.created.poll;
  const answers = copied.answers.map((answer, index) => {
    const image = images[index];
    return image ? { ...answer, image } : answer;
  });
  const image = ofQuestion ?? copied.image;
  return { ...made, created: { ...made.created, poll: { ...copied, image, answers } } };
}

/** Each copy has the bytes of its own: a poll is on one node of a cluster, and its deletion frees them. */
async function withImages(
  { polls }: ApiOptions['engine'],
  drawn: DrawnPoll,
  origin: PollOrigin,
): Promise<NewPoll> {
  const { created } = copyOf(drawn, origin);
  const named = imageFiles(created.poll);
  const read = named.map(async file => ({ file, data: await polls.findImage(drawn.of, file) }));
  const images = (await Promise.all(read)).filter((image): image is EncodedImage => image.data !== undefined);
  // The original may have another one by now.
  const lost = named.filter(file => !images.some(image => image.file === file));
  const answers = created.poll.answers.map(({ image, ...answer }) =>
    image && !lost.includes(image) ? { ...answer, image } : answer,
  );
  const image = lost.includes(created.poll.image ?? '') ? null : created.poll.image;
  return { ...created, poll: { ...created.poll, image, answers }, images };
}

function bytesOfImages({ images = [] }: NewPoll): number {
  return images.reduce((sum, { data }) => sum + bytesOfImage(data), 0);
}

const COPY_POLL: Outline = {
  id: 'copyPoll',
  summary: 'Copy a poll',
  description:
    'The copy has the texts, settings and answers of the poll with their colors and images, no votes and new keys, and is `upcoming`. It is prepared as the original was: hidden results are hidden again, and `closes_in` counts from its opening. A deadline that has passed is left out. Members of the body replace those of the original.\n\nWith the `show_key` of the show that owns the poll, or an operator’s key, the copy belongs to the show and follows the original in its rundown. Otherwise it is a poll of no show. The same limits apply as for creating a poll.',
  takes: ['Idempotency-Key'],
  body: {
    schema: copyPollBody,
    example: { poll: { title: 'Which song next, part two?' } },
    optional: true,
  },
  replies: { 201: created('The copy was created.', 'CopiedPoll', POLL_LINKS) },
  errors: ['deadline_missing', 'rundown_full', 'show_not_found'],
};

const COPY_SHOW: Outline = {
  id: 'copyShow',
  summary: 'Copy a show',
  description:
    'The new show has the look, the images, the delay, the options and the polls of the rundown, copied as by `copyPoll` and owned by the new show. Polls that the show does not own are left out. The same limits apply as for creating a show and its polls.',
  takes: ['Idempotency-Key'],
  body: { schema: createShowBody, example: { show: { name: 'saturday-night' } } },
  replies: { 201: created('The copy was created.', 'CopiedShow', SHOW_LINKS) },
  errors: ['show_name_taken'],
};
