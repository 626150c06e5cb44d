import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { limited } from '../guard/rate-limit.ts';
import { Refusal } from '../guard/refusal.ts';
import type { Notice } from '../page/notice.ts';
import { findViewer } from '../voter/viewer.ts';
import { POLL_PATH, type PollParams, type VotingFront } from '../voting-front.ts';
import { readPoll, sendPoll } from './ballot-route.ts';
import { CommentFeed } from './comment-feed.ts';
import { checkComment, readCommentForm } from './comment-form.ts';
import { readCommentToken } from './comment-token.ts';

/** Older ones are forgotten. */
const KEPT_COMMENTS = 500;
/** How long pressing twice, or reloading, writes no second comment. */
const ONCE_MS = 86_400_000;

export function addCommentRoutes(server: FastifyInstance, front: VotingFront): void {
  const feed = new CommentFeed(front.engine, front.log);
  server.addHook('preClose', async () => feed.close());

  server.post<PollParams>(
    `${POLL_PATH}/comments`,
    limited(front.limits, 'comments'),
    async (request, reply) => {
      const reading = await readPoll(front, request.params.id);
      const { poll } = reading;
      if (!poll.settings.co) throw new Refusal('page_not_found');
      const comment = readCommentForm(request.body);
      const refuse = (text: string) =>
        sendPoll(front, reading, request, reply, { comment, refusedComment: notWritten(text) });
      const viewer = await findViewer(front, request);
      if (!viewer)
        return refuse('Your browser did not send our cookie. Allow cookies for this site and send it again.');
      const id = await readCommentToken(front, comment.token, poll.id, viewer.voter);
      if (id === undefined) return refuse('The form was made for another visit. Send it again from here.');
      const checked = checkComment(comment);
      if (typeof checked === 'string') return refuse(`${checked} Change it and send it again.`);
      if (await isFirst(front, id)) {
        const written = { id, ...checked, writtenAtMs: await front.engine.now() };
        if (!(await front.engine.comments.add(poll.id, written, KEPT_COMMENTS)))
          throw new Refusal('poll_not_found');
      }
      return reply.redirect(`/${poll.id}#comments`, 303);
    },
  );

  server.get<PollParams>(
    `${POLL_PATH}/comments/live`,
    limited(front.limits, 'pages'),
    async (request, reply) => {
      const { poll } = await readPoll(front, request.params.id);
      if (!poll.settings.co) throw new Refusal('page_not_found');
      const stream = front.streams.open(request, reply);
      await feed.add(poll.id, stream).catch(() => stream.close());
    },
  );
}

/** Of two requests with one form, the one that gets here first. */
async function isFirst(front: VotingFront, id: string): Promise<boolean> {
  const mine = randomUUID();
  return (await front.engine.records.keep(`comment:${id}`, mine, ONCE_MS)) === mine;
}

function notWritten(text: string): Notice {
  return { tone: 'problem', title: 'Your comment was not sent', text };
}
