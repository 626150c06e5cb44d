import type { PollLog } from '../../audit/poll-logs.ts';
import { fill, fillParts } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { copyField, noticeBox, timeElement } from '../../pages/page/components.ts';
import { type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { relaySources } from '../../pages/page/security-headers.ts';
import type { PageDependencies } from '../../pages/services/page-dependencies.ts';
import { areResultsPublic, nameOfRound, type Reading } from '../../poll/poll.ts';
import { type CheckReply, evidenceOf, verdictOf } from './verdict.ts';

/** As ballot ids of programs with a front end of their own. */
export const MAX_RECEIPT_LENGTH = 128;
/** So many votes are some 20 MB to load. */
const MAX_IN_BROWSER = 200_000;

interface CheckView extends Pick<PageDependencies, 'relayUrl'> {
  readonly phrases: Phrases;
  readonly reading: Reading;
  /** How many the poll has. */
  readonly rounds: number;
  /** Undefined while nothing may be told that depends on the number of ballots, or while a long log is being built. */
  readonly log: PollLog | undefined;
  /** As this browser has it, or as it was sent. */
  readonly receipt: string | undefined;
  /** The reply to a form that was sent without a script. */
  readonly found?: CheckReply | undefined;
  /** Name of the show that led here. */
  readonly show: string | undefined;
}

export function checkPage(view: CheckView): Page {
  const { phrases, reading, rounds, log, relayUrl, show } = view;
  const { id, title, answers, round = 1 } = reading.poll;
  const words = phrases.check;
  const texts = Object.fromEntries(answers.map(answer => [answer.id, answer.text]));
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['check.js'],
    styles: ['creator.css'],
    sources: { connect: relaySources(relayUrl) },
    body: html`<article data-check="${nameOfRound(reading.poll)}" data-results="${relayUrl}/api/poll/${id}?round=${round}" data-relay="${relayUrl}" data-texts="${JSON.stringify(texts)}">
<header><h1>${words.title}</h1><p class="lead" dir="auto">${title}</p>
<p>${words.lead}</p>
<p><a href="/${id}${show && `?show=${show}`}">${phrases.refusal.toPoll}</a></p>
${rounds > 1 && roundLinks(view)}</header>
${voteSection(view)}
${resultSection(view)}
${log && logSection(phrases, log, relayUrl)}
<template data-evidence>${details(phrases, '')}</template>
</article>`,
  };
}

/** A receipt is of one round. */
function roundLinks({ phrases, reading, rounds, show }: CheckView): Markup {
  const links = Array.from({ length: rounds }, (_, index) => {
    const label = fill(phrases.check.round, { number: phrases.wording.number(index + 1) });
    const isShown = (reading.poll.round ?? 1) === index + 1;
    const to = `/${reading.poll.id}/check?round=${index + 1}${show ? `&show=${show}` : ''}`;
    return isShown ? html`<b>${label}</b> ` : html`<a href="${to}">${label}</a> `;
  });
  return html`<p>${links}</p>`;
}

function voteSection({ phrases, reading, receipt = '', found }: CheckView): Markup {
  const words = phrases.check;
  const { id, round = 1 } = reading.poll;
  const copy = html`<button type="button" class="quiet" data-copy-button hidden>${phrases.live.copy}</button>`;
  return html`<section><h2>${words.vote.title}</h2>
<form method="post" action="/${id}/check?round=${round}" data-vote-form>
<div class="field${receipt !== '' && ' copy'}"${receipt !== '' && html` data-copy`}><label class="label" for="receipt">${words.vote.code}</label>
<input id="receipt" name="receipt" dir="ltr" value="${receipt}" required maxlength="${MAX_RECEIPT_LENGTH}" autocomplete="off" autocapitalize="none" spellcheck="false" aria-describedby="receipt-hint">${receipt !== '' && copy}
<small id="receipt-hint">${receipt === '' ? words.vote.noCode : words.vote.hint}</small></div>
<button type="submit">${words.vote.title}</button>
</form>
<div data-verdict>${found && foundVerdict(phrases, reading, found)}</div>
</section>`;
}

/** The answer of the server. A script checks it and shows its own verdict. */
function foundVerdict(phrases: Phrases, { poll }: Reading, found: CheckReply): Markup {
  const words = phrases.check;
  const { tone, title, text } = verdictOf(words, found);
  const chosen = found.found ? poll.answers.filter(answer => found.answers.includes(answer.id)) : [];
  const values = {
    number: 'sequence' in found && phrases.wording.number(found.sequence),
    choices: chosen.map(({ text }, index) => html`${index > 0 && ', '}<b><bdi>${text}</bdi></b>`),
  };
  return html`${noticeBox({ tone, title, text: fillParts<Fragment>(text, values) })}
${found.found && html`<p class="quiet">${words.withoutScript}</p>`}
${'path' in found && details(phrases, evidenceOf(nameOfRound(poll), found))}`;
}

function details(phrases: Phrases, evidence: string): Markup {
  const { details, values } = phrases.check;
  return html`<details class="fold"><summary>${details}</summary>${copyField(phrases, 'evidence', values, evidence, EVIDENCE_ROWS)}</details>`;
}

const EVIDENCE_ROWS = 8;

function resultSection({ phrases, reading, rounds, relayUrl }: CheckView): Markup {
  const { result } = phrases.check;
  const { poll, results } = reading;
  const heading = html`<h2>${result.title}</h2>`;
  const isFinal = results.status === 'closed' && areResultsPublic(results);
  if (!isFinal) return html`<section>${heading}<p>${result.waiting}</p></section>`;
  const command = `npx tallycast verify ${relayUrl}/api/poll/${poll.id}${rounds > 1 ? ` --round ${poll.round ?? 1}` : ''}`;
  const button = html`<p>${result.text}</p>
<p><button type="button" data-check-result hidden>${result.title}</button></p>
<p class="quiet" data-progress role="status"></p>
<div data-verdict></div>`;
  return html`<section data-result>${heading}
${results.totalVoters > MAX_IN_BROWSER ? html`<p>${result.large}</p>` : button}
${copyField(phrases, 'command', result.command, command)}</section>`;
}

function logSection(phrases: Phrases, { note, key, breaks }: PollLog, relayUrl: string): Markup {
  const words = phrases.check.log;
  return html`<section>
${breaks.map(({ note, foundAtMs }) => {
  const moment = timeElement(phrases.wording, foundAtMs);
  // The second line of a checkpoint is its size.
  const size = phrases.wording.number(Number(note.split('\n')[1]));
  return html`<p class="notice problem">${fillParts<Fragment>(words.broke, { moment, size })}</p>`;
})}
<details class="fold"><summary>${words.title}</summary>
${copyField(phrases, 'checkpoint', words.checkpoint, note, NOTE_ROWS)}
${copyField(phrases, 'log-key', words.key, key)}
<p><a href="${relayUrl}/docs/log">${words.format}</a></p></details></section>`;
}

const NOTE_ROWS = 5;
