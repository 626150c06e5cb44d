import { ServerClock } from '../../client/server-clock.ts';
import { type Watch, type WatchState, watchPoll } from '../../client/watch-poll.ts';
import type { PollStatus } from '../../poll/poll.ts';
import { Countdown } from './deadline.ts';
import { find, focusNotice, formatMoment } from './page-manners.ts';
import { type Counts, countsOf, paintResults } from './results-list.ts';

/** Results a second: a glance is enough while they are folded away. */
const FOLDED_HZ = 1;
const OPEN_HZ = 5;

interface PollState {
  readonly status: PollStatus;
  readonly deadlineMs: number | null;
}

/** Keeps an open page true: the end of voting, a later deadline, a reveal and every vote are shown as they happen. */
export class LivePoll {
  readonly #article: HTMLElement;
  readonly #results: HTMLElement;
  readonly #clock = new ServerClock();
  readonly #countdown: Countdown | undefined;
  readonly #peek: HTMLDetailsElement | undefined;
  #watch: Watch | undefined;

  constructor(article: HTMLElement, results: HTMLElement) {
    this.#article = article;
    this.#results = results;
    const details = find(article, 'peek');
    this.#peek = details instanceof HTMLDetailsElement ? details : undefined;
    const line = find(article, 'deadline');
    const writtenMs = Number(article.dataset['nowMs']);
    if (writtenMs > 0) this.#clock.observe(writtenMs + sinceWrittenMs());
    this.#countdown = line && new Countdown(line, this.#clock, () => this.#end());
    this.#countdown?.set(
      this.#article.dataset['status'] === 'closed' ? null : Number(article.dataset['deadlineMs']) || null,
    );
    this.#follow(this.#peek ? FOLDED_HZ : OPEN_HZ);
    this.#peek?.addEventListener('toggle', () => this.#peek?.open && this.#follow(OPEN_HZ));
  }

  #follow(hz: number): void {
    this.#watch?.close();
    const { relay, poll } = this.#article.dataset;
    this.#watch = watchPoll(`${relay}/api/poll/${poll}`, {
      hz,
      onResults: results => {
        this.#clock.observe(results.timestamp * 1000);
        this.#take({
          status: results.status,
          deadlineMs: results.deadline === null ? null : Date.parse(results.deadline),
        });
        this.#show(countsOf(results));
      },
      onState: state => this.#tell(state),
    });
  }

  #tell(state: WatchState): void {
    if (state.state === 'hidden') {
      if (state.hidden) this.#seal(state.hidden);
    } else if (state.state === 'refused' && state.error === 'poll_not_found') {
      this.#say('This poll was deleted.');
      return;
    }
    this.#say(
      state.state === 'stale'
        ? 'Connection lost. These numbers may be old; they catch up by themselves.'
        : '',
    );
  }

  #say(text: string): void {
    const line = find(this.#results, 'connection');
    if (line) line.textContent = text;
  }

  #show(counts: Counts): void {
    toggle(find(this.#results, 'sealed'), false);
    toggle(find(this.#results, 'open'), true);
    toggle(find(this.#article, 'before-vote'), false);
    toggle(find(this.#article, 'peek'), true);
    paintResults(this.#results, counts, this.#article.dataset['multiple'] === '1');
  }

  #seal(hidden: { status: PollStatus; deadline: string | null; results_visibility: string }): void {
    const deadlineMs = hidden.deadline === null ? null : Date.parse(hidden.deadline);
    this.#take({ status: hidden.status, deadlineMs });
    toggle(find(this.#results, 'open'), false);
    toggle(find(this.#results, 'sealed'), true);
    for (const line of this.#article.querySelectorAll('[data-sealed], [data-before-vote]'))
      if (hidden.results_visibility === 'after_deadline' && deadlineMs !== null)
        line.replaceChildren(
          'The results are hidden while people vote. They appear here when voting ends, ',
          formatMoment(deadlineMs),
          '.',
        );
      else line.textContent = 'The results are hidden. When the creator shows them, they appear here.';
  }

  #take({ status, deadlineMs }: PollState): void {
    this.#countdown?.set(status === 'closed' ? null : deadlineMs);
    if (status === 'closed') this.#end();
    else this.#begin(status);
  }

  /** Also where the relay cannot be heard: the clock alone ends the vote here, as the engine's clock does there. */
  #end(): void {
    if (this.#article.dataset['status'] === 'closed') return;
    this.#article.dataset['status'] = 'closed';
    this.#countdown?.set(null);
    const voting = find(this.#article, 'voting');
    const held = voting?.contains(document.activeElement) ?? false;
    toggle(voting, false);
    toggle(find(this.#article, 'before-vote'), false);
    toggle(find(this.#article, 'upcoming'), false);
    toggle(find(this.#article, 'ended'), true);
    toggle(find(this.#article, 'peek'), true);
    if (this.#peek) this.#peek.open = true;
    if (held) focusNotice();
  }

  /** Open, again or for the first time; or still upcoming. */
  #begin(status: Exclude<PollStatus, 'closed'>): void {
    if (this.#article.dataset['status'] === status) return;
    this.#article.dataset['status'] = status;
    toggle(find(this.#article, 'ended'), false);
    const [notice, voting] = [find(this.#article, 'upcoming'), find(this.#article, 'voting')];
    const held = notice?.contains(document.activeElement) ?? false;
    toggle(notice, status === 'upcoming');
    toggle(voting, status === 'open');
    if (held)
      voting?.querySelector<HTMLElement>('input:not([type=hidden]), a')?.focus({ preventScroll: true });
  }
}

/** How long ago the server wrote this page, at least. */
function sinceWrittenMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return performance.now() - (page?.responseStart ?? 0);
}

function toggle(element: HTMLElement | undefined, visible: boolean): void {
  if (element && element.hidden === visible) element.hidden = !visible;
}
