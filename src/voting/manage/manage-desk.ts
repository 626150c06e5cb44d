import type { Results, ResultsVisibility } from '../../poll/poll.ts';
import { html, type Markup } from '../page/html.ts';
import { screensWord } from '../page/manage-message.ts';
import { CLOSE_IN_MINUTES } from './manage-actions.ts';
import { actionForm } from './manage-sections.ts';

/** What a creator does in the evening: each step is one click or one key, says what it does to whom, and can be taken back. */

/** A press of the same key takes it back. */
const OPEN_KEY = 'O';
const RESULTS_KEY = 'R';
const KEEP_OPEN_KEY = 'K';

export function votingSteps(results: Results, path: string, screens: number): Markup {
  const { status, deadlineMs } = results;
  const [title, meaning, action, label] = VOTING_WORDS[status];
  return html`<section><h2>${title}</h2><p>${meaning} ${reach(screens)}</p>
<div class="actions">${actionForm(path, action, stepButton(label, OPEN_KEY))}${
    status === 'open' &&
    CLOSE_IN_MINUTES.map(minutes =>
      actionForm(
        path,
        'close-in',
        html`<input type="hidden" name="minutes" value="${minutes}">${stepButton(`Close in ${minutes} min`, String(minutes % 10), true)}`,
      ),
    )
  }${
    status === 'open' &&
    deadlineMs !== null &&
    actionForm(
      path,
      'deadline',
      html`<input type="hidden" name="deadline" value="">${stepButton('Keep it open', KEEP_OPEN_KEY, true)}`,
    )
  }</div></section>`;
}

const VOTING_WORDS: Record<
  Results['status'],
  readonly [title: string, meaning: string, action: string, label: string]
> = {
  upcoming: [
    'Voting has not begun',
    'Open it, and votes are taken from then on. Open pages and screens are told at once.',
    'reopen',
    'Open voting',
  ],
  open: [
    'Voting is open',
    'Close it, and no more votes are taken. Open pages and screens are told at once.',
    'close',
    'Close voting',
  ],
  closed: [
    'Voting is closed',
    'Open it again, and votes are taken from then on. What was counted stays.',
    'reopen',
    'Open voting again',
  ],
};

const SEEN_BY: Record<ResultsVisibility, string> = {
  always: 'Everybody sees the results.',
  after_deadline: 'The results are hidden and appear when voting ends.',
  hidden: 'Only you and whoever has a key of this poll see the results.',
};

const CHOICES: readonly (readonly [ResultsVisibility, string])[] = [
  ['always', 'Show results'],
  ['after_deadline', 'Show them when voting ends'],
  ['hidden', 'Hide results'],
];

export function resultsSteps(results: Results, path: string, screens: number): Markup {
  const { resultsVisibility, deadlineMs } = results;
  const offered = CHOICES.filter(
    ([value]) => value !== resultsVisibility && (value !== 'after_deadline' || deadlineMs !== null),
  );
  const opposite = resultsVisibility === 'always' ? 'hidden' : 'always';
  return html`<section><h2>Who sees the results</h2>
<p>${SEEN_BY[resultsVisibility]} ${reach(screens)}</p>
<div class="actions">${offered.map(([value, label]) =>
    actionForm(
      path,
      'visibility',
      html`<input type="hidden" name="results_visibility" value="${value}">${stepButton(label, value === opposite ? RESULTS_KEY : undefined, value !== 'always')}`,
    ),
  )}</div></section>`;
}

/** Rewritten by the script whenever the number changes. */
function reach(screens: number): Markup {
  return html`<span data-reach>${screensWord(screens)}</span>`;
}

function stepButton(label: string, key: string | undefined, quiet = false): Markup {
  return html`<button type="submit"${quiet && html` class="quiet"`}${key !== undefined && html` aria-keyshortcuts="${key}" data-key="${key.toLowerCase()}"`}>${label}${key !== undefined && html` <kbd aria-hidden="true">${key}</kbd>`}</button>`;
}
