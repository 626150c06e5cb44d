import type { FastifyInstance } from 'fastify';
import { phrasesFor } from '../../web/phrases.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import type { SendPage } from '../page/page.ts';
import { type DeskUrls, deskPage, type TakingRules, takePage } from './desk-page.ts';

interface DeskRouteParts {
  readonly urls: DeskUrls;
  readonly taking: TakingRules;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/**
 * The producer's desk. These pages know nothing of any show: their script asks the relay, with the key in a header, so the key
 * never comes here.
 */
export function addDeskRoutes(
  server: FastifyInstance,
  { urls, taking, limits, sendPage }: DeskRouteParts,
): void {
  const pages = limited(limits, 'pages');

  server.get<{ Querystring: { name?: unknown } }>('/desk', pages, async (request, reply) => {
    const name = typeof request.query.name === 'string' ? request.query.name : '';
    return sendPage(reply, 200, takePage(phrasesFor(request), name, taking, urls));
  });

  server.get<{ Params: { name: string } }>('/desk/:name', pages, async (request, reply) =>
    sendPage(reply, 200, deskPage(phrasesFor(request), request.params.name, urls)),
  );
}
