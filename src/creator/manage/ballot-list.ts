import type { Polls } from '../../engine/engine.ts';
import { defuse, quote } from '../../http/csv.ts';
import { fill } from '../../locales/i18n.ts';
import type { Phrases } from '../../locales/phrases.ts';
import { timeElement } from '../../pages/page/components.ts';
import { html } from '../../pages/page/html.ts';
import { type Page, SITE_NAME } from '../../pages/page/page.ts';
import type { StoredBallot } from '../../poll/ballot.ts';
import type { Poll, PollId } from '../../poll/poll.ts';
import { managePath } from './manage-session.ts';

const SHOWN_NAMES = 500;
/** Excel reads a file as UTF-8 only with this mark. */
const BYTE_ORDER_MARK = '\uFEFF';

export async function namesPage(phrases: Phrases, polls: Polls, poll: Poll): Promise<Page> {
  const { newest, total } = await readNewest(polls, poll.id);
  const texts = new Map(poll.answers.map(({ id, text }) => [id, text]));
  const { wording, manage } = phrases;
  const { names } = manage;
  return {
    phrases,
    title: `${names.title} - ${SITE_NAME}`,
    noindex: true,
    scripts: ['page.js'],
    body: html`<h1>${names.heading}</h1>
<p><a href="${managePath(poll.id)}">${names.back}</a></p>
${total > newest.length && html`<p class="quiet">${fill(names.newest, { shown: wording.number(newest.length), all: wording.number(total) })}</p>`}
${newest.length === 0 && html`<p class="quiet">${names.none}</p>`}
<section class="comments"><ul>${newest.map(
      ({
        name,
        answers,
        castAtMs,
        voided,
      }) => html`<li><p class="by"><b><bdi>${name ?? ''}</bdi></b> ${timeElement(wording, castAtMs)}${voided && html` · ${manage.evidence.removed}`}</p>
<p class="text">${answers.map((id, index) => html`${index > 0 && ', '}<bdi>${texts.get(id)}</bdi>`)}</p></li>`,
    )}</ul></section>`,
  };
}

async function readNewest(polls: Polls, pollId: string): Promise<{ newest: StoredBallot[]; total: number }> {
  const newest: StoredBallot[] = [];
  let total = 0;
  for await (const batch of polls.readBallots(pollId)) {
    const cast = batch.filter(isCast);
    total += cast.length;
    newest.push(...cast);
    newest.splice(0, newest.length - SHOWN_NAMES);
  }
  return { newest: newest.reverse(), total };
}

/** A withdrawn ballot is not listed. */
function isCast({ answers }: StoredBallot): boolean {
  return answers.length > 0;
}

/** Each may have the texts of a hundred answers. */
const LINES_IN_TURN = 10;

/**
 * @param storedId of the poll, or the `idOfRound` of an earlier round
 * @param takeTurn before each few milliseconds of work
 */
export async function* ballotsCsv(
  polls: Polls,
  poll: Poll,
  storedId: PollId,
  takeTurn: () => Promise<void>,
): AsyncGenerator<string> {
  const texts = new Map(poll.answers.map(({ id, text }) => [id, text]));
  const named = poll.settings.requireName;
  yield BYTE_ORDER_MARK +
    line(['cast_at', ...(named ? ['name'] : []), 'answers', 'network', 'source', 'voided']);
  const lineOf = ({ answers, name, castAtMs, network = '', source, voided }: StoredBallot) => {
    const chosen = answers.map(id => texts.get(id) ?? '').join(' | ');
    const names = named ? [name ?? ''] : [];
    return line([
      new Date(castAtMs).toISOString(),
      ...names,
      chosen,
      network,
      source ?? 'page',
      String(voided === true),
    ]);
  };
  for await (const batch of polls.readBallots(storedId))
    for (let at = 0; at < batch.length; at += LINES_IN_TURN) {
      await takeTurn();
      yield batch
        .slice(at, at + LINES_IN_TURN)
        .filter(isCast)
        .map(lineOf)
        .join('');
    }
}

function line(cells: readonly string[]): string {
  return `${cells.map(text => quote(defuse(text))).join(',')}\r\n`;
}
