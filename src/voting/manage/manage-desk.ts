import type { Results } from '../../poll/poll.ts';
import { fill } from '../../web/i18n.ts';
import type { Phrases } from '../../web/phrases.ts';
import { html, type Markup } from '../page/html.ts';
import { CLOSE_IN_MINUTES } from './manage-actions.ts';
import { actionForm } from './manage-sections.ts';

/** What a creator does in the evening: each step is one click or one key, says what it does to whom, and can be taken back. */

/** A press of the same key takes it back. */
const OPEN_KEY = 'O';
const RESULTS_KEY = 'R';
const KEEP_OPEN_KEY = 'K';

export function votingSteps(phrases: Phrases, results: Results, path: string, screens: number): Markup {
  const { manage, wording } = phrases;
  const { status, deadlineMs } = results;
  const { title, text, button } = manage[status];
  const action = status === 'open' ? 'close' : 'reopen';
  return html`<section><h2>${title}</h2><p>${text} ${reach(phrases, screens)}</p>
<div class="actions">${actionForm(path, action, stepButton(button, OPEN_KEY))}${
    status === 'open' &&
    CLOSE_IN_MINUTES.map(minutes =>
      actionForm(
        path,
        'close-in',
        html`<input type="hidden" name="minutes" value="${minutes}">${stepButton(fill(manage.closeIn, { minutes: wording.minutes(minutes) }), String(minutes % 10), true)}`,
      ),
    )
  }${
    status === 'open' &&
    deadlineMs !== null &&
    actionForm(
      path,
      'deadline',
      html`<input type="hidden" name="deadline" value="">${stepButton(manage.keepOpen, KEEP_OPEN_KEY, true)}`,
    )
  }</div></section>`;
}

const VISIBILITIES = ['always', 'after_deadline', 'hidden'] as const;

export function resultsSteps(phrases: Phrases, results: Results, path: string, screens: number): Markup {
  const { seenBy, show } = phrases.manage;
  const { resultsVisibility, deadlineMs } = results;
  const offered = VISIBILITIES.filter(
    value => value !== resultsVisibility && (value !== 'after_deadline' || deadlineMs !== null),
  );
  const opposite = resultsVisibility === 'always' ? 'hidden' : 'always';
  return html`<section><h2>${seenBy.title}</h2>
<p>${seenBy[resultsVisibility]} ${reach(phrases, screens)}</p>
<div class="actions">${offered.map(value =>
    actionForm(
      path,
      'visibility',
      html`<input type="hidden" name="results_visibility" value="${value}">${stepButton(show[value], value === opposite ? RESULTS_KEY : undefined, value !== 'always')}`,
    ),
  )}</div></section>`;
}

/** Rewritten by the script whenever the number changes. */
function reach({ live, wording }: Phrases, screens: number): Markup {
  const words = screens === 0 ? live.noScreens : wording.plural(live, 'screens', screens);
  return html`<span data-reach>${words}</span>`;
}

function stepButton(label: string, key: string | undefined, quiet = false): Markup {
  return html`<button type="submit"${quiet && html` class="quiet"`}${key !== undefined && html` aria-keyshortcuts="${key}" data-key="${key.toLowerCase()}"`}>${label}${key !== undefined && html` <kbd aria-hidden="true">${key}</kbd>`}</button>`;
}
