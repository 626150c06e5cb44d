import type { FastifyInstance, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { readRound } from '../engine/read-round.ts';
import { callerAddress } from '../http/caller.ts';
import { isNotModified } from '../http/entity-tag.ts';
import { VERSION } from '../http/product.ts';
import { catalogues } from '../locales/catalogues.ts';
import {
  describeValue,
  drawsGround,
  type ParameterName,
  parameters,
  readParameters,
  type Settings,
} from '../picture/parameters.ts';
import type { PollSnapshot } from '../picture/picture.ts';
import { drawingStyles } from '../picture/styles.ts';
import { themeNames } from '../picture/themes.ts';
import { areResultsPublic, type Reading } from '../poll/poll.ts';
import { type Issue, PollError, parseOrThrow } from '../poll/poll-error.ts';
import { imageOwner, imagePath } from '../poll/rehearsal.ts';
import { hiddenMessage, positionOf, resultsBody } from '../protocol/results-body.ts';
import { ownsPoll, parseShow, showTopic } from '../show/show.ts';
import { imageReads, SHOW_IMAGES } from '../show/show-images.ts';
import type { Still } from '../still/draw-still.ts';
import type { ImageFile } from '../still/images.ts';
import { type Reader, Stills } from '../still/stills.ts';
import type { ApiOptions } from './api-options.ts';
import { BYTES_TYPE, cached, type Outline } from './outline.ts';
import { hasReadingKey, type PollParams, requirePoll } from './poll-request.ts';
import { roundQuery } from './read-results.ts';
import { acceptedType } from './vote-code.ts';

const USUAL_SIZE = '1200x630';
const SIZE = `must be a width and a height such as ${USUAL_SIZE}: 200 to 1920 pixels for one side, and 200 to 1080 for the other`;
const TO_1080 = '([2-9]\\d\\d|10[0-7]\\d|1080)';
const TO_1920 = '([2-9]\\d\\d|1[0-8]\\d\\d|19[01]\\d|1920)';
/** A regular expression, because a schema can say it. */
const SIZES = new RegExp(`^(${TO_1920}x${TO_1080}|${TO_1080}x${TO_1920})$`);
/** A code has its own picture. */
const STYLES = drawingStyles.filter(style => style !== 'code' && style !== 'host');

const pictureQuery = z.object({
  size: z
    .string(SIZE)
    .regex(SIZES, SIZE)
    .optional()
    .describe(`Width and height in pixels, ${USUAL_SIZE} by default.`),
  style: z
    .enum(STYLES, `must be one of ${STYLES.join(', ')}`)
    .optional()
    .describe('How the results are drawn.'),
  theme: z.enum(themeNames).optional().describe('Background and text colors.'),
  moment: z
    .string()
    .max(64)
    .optional()
    .describe(
      '`winner`: the winner on the whole picture, with the others in a column. Without one winner, or with another value, it is the usual picture.',
    ),
  round: roundQuery,
  position: z
    .string()
    .max(64)
    .optional()
    .describe('The `position` of the results. While it is theirs, caches keep the picture for 5 minutes.'),
});

/** Those of the overlay that change nothing in a still picture. */
const GROUPS_WITHOUT_EFFECT: readonly string[] = ['place', 'motion', 'rehearsal'];
const WITHOUT_EFFECT: readonly ParameterName[] = ['countdown', 'qr', 'font', 'blur'];
const CACHING_S = 300;
/** Drawings that one address may start in a minute. Pictures that are kept cost nothing. */
const DRAWINGS_PER_MINUTE = 60;

/** `GET /api/poll/<id>/picture.png`. */
export async function pollPicture(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const { engine, readPoll, stills } = options;
  const findImage = imageReads(engine);
  const findFacesOf = answerFaces(options);

  const route = { config: { outline: DRAW_PICTURE } };
  app.get<PollParams>('/api/poll/:id/picture.png', route, async (request, reply) => {
    const { width, height, settings, winnerFills, position, round } = readPictureQuery(request);
    const present = await requirePoll(readPoll, request.params.id);
    const reading = await readRound(engine.polls, present, round);
    const isPublic = areResultsPublic(reading.results);
    const isAllowed = (await hasReadingKey(request, reading, options)) || isPublic;
    const poll = snapshotOf(reading, isAllowed);
    const files = await showFiles(reading, settings, options);
    const key = Stills.keyOf({ poll, settings, winnerFills, width, height, files }, VERSION);
    reply.headers({ 'cross-origin-resource-policy': 'cross-origin', vary: 'accept' });
    if (isAllowed && !isPublic) reply.header('cache-control', 'private, no-store');
    else {
      const etag = `W/"${key}"`;
      const isPosition = isPublic && position === positionOf(reading);
      const caching = isPosition ? `public, max-age=${CACHING_S}` : 'no-cache';
      reply.headers({ etag, 'cache-control': caching });
      if (isNotModified(request, etag)) return reply.code(304).send();
    }
    if (!stills.has(key)) limitDrawings(request, options);
    const load = async (): Promise<Still> => {
      const found = files.map(async ({ kind, file, show }) => {
        const bytes = await findImage(kind, show, file);
        return [kind, bytes && { file, bytes }] as const;
      });
      const images = await Promise.all(found);
      const faces = await findFacesOf(reading, poll);
      const lacksImages = [...faces, ...images.map(([, image]) => image)].includes(undefined);
      const whole = { faces: faces.filter(face => face !== undefined), ...Object.fromEntries(images) };
      return { poll, settings, winnerFills, width, height, ...whole, lacksImages };
    };
    const picture = await stills.draw(key, load, readerOf(request));
    if (!stills.has(key)) reply.header('cache-control', 'private, no-store').removeHeader('etag');
    return reply.type(acceptedType(request, 'image/png')).send(picture);
  });
}

export function readerOf(request: FastifyRequest): Reader {
  return { address: callerAddress(request), isGone: () => request.raw.socket.destroyed };
}

/** Finds the pictures of the answers that a picture shows. */
function answerFaces({ findPollImage }: ApiOptions) {
  return async ({ poll }: Reading, { poll_answers }: PollSnapshot): Promise<(ImageFile | undefined)[]> => {
    const files = poll_answers.length === 0 ? [] : poll.answers.flatMap(({ image }) => image ?? []);
    const found = files.map(async file => {
      const bytes = await findPollImage(imageOwner(poll), file);
      return bytes && { file: imagePath(poll, file), bytes };
    });
    return Promise.all(found);
  };
}

/** Finds the files of the images that a picture draws, of the show that owns its poll. */
async function showFiles({ poll: { show: owner } }: Reading, settings: Settings, { engine }: ApiOptions) {
  const isDrawn = { logo: settings.logo, ground: drawsGround(settings) };
  const kinds = SHOW_IMAGES.filter(kind => isDrawn[kind]);
  const text = owner && kinds.length > 0 ? await engine.records.find(showTopic(owner.name)) : undefined;
  const show = text === undefined ? undefined : parseShow(text);
  if (!show || !ownsPoll(show, owner)) return [];
  return kinds.flatMap(kind => {
    const file = show[kind];
    return file ? [{ kind, file, show: owner!.name }] : [];
  });
}

/** @throws PollError `rate_limited` */
function limitDrawings(request: FastifyRequest, { counts }: ApiOptions): void {
  const { current, ttl } = counts.add(`pictures ${callerAddress(request)}`);
  const retryAfterSeconds = Math.max(1, Math.ceil(ttl / 1_000));
  if (current > DRAWINGS_PER_MINUTE) throw new PollError('rate_limited', { retryAfterSeconds });
}

/** An upcoming poll is announced without its answers. */
function snapshotOf(reading: Reading, isAllowed: boolean): PollSnapshot {
  if (reading.results.status === 'upcoming') return { ...hiddenMessage(reading), poll_answers: [] };
  return isAllowed ? resultsBody(reading) : hiddenMessage(reading);
}

interface PictureQuery {
  readonly width: number;
  readonly height: number;
  readonly settings: Settings;
  readonly winnerFills: boolean;
  readonly position: string | undefined;
  readonly round: number | undefined;
}

/**
 * Reads the parameters of an overlay's URL, where `size` is that of the picture.
 *
 * @throws PollError `invalid_request`
 */
function readPictureQuery({ query }: FastifyRequest): PictureQuery {
  const given = query as Readonly<Record<string, unknown>>;
  const { size = USUAL_SIZE, moment, position, round } = parseOrThrow(pictureQuery, given);
  const [width = 0, height = 0] = size.split('x').map(Number);
  const overlay = new URLSearchParams();
  for (const [name, { group }] of Object.entries(parameters)) {
    const isIdle = GROUPS_WITHOUT_EFFECT.includes(group) || WITHOUT_EFFECT.includes(name as ParameterName);
    if (!isIdle && given[name] !== undefined) overlay.set(name, `${given[name]}`);
  }
  const { settings, invalid } = readParameters(overlay);
  if (invalid.length > 0) throw new PollError('invalid_request', { issues: invalid.map(issueOf) });
  return { width, height, settings, winnerFills: moment === 'winner', position, round };
}

function issueOf(path: string): Issue {
  return {
    path,
    message: `must be ${describeValue(parameters[path as ParameterName], catalogues.en.builder.values)}`,
  };
}

const DRAW_PICTURE: Outline = {
  id: 'drawPicture',
  summary: 'The results as a picture',
  description:
    'The composition of the overlay, for posts and link previews. It also takes the other parameters of an overlay’s URL, such as `lang`, `accent` and `colors`; those of place, time and motion have no effect. Hidden results are drawn as hidden unless the request has a key that reads them. An upcoming poll is drawn without its answers.',
  key: 'optional',
  query: pictureQuery,
  unlisted: Object.keys(parameters),
  takes: ['key', 'If-None-Match'],
  replies: cached({ description: 'The picture.', types: ['image/png', BYTES_TYPE] }),
  errors: ['rate_limited', 'picture_unavailable', 'round_not_found'],
};
