import type { FastifyInstance } from 'fastify';
import type { Polls } from '../../engine/polls.ts';
import type { Reading } from '../../poll/poll.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { html, type Markup } from '../page/html.ts';
import { moment } from '../page/moment.ts';
import { type SendPage, SITE_NAME } from '../page/page.ts';

const LISTED_POLLS = 50;

interface PollListParts {
  readonly polls: Polls;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/** The start page: what everybody may vote in. */
export function addPollList(server: FastifyInstance, { polls, limits, sendPage }: PollListParts): void {
  server.get('/', limited(limits, 'pages'), async (_request, reply) => {
    const ids = await polls.listPublic(LISTED_POLLS);
    const readings = await Promise.all(ids.map(id => polls.find(id)));
    const found = readings.filter(reading => reading !== undefined);
    return sendPage(reply, 200, {
      title: SITE_NAME,
      preview: { title: SITE_NAME, description: 'Vote, and watch the results live.' },
      scripts: ['page.js'],
      body: html`<h1>${SITE_NAME}</h1>
<p class="lead">Ask a question, share the link, and watch the answers come in.</p>
<p class="actions"><a class="button" href="/new">Create a poll</a></p>
<section aria-labelledby="polls-title" class="after">
<h2 id="polls-title">Public polls</h2>
${
  found.length === 0
    ? html`<p class="quiet">No public polls yet. The first one could be yours.</p>`
    : html`<ul class="polls">${found.map(listed)}</ul>`
}
</section>`,
    });
  });
}

/** No counts: a list that shows them would have to ask who may see them. */
function listed({ poll, results }: Reading): Markup {
  const state =
    results.status === 'closed'
      ? 'Voting has ended'
      : results.status === 'upcoming'
        ? 'Voting has not begun'
        : results.deadlineMs === null
          ? 'Open'
          : html`Open until ${moment(results.deadlineMs)}`;
  return html`<li><a href="/${poll.id}"><bdi>${poll.title}</bdi> <small class="state">${state}</small></a></li>`;
}
