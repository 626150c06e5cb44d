import type { FastifyInstance } from 'fastify';
import type { Engine } from '../../engine/engine.ts';
import { isPollId } from '../../poll/create-poll.ts';
import { SHOW_NAME } from '../../poll/name-rules.ts';
import type { PollId, Reading } from '../../poll/poll.ts';
import type { ShowBoard } from '../../show/show-board.ts';
import { findShow, type Show } from '../../show/shows.ts';
import { phrasesFor } from '../../web/phrases.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { Rejection } from '../guard/rejection.ts';
import type { SendPage } from '../page/page.ts';
import type { Viewers } from '../voter/viewer.ts';
import { PollStates } from './poll-states.ts';
import { type ShowUrls, showSharePage, waitingPage } from './show-pages.ts';
import { ShowWaits } from './show-waits.ts';

interface ShowRouteParts {
  readonly engine: Engine;
  readonly shows: ShowBoard;
  /** The poll as it is now. */
  readonly findPoll: (id: PollId) => Promise<Reading | undefined>;
  readonly viewers: Viewers;
  readonly urls: ShowUrls;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

interface ShowParams {
  readonly Params: { readonly name: string };
}

/** The address of a show for its audience: it leads to the poll that is on air, and open pages of it wait for the next one, until the waits are closed. */
export function addShowRoutes(server: FastifyInstance, parts: ShowRouteParts): ShowWaits {
  const { engine, shows, findPoll, viewers, urls, limits, sendPage } = parts;
  const waits = new ShowWaits(shows, new PollStates(engine));

  const readShow = async (name: string): Promise<Show> => {
    const show = await findShow(engine, name);
    if (!show) throw new Rejection('page_not_found');
    return show;
  };

  server.get<ShowParams>('/show/:name', limited(limits, 'pages'), async (request, reply) => {
    const show = await readShow(request.params.name);
    // A hall waits here, and asks for the next poll all at once.
    await viewers.greet(request, reply);
    const poll = await findShown(show, findPoll);
    reply.header('cache-control', 'no-store');
    if (poll) return reply.redirect(`/${poll}?show=${show.name}`, 302);
    return sendPage(reply, 200, waitingPage(phrasesFor(request), show));
  });

  // Each open page asks every 15 s, and once more after a switch.
  server.get<ShowParams & { Querystring: { known?: unknown; mark?: unknown } }>(
    '/show/:name/live',
    limited(limits, 'pages'),
    async (request, reply) => {
      const { known, mark } = request.query;
      if (!SHOW_NAME.test(request.params.name)) throw new Rejection('page_not_found');
      const poll = typeof known === 'string' && isPollId(known) ? known : null;
      const knows = { poll, mark: typeof mark === 'string' ? mark : undefined };
      waits.hold(request.params.name, knows, reply);
      return reply;
    },
  );

  server.get<ShowParams>('/show/:name/share', limited(limits, 'pages'), async (request, reply) => {
    const show = await readShow(request.params.name);
    return sendPage(reply, 200, showSharePage(phrasesFor(request), urls, show));
  });
  return waits;
}

/** What is on air, else what was last and has been voted on. In a rehearsal nobody votes: nothing is on air for the audience. */
async function findShown(
  { onAir, last }: Show,
  findPoll: ShowRouteParts['findPoll'],
): Promise<PollId | undefined> {
  if (onAir !== null && isPollId(onAir) && (await findPoll(onAir))) return onAir;
  if (last === null || last === onAir || !isPollId(last)) return undefined;
  const before = await findPoll(last);
  return before && before.results.status !== 'upcoming' ? last : undefined;
}
