import { ServerClock } from '../../../client/server-clock.ts';
import type { ResultsMessage, WatchState } from '../../../client/watch-state.ts';
import type { PollStatus } from '../../../poll/poll.ts';
import { fillParts } from '../../../web/i18n.ts';
import { Countdown } from '../../page/browser/deadline.ts';
import { find, focusNotice, pauseWhileSeen, timeElement } from '../../page/browser/dom.ts';
import { phrases } from '../../page/browser/i18n.ts';
import { type Counts, countsOf, paintResults } from '../../page/browser/results-list.ts';
import type { PollState } from '../../page/state-message.ts';
import { SharedWatch } from './shared-watch.ts';
import { StateWatch } from './state-watch.ts';

/** Results a second. */
const HZ = 5;
/** The whole audience sees the deadline pass in the same moment. A proxy may answer all of them with one reading. */
const SPREAD_MS = 4_000;
const MAX_AGE_S = 2;
/** Of a relay that is away: at most eight reads in the first minute. */
const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Keeps an open page true. While its voter sees no results, or the poll is over, it asks the voting server now and then how the
 * poll stands; the deadline it knows by itself. As soon as results are seen it follows them live, and goes on to.
 */
export class LivePoll {
  readonly #article: HTMLElement;
  readonly #results: HTMLElement;
  readonly #clock = new ServerClock();
  readonly #countdown: Countdown | undefined;
  readonly #states: StateWatch;
  #watch: SharedWatch | undefined;
  #isReading = false;
  readonly #leaving = new AbortController();
  readonly #onGone: () => void;

  /** @param onGone hears that the poll was deleted */
  constructor(article: HTMLElement, results: HTMLElement, onGone: () => void) {
    this.#onGone = onGone;
    this.#article = article;
    this.#results = results;
    const { poll, nowMs, deadlineMs } = article.dataset;
    const line = find(article, 'deadline');
    if (Number(nowMs) > 0) this.#clock.observe(Number(nowMs) + sinceWrittenMs());
    this.#countdown = line && new Countdown(line, this.#clock, () => this.#end());
    this.#countdown?.set(this.#status === 'closed' ? null : Number(deadlineMs) || null);
    this.#states = new StateWatch(`/${poll}/state`, this.#status, {
      onState: state => {
        this.#clock.observe(state.nowMs);
        this.hear(state);
      },
      onGone: () => this.hear(null),
    });
    this.#settle();
    if (this.#status === 'closed' && !this.#areSealed) void this.#readFinal(0);
    this.#peek?.addEventListener('toggle', () => this.#settle());
  }

  close(): void {
    this.#leaving.abort();
    this.#watch?.close();
    this.#states.end();
    this.#countdown?.set(null);
  }

  get #status(): PollStatus {
    return this.#article.dataset['status'] as PollStatus;
  }

  /** Around the results, for as long as this voter may choose freely. */
  get #peek(): HTMLElement | undefined {
    return find(this.#article, 'peek');
  }

  get #areResultsSeen(): boolean {
    const peek = this.#peek;
    return !peek || (peek instanceof HTMLDetailsElement ? peek.open : !peek.hidden);
  }

  /** Hidden by their creator, as far as this page knows. */
  get #areSealed(): boolean {
    return find(this.#results, 'sealed')?.hidden === false;
  }

  /** Its answers come with the page that is there once it has begun. */
  get #isWithheld(): boolean {
    return 'withheld' in this.#article.dataset;
  }

  #settle(): void {
    if (this.#watch) return;
    if (!this.#isWithheld && this.#areResultsSeen && this.#status !== 'closed') this.#follow();
    else this.#states.begin();
  }

  #follow(): void {
    this.#states.end();
    const { relay, poll } = this.#article.dataset;
    this.#watch = new SharedWatch(`${relay}/api/poll/${poll}`, HZ, {
      onResults: results => this.#receive(results),
      onState: state => this.#tell(state),
    });
  }

  #receive(results: ResultsMessage): void {
    this.#clock.observe(results.timestamp * 1000);
    this.#take(results.status, msOf(results.deadline));
    this.#show(countsOf(results));
  }

  /** @param state null where the poll was deleted */
  hear(state: PollState | null): void {
    if (!state) this.#tellGone();
    // Whoever follows the results hears all of it there, and sooner.
    else if (!this.#watch) this.#stand(state);
  }

  #stand({ status, deadlineMs, visible, resultsVisibility }: PollState): void {
    const wereHidden = this.#areSealed;
    this.#take(status, deadlineMs, visible);
    if (!visible) this.#seal(resultsVisibility, deadlineMs);
    else if (wereHidden && status === 'closed') void this.#readFinal();
    // They appear where the word that they are hidden stands.
    else if (wereHidden) this.#follow();
    else this.#settle();
  }

  /** The results as the poll ended with them; a poll that is over needs no connection. */
  async #readFinal(spreadMs = SPREAD_MS): Promise<void> {
    if (this.#isReading) return;
    this.#isReading = true;
    const { signal } = this.#leaving;
    await pauseWhileSeen(spreadMs * Math.random(), signal);
    for (let pauseMs = FIRST_PAUSE_MS; !(await this.#readOnce()); ) {
      await pauseWhileSeen(pauseMs * (0.5 + Math.random() / 2), signal);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
    this.#isReading = false;
  }

  /** @returns false where it is to be tried again */
  async #readOnce(): Promise<boolean> {
    const { relay, poll } = this.#article.dataset;
    const { signal } = this.#leaving;
    if (signal.aborted || this.#watch || this.#status !== 'closed') return true;
    const url = `${relay}/api/poll/${poll}?max_age=${MAX_AGE_S}`;
    const reply = await fetch(url, { signal }).catch(() => undefined);
    const read = reply?.ok ? reply.json().catch(() => undefined) : undefined;
    const results = (await read) as ResultsMessage | undefined;
    if (signal.aborted || this.#watch || this.#status !== 'closed') return true;
    if (results?.status === 'closed') {
      this.#receive(results);
      return true;
    }
    // Hidden or deleted: the state tells. Otherwise no answer came, or one that a proxy kept from before the end.
    return !!reply && !reply.ok && reply.status < 500 && reply.status !== 429;
  }

  #tell(state: WatchState): void {
    if (state.state === 'hidden') {
      if (!state.hidden) return;
      const deadlineMs = msOf(state.hidden.deadline);
      this.#take(state.hidden.status, deadlineMs);
      this.#seal(state.hidden.results_visibility, deadlineMs);
    } else if (state.state === 'refused' && state.error === 'poll_not_found') {
      this.#tellGone();
      return;
    }
    this.#say(state.state === 'stale' ? phrases.connectionLost : '');
  }

  #tellGone(): void {
    this.#say(phrases.deleted);
    this.#onGone();
  }

  #say(text: string): void {
    const line = find(this.#results, 'connection');
    if (line) line.textContent = text;
  }

  #show(counts: Counts): void {
    toggle(find(this.#results, 'sealed'), false);
    toggle(find(this.#results, 'open'), true);
    toggle(find(this.#article, 'before-vote'), false);
    toggle(this.#peek, true);
    paintResults(this.#results, counts, this.#article.dataset['multiple'] === '1');
  }

  #seal(resultsVisibility: string, deadlineMs: number | null): void {
    toggle(find(this.#results, 'open'), false);
    toggle(find(this.#results, 'sealed'), true);
    for (const line of this.#article.querySelectorAll('[data-sealed], [data-before-vote]'))
      if (resultsVisibility === 'after_deadline' && deadlineMs !== null)
        line.replaceChildren(...fillParts(phrases.hiddenUntilEnd, { moment: timeElement(deadlineMs) }));
      else line.textContent = phrases.hidden;
  }

  #take(status: PollStatus, deadlineMs: number | null, visible = true): void {
    this.#countdown?.set(status === 'closed' ? null : deadlineMs);
    if (this.#isWithheld && status !== 'upcoming') location.reload();
    else if (status === 'closed') this.#end(visible);
    else this.#begin(status);
  }

  /** Also where the relay cannot be heard: the clock alone ends the vote here, as the engine's clock does there. */
  #end(visible = true): void {
    if (this.#status === 'closed' || this.#isWithheld) return;
    this.#article.dataset['status'] = 'closed';
    this.#countdown?.set(null);
    const voting = find(this.#article, 'voting');
    const held = voting?.contains(document.activeElement) ?? false;
    toggle(voting, false);
    toggle(find(this.#article, 'before-vote'), false);
    toggle(find(this.#article, 'upcoming'), false);
    toggle(find(this.#article, 'ended'), true);
    if (this.#peek instanceof HTMLDetailsElement) this.#peek.open = true;
    toggle(this.#peek, true);
    if (held) focusNotice();
    if (visible && !this.#watch) void this.#readFinal();
  }

  /** Open, again or for the first time; or still upcoming. */
  #begin(status: Exclude<PollStatus, 'closed'>): void {
    if (this.#status === status) return;
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

function msOf(deadline: string | null): number | null {
  return deadline === null ? null : Date.parse(deadline);
}

function toggle(element: HTMLElement | undefined, visible: boolean): void {
  if (element && element.hidden === visible) element.hidden = !visible;
}
