import { hash } from 'node:crypto';
import {
  type BallotCount,
  BURST_MS,
  type Evidence,
  MIN_BURST,
  type NetworkEvidence,
} from '../../engine/evidence.ts';
import { fill, fillParts } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { type Notice, noticeBox } from '../../pages/page/components.ts';
import { secondsField } from '../../pages/page/deadline-field.ts';
import { type Fragment, html, type Markup } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import { CHAT_NAMES } from '../../poll/chat-platform.ts';
import type { Poll } from '../../poll/poll.ts';
import { idOfRule, type VoidRule } from '../../poll/void-rule.ts';
import type { ActionOutcome } from './manage-actions.ts';
import { outcomeNotice } from './manage-page.ts';
import { managePath } from './manage-session.ts';

/**
 * When ballots came in and from which networks, and what has been removed. Networks have a short
 * label and no address.
 */

const HOUR_MS = 3_600_000;
/** Times of a longer poll have a date. */
const LONGEST_WITHOUT_DATE_MS = 12 * HOUR_MS;

interface BallotsView {
  readonly phrases: Phrases;
  readonly poll: Poll;
  readonly evidence: Evidence;
  /** As on the manage page. */
  readonly hasChat: boolean;
  readonly outcome: ActionOutcome | undefined;
}

/** What the parts of the page share. */
interface Section extends BallotsView {
  readonly path: string;
  readonly lengthOf: (ms: number) => string;
  readonly momentOf: (ms: number) => Markup;
}

export function ballotsPage(view: BallotsView): Page {
  const { phrases, poll, evidence, outcome } = view;
  const words = phrases.manage.evidence;
  const { fromMs, intervalMs, intervals } = evidence;
  const path = managePath(poll.id);
  const isLong = intervals.length * intervalMs > LONGEST_WITHOUT_DATE_MS;
  const section = {
    ...view,
    path,
    lengthOf: lengthWriter(phrases.language),
    momentOf: momentWriter(phrases.language, isLong),
  };
  return {
    phrases,
    title: `${words.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['manage.js'],
    styles: ['creator.css', 'ballots.css'],
    body: html`<div class="stack">
<header><p class="quiet over"><bdi>${poll.title}</bdi></p><h1>${words.title}</h1><p><a href="${path}">${phrases.manage.names.back}</a></p></header>
${outcome && noticeBox(noticeOf(phrases, outcome, evidence))}
${fromMs === null ? html`<p class="quiet">${words.none}</p>` : timeline(section, fromMs)}
${removed(section)}
${evidence.networks.length > 0 && networks(section)}
${(view.hasChat || evidence.chats.length > 0) && chats(section)}
${fromMs !== null && periodForm(section, fromMs)}
<p class="quiet">${words.stored}</p>
</div>`,
  };
}

/** Reloads itself until the ballots of a large poll are counted. */
export function countingPage(phrases: Phrases): Page {
  const { title, counting } = phrases.manage.evidence;
  const body = html`<h1>${title}</h1><p role="status">${counting}</p>`;
  return { phrases, title: `${title} - ${SITE_NAME}`, noindex: true, body };
}

function noticeOf(phrases: Phrases, outcome: ActionOutcome, { rules }: Evidence): Notice {
  const notice = outcomeNotice(phrases, outcome);
  if (!('done' in outcome) || outcome.done !== 'ballots_removed') return notice;
  const removed = rules.find(({ rule }) => idOfRule(rule) === outcome.rule);
  if (removed?.ballots === 0) return outcomeNotice(phrases, { refused: 'ballots_missing' });
  const ballots = removed && ballotsIn(phrases, removed.ballots);
  return ballots === undefined
    ? notice
    : { ...notice, title: fill(phrases.manage.evidence.removedOf, { ballots }) };
}

function timeline({ phrases, evidence, lengthOf, momentOf }: Section, fromMs: number): Markup {
  const words = phrases.manage.evidence;
  const { wording } = phrases;
  const { ballots, voided, networkCount, untagged, intervalMs, intervals } = evidence;
  const highest = Math.max(...intervals.map(interval => interval.ballots));
  const total = {
    ballots: ballotsIn(phrases, ballots),
    networks: wording.plural(words, 'networks', networkCount),
  };
  return html`<section aria-labelledby="over-time"><h2 id="over-time">${words.overTime}</h2>
<p>${networkCount > 0 ? fill(words.total, total) : total.ballots}${voided > 0 && html` · ${fill(words.removedOf, { ballots: ballotsIn(phrases, voided) })}`}${untagged > 0 && networkCount > 0 && html` · ${wording.plural(words, 'untagged', untagged)}`}</p>
<figure class="timeline">
<p class="quiet">${fill(words.highest, { ballots: ballotsIn(phrases, highest), time: lengthOf(intervalMs) })}</p>
${bars(intervals, highest)}
<p class="ends quiet"><span>${momentOf(fromMs)}</span><span>${momentOf(fromMs + intervals.length * intervalMs)}</span></p>
${voided > 0 && html`<p class="key quiet"><i class="counted"></i> ${words.counted} <i class="removed"></i> ${words.removed}</p>`}
</figure>
<details class="fold"><summary>${words.asTable}</summary><table class="counts">
<thead><tr><th scope="col">${words.time}</th><th scope="col">${words.title}</th>${voided > 0 && html`<th scope="col">${words.removed}</th>`}</tr></thead>
<tbody>${intervals.map(
    (interval, index) =>
      interval.ballots > 0 &&
      html`<tr><th scope="row">${momentOf(fromMs + index * intervalMs)}</th><td>${wording.number(interval.ballots)}</td>${voided > 0 && html`<td>${wording.number(interval.voided)}</td>`}</tr>
`,
  )}</tbody></table></details></section>`;
}

/** A bar is one unit wide and up to 100 high; the style stretches the picture. A single ballot must be visible. */
const BAR_GAP = 0.12;
const LOWEST_BAR = 2;
/** Pixels at most, so that a few intervals are not a wall. */
const WIDEST_BAR = 36;

function bars(intervals: readonly BallotCount[], highest: number): Markup {
  const count = intervals.length;
  const bar = (kind: string, index: number, from: number, height: number) =>
    height > 0 &&
    html`<rect class="${kind}" x="${index + BAR_GAP / 2}" y="${round(100 - from - height)}" width="${1 - BAR_GAP}" height="${round(height)}"/>`;
  return html`<svg viewBox="0 0 ${count} 100" width="${count * WIDEST_BAR}" height="100" preserveAspectRatio="none" aria-hidden="true">${intervals.map(
    ({ ballots, voided }, index) => {
      if (ballots === 0) return false;
      const height = Math.max(LOWEST_BAR, (ballots / highest) * 100);
      const counted = (height * (ballots - voided)) / ballots;
      return [bar('counted', index, 0, counted), bar('removed', index, counted, height - counted)];
    },
  )}</svg>`;
}

function round(number: number): string {
  return number.toFixed(2);
}

function networks(section: Section): Markup {
  const { phrases, evidence, lengthOf } = section;
  const words = phrases.manage.evidence;
  const hasBurst = evidence.networks.some(({ burst }) => burst);
  const rule = { ballots: ballotsIn(phrases, MIN_BURST), time: lengthOf(BURST_MS) };
  return html`<section aria-labelledby="networks"><h2 id="networks">${words.largest}</h2>
<p>${words.hall}</p>
<ol class="networks">${evidence.networks.map(({ network, ...entry }) => {
    const field = html`<input type="hidden" name="network" value="${network}">`;
    return originItem(section, entry, [labelOf(phrases, network), words.burst, words.removeText], field);
  })}</ol>
${hasBurst && html`<p class="quiet">${fill(words.burstRule, rule)}</p>`}</section>`;
}

function chats(section: Section): Markup {
  const words = section.phrases.manage.evidence;
  const items = section.evidence.chats.map(({ source, ...entry }) => {
    const field = html`<input type="hidden" name="source" value="${source}">`;
    return originItem(section, entry, [CHAT_NAMES[source], words.chatBurst, words.removeChat], field);
  });
  return html`<section aria-labelledby="chats"><h2 id="chats">${words.chats}</h2>
<p>${words.chatsText} ${words.moderators}</p>
${items.length > 0 && html`<ol class="networks">${items}</ol>`}</section>`;
}

/** A network or a chat, and the form that removes its ballots. @param field names it in the form */
function originItem(
  section: Section,
  entry: Omit<NetworkEvidence, 'network'>,
  [name, burstText, removal]: readonly [string, string, string],
  field: Markup,
): Markup {
  const { phrases, evidence, path, lengthOf, momentOf } = section;
  const words = phrases.manage.evidence;
  const { ballots, voided, firstMs, lastMs, burst } = entry;
  const left = ballots - voided;
  const facts = {
    ballots: ballotsIn(phrases, ballots),
    share: phrases.wording.percent((ballots / evidence.ballots) * 100),
    time: lengthOf(Math.max(1_000, lastMs - firstMs)),
    moment: momentOf(firstMs),
  };
  return html`<li><p class="name"><b>${name}</b>${burst && html` <strong class="burst">${burstText}</strong>`}</p>
<p>${fillParts<Markup | string>(words.network, facts)}</p>
${voided > 0 && html`<p class="quiet">${fill(words.removedOf, { ballots: ballotsIn(phrases, voided) })}</p>`}
${
  left > 0 &&
  html`<details class="fold"><summary>${words.remove}</summary>
<form method="post" action="${path}/remove-ballots"><p>${fill(removal, { ballots: ballotsIn(phrases, left) })}</p>
${field}<input type="hidden" name="until" value="${lastMs}">
<button type="submit" class="danger">${phrases.wording.plural(words, 'removeButton', left)}</button></form></details>`
}</li>`;
}

/** Without rules that no ballot matches: they change nothing. */
function removed({ phrases, evidence, path, momentOf }: Section): Fragment {
  const words = phrases.manage.evidence;
  const rules = evidence.rules.filter(({ ballots }) => ballots > 0);
  if (rules.length === 0) return false;
  const name = (rule: VoidRule) => {
    const to = momentOf(rule.toMs);
    if ('fromMs' in rule) return fillParts(words.fromTo, { from: momentOf(rule.fromMs), to });
    if ('ballots' in rule)
      return fillParts<Markup | string>(words.moderatedUntil, { chat: CHAT_NAMES[rule.source], moment: to });
    const network = 'source' in rule ? CHAT_NAMES[rule.source] : labelOf(phrases, rule.network);
    return fillParts<Markup | string>(words.networkUntil, { network, moment: to });
  };
  return html`<section aria-labelledby="removed"><h2 id="removed">${words.removed}</h2>
<ul class="networks">${rules.map(
    ({ rule, ballots }) => html`<li class="rule"><p>${name(rule)}<br><b>${ballotsIn(phrases, ballots)}</b></p>
<form method="post" action="${path}/put-back"><input type="hidden" name="rule" value="${idOfRule(rule)}"><button type="submit" class="quiet">${words.putBack}</button></form></li>`,
  )}</ul></section>`;
}

/** Filled in with the interval of most ballots that count. */
function periodForm({ phrases, evidence, path }: Section, startMs: number): Markup {
  const { period } = phrases.manage.evidence;
  const { intervals, intervalMs } = evidence;
  const counts = intervals.map(({ ballots, voided }) => ballots - voided);
  const fromMs = startMs + counts.indexOf(Math.max(...counts)) * intervalMs;
  return html`<section><details class="fold"><summary>${period.title}</summary>
<form method="post" action="${path}/remove-ballots"><p>${period.text}</p>
${secondsField(phrases, 'from', period.from, fromMs)}${secondsField(phrases, 'to', period.to, fromMs + intervalMs - 1_000)}
<button type="submit" class="danger">${period.button}</button></form></details></section>`;
}

function ballotsIn({ manage, wording }: Phrases, count: number): string {
  return wording.plural(manage.evidence, 'ballots', count);
}

/** Four digits that stay the same for a network: enough to recognize it on this page. */
function labelOf({ manage }: Phrases, network: string): string {
  const digits = hash('sha256', network, 'hex').replace(/\D/g, '');
  return fill(manage.evidence.name, { label: digits.slice(0, 4) });
}

/** Writes a length of time in at most two units, like `1 min, 48 sec`. */
function lengthWriter(language: string): (ms: number) => string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const together = new Intl.ListFormat(language, { type: 'unit', style: 'narrow' });
  return ms => {
    let seconds = Math.round(ms / 1_000);
    const parts: string[] = [];
    for (const [unit, length] of units) {
      const count = Math.floor(seconds / length);
      seconds -= count * length;
      if (count === 0 || parts.length === 2) continue;
      parts.push(
        new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }).format(count),
      );
    }
    return together.format(parts);
  };
}

/** Writes times with seconds in UTC; the script rewrites them in the reader's time zone. */
function momentWriter(language: string, hasDate: boolean): (ms: number) => Markup {
  const dateStyle = hasDate ? ('medium' as const) : undefined;
  const format = new Intl.DateTimeFormat(language, { dateStyle, timeStyle: 'medium', timeZone: 'UTC' });
  return ms =>
    html`<time datetime="${new Date(ms).toISOString()}" data-seconds="${hasDate && 'date'}">${format.format(ms)} UTC</time>`;
}
