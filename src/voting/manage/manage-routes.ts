import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reading } from '../../poll/poll.ts';
import { limited } from '../guard/rate-limit.ts';
import { Refusal } from '../guard/refusal.ts';
import { html } from '../page/html.ts';
import { noticeBox } from '../page/notice.ts';
import { SITE_NAME, sendPage } from '../page/page.ts';
import { readPoll } from '../poll/ballot-route.ts';
import { POLL_PATH, type PollParams, type VotingFront } from '../voting-front.ts';
import { ballotsCsv } from './ballots-csv.ts';
import { keyPage } from './key-page.ts';
import { ACTIONS, type ActionFields, type Done } from './manage-actions.ts';
import { followPoll } from './manage-live.ts';
import { managePage } from './manage-page.ts';
import { closeSession, isManaging, managePath, openSession } from './manage-session.ts';
import { namesPage } from './names-page.ts';

const MANAGE_PATH = `${POLL_PATH}/manage`;
const MAX_KEY_LENGTH = 512;

export function addManageRoutes(server: FastifyInstance, front: VotingFront): void {
  const pages = limited(front.limits, 'pages');

  server.get<PollParams>(MANAGE_PATH, pages, async (request, reply) => {
    const reading = await readPoll(front, request.params.id);
    if (!(await isManaging(front, request, reading)))
      return sendPage(reply, front.assets, 200, keyPage(reading.poll.id, false));
    return sendManage(front, reply, reading);
  });

  server.post<PollParams & { Body: { key?: unknown } | undefined }>(
    `${MANAGE_PATH}/key`,
    limited(front.limits, 'keys'),
    async (request, reply) => {
      const reading = await readPoll(front, request.params.id);
      const key = request.body?.key;
      const usable = typeof key === 'string' && key.length <= MAX_KEY_LENGTH;
      if (usable && (await openSession(front, reply, reading, key.trim())))
        return reply.redirect(managePath(reading.poll.id), 303);
      return sendPage(reply, front.assets, 403, keyPage(reading.poll.id, true));
    },
  );

  server.get<PollParams>(
    `${MANAGE_PATH}/live`,
    { ...pages, exposeHeadRoute: false },
    async (request, reply) => {
      const reading = await readManaged(front, request);
      followPoll(front, reading, front.streams.open(request, reply));
    },
  );

  server.get<PollParams>(`${MANAGE_PATH}/ballots.csv`, pages, async (request, reply) => {
    const { poll } = await readManaged(front, request);
    return reply
      .headers({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="ballots-${poll.id}.csv"`,
        'cache-control': 'private, no-store',
      })
      .send(Readable.from(ballotsCsv(front.engine, poll)));
  });

  server.get<PollParams>(`${MANAGE_PATH}/names`, pages, async (request, reply) => {
    const { poll } = await readManaged(front, request);
    if (!poll.settings.enter_name) throw new Refusal('page_not_found');
    return sendPage(reply, front.assets, 200, await namesPage(front.engine, poll));
  });

  // Where a reload or a bookmark asks for the answer to a button, the page itself is what is meant.
  server.get<PollParams>(`${MANAGE_PATH}/:action`, pages, async (request, reply) =>
    reply.redirect(managePath(request.params.id), 303),
  );

  server.post<PollParams & { Params: { action: string }; Body: ActionFields | undefined }>(
    `${MANAGE_PATH}/:action`,
    pages,
    async (request, reply) => {
      const action = Object.hasOwn(ACTIONS, request.params.action)
        ? ACTIONS[request.params.action]
        : undefined;
      if (!action) throw new Refusal('page_not_found');
      const reading = await readManaged(front, request);
      const done = await action(front, reading, request.body ?? {});
      if (done.removed) return sendRemoved(front, reply, reading.poll.id, done);
      return sendManage(front, reply, await readPoll(front, reading.poll.id), done);
    },
  );
}

/** The poll, for whoever has its session; anybody else is told no more than where the key goes. */
async function readManaged(front: VotingFront, request: FastifyRequest<PollParams>): Promise<Reading> {
  const reading = await readPoll(front, request.params.id);
  if (!(await isManaging(front, request, reading))) throw new Refusal('not_managing');
  return reading;
}

async function sendManage(
  front: VotingFront,
  reply: FastifyReply,
  reading: Reading,
  done?: Done,
): Promise<FastifyReply> {
  const { poll } = reading;
  const keyToken = (await front.secret()).seal(
    'manage',
    randomBytes(32).toString('base64url'),
    poll.id,
    'view key',
  );
  const comments = poll.settings.co ? await front.engine.comments.list(poll.id) : undefined;
  return sendPage(
    reply,
    front.assets,
    done?.refused ? 400 : 200,
    managePage(front, { reading, done, comments, keyToken }),
  );
}

function sendRemoved(
  front: VotingFront,
  reply: FastifyReply,
  pollId: string,
  { title, text }: Done,
): FastifyReply {
  closeSession(front, reply, pollId);
  return sendPage(reply, front.assets, 200, {
    title: `${title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1 class="visually-hidden">${SITE_NAME}</h1>${noticeBox({ tone: 'good', title, text })}
<p class="actions"><a class="button quiet" href="/">To the start page</a></p>`,
  });
}
