import type { FastifyInstance } from 'fastify';
import type { Polls } from '../../engine/polls.ts';
import type { Reading } from '../../poll/poll.ts';
import { fillParts } from '../../web/i18n.ts';
import { type Phrases, phrasesFor } from '../../web/phrases.ts';
import { limited, type VotingRateLimits } from '../guard/rate-limit.ts';
import { html, type Markup } from '../page/html.ts';
import { type SendPage, SITE_NAME } from '../page/page.ts';
import { timeElement } from '../page/time-element.ts';

const LISTED_POLLS = 50;

interface PollListParts {
  readonly polls: Polls;
  readonly limits: VotingRateLimits;
  readonly sendPage: SendPage;
}

/** The start page: what everybody may vote in. */
export function addPollList(server: FastifyInstance, { polls, limits, sendPage }: PollListParts): void {
  server.get('/', limited(limits, 'pages'), async (request, reply) => {
    const ids = await polls.listPublic(LISTED_POLLS);
    const readings = await Promise.all(ids.map(id => polls.find(id)));
    const found = readings.filter(reading => reading !== undefined);
    const phrases = phrasesFor(request);
    const { start } = phrases.vote;
    return sendPage(reply, 200, {
      phrases,
      title: SITE_NAME,
      preview: { title: SITE_NAME, description: start.preview },
      scripts: ['page.js'],
      body: html`<h1>${SITE_NAME}</h1>
<p class="lead">${start.lead}</p>
<p class="actions"><a class="button" href="/new">${start.create}</a> <a class="button quiet" href="/desk">${phrases.desk.takeTitle}</a></p>
<section aria-labelledby="polls-title" class="after">
<h2 id="polls-title">${start.publicPolls}</h2>
${
  found.length === 0
    ? html`<p class="quiet">${start.none}</p>`
    : html`<ul class="polls">${found.map(reading => listed(phrases, reading))}</ul>`
}
</section>`,
    });
  });
}

/** No counts: a list that shows them would have to ask who may see them. */
function listed({ vote: { start }, wording }: Phrases, { poll, results }: Reading): Markup {
  const state =
    results.status === 'closed'
      ? start.ended
      : results.status === 'upcoming'
        ? start.upcoming
        : results.deadlineMs === null
          ? start.open
          : fillParts(start.openUntil, { moment: timeElement(wording, results.deadlineMs) });
  return html`<li><a href="/${poll.id}"><bdi>${poll.title}</bdi> <small class="state">${state}</small></a></li>`;
}
