import { ServerClock } from '../../../client/server-clock.ts';
import { watchNow } from '../../../client/watch-poll.ts';
import type { HiddenMessage, ResultsMessage, Watch, WatchState } from '../../../client/watch-state.ts';
import { fill, fillParts } from '../../../locales/i18n.ts';
import { basePath } from '../../../pages/page/browser/base-path.ts';
import {
  create,
  find,
  focusNotice,
  localizeTimes,
  pauseWhileVisible,
  timeElement,
} from '../../../pages/page/browser/dom.ts';
import { followEvents } from '../../../pages/page/browser/event-feed.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import {
  type Counts,
  countsOf,
  markLive,
  paintHiddenTotal,
  paintResults,
  steppedCountsOf,
} from '../../../pages/page/browser/results-list.ts';
import type { PollState } from '../../../pages/page/messages.ts';
import { isVisible, type PollStatus } from '../../../poll/poll.ts';
import { StateWatch, watchWhileVisible } from './poll-watch.ts';

/** What results and hidden messages have in common. */
type Wording = Pick<HiddenMessage, 'title' | 'poll_answers' | 'round'>;

const HZ = 5;
/** The whole audience reads the final results after the deadline. `max_age` lets a proxy answer with one reading. */
const SPREAD_MS = 4_000;
const MAX_AGE_S = 2;
/** At most eight reads in the first minute without a relay. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

/** Close code of the live stream. */
const POLL_DELETED = 4410;

interface LivePollListener {
  /** The poll was opened or reopened, and its form is visible. */
  onOpened(): void;
  /** The poll was deleted. */
  onGone(): void;
}

/**
 * Keeps an open page up to date. While results are not visible, or the poll is closed, it requests
 * the poll's state now and then; once results are visible it watches them live. The deadline passes
 * by the page's own clock.
 */
export class LivePoll {
  readonly #article: HTMLElement;
  readonly #results: HTMLElement;
  readonly #clock = new ServerClock();
  readonly #countdown: Countdown | undefined;
  readonly #states: StateWatch;
  #watch: Watch | undefined;
  #isReadingFinal = false;
  /** The results come from this server, which shows them to voters only. */
  #seesAsVoter: boolean;
  /** Removed votes, as the shown results say. */
  #voided = 0;
  /** The best place on this page, and by the newest state: 1 for all results, 0 for hidden ones. */
  #shownFrom: number;
  #knownFrom = Number.POSITIVE_INFINITY;
  #isReadingTexts = false;
  #version = Infinity;
  readonly #closing = new AbortController();
  readonly #listener: LivePollListener;

  /** @param renderedAtMs when the server had rendered the page, by `performance.now` */
  constructor(
    article: HTMLElement,
    results: HTMLElement,
    listener: LivePollListener,
    renderedAtMs = navigatedAtMs(),
  ) {
    this.#listener = listener;
    this.#article = article;
    this.#results = results;
    const { poll, nowMs, deadlineMs } = article.dataset;
    const line = find(article, 'deadline');
    this.#seesAsVoter = article.dataset['voted'] === 'sees';
    this.#shownFrom = this.#areHidden ? 0 : 1;
    if (Number(nowMs) > 0) this.#clock.observe(Number(nowMs) + performance.now() - renderedAtMs);
    this.#countdown = line && new Countdown(line, this.#clock, () => this.#onClosed());
    this.#countdown?.set(this.#status === 'closed' ? null : Number(deadlineMs) || null);
    this.#states = new StateWatch(`${basePath}/${poll}/state`, this.#status, state => {
      if (state) this.#clock.observe(state.nowMs);
      this.receiveState(state);
    });
    this.#chooseSource();
    if (this.#status === 'closed' && !this.#areHidden) void this.#readFinal(0);
    this.#fold?.addEventListener('toggle', () => this.#chooseSource());
  }

  close(): void {
    this.#closing.abort();
    this.#watch?.close();
    this.#states.stop();
    this.#countdown?.set(null);
  }

  /** @param state null for a deleted poll */
  receiveState(state: PollState | null): void {
    if (state && (state.edition ?? '') !== this.#article.dataset['edition']) void this.#readTexts();
    if (!state) this.#showDeleted();
    // Live results include the state, and are faster.
    else if (!this.#watch) this.#applyState(state);
  }

  get #status(): PollStatus {
    return this.#article.dataset['status'] as PollStatus;
  }

  /** Wraps the results until the voter has voted. */
  get #fold(): HTMLElement | undefined {
    return find(this.#article, 'peek');
  }

  get #areResultsVisible(): boolean {
    const fold = this.#fold;
    return !fold || (fold instanceof HTMLDetailsElement ? fold.open : !fold.hidden);
  }

  /** Whether the results are hidden by the creator, as far as this page knows. */
  get #areHidden(): boolean {
    return find(this.#results, 'hidden-note')?.hidden === false;
  }

  /** The page has no answers until the poll opens. */
  get #isWithheld(): boolean {
    return 'withheld' in this.#article.dataset;
  }

  #chooseSource(): void {
    if (this.#watch) return;
    if (!this.#isWithheld && this.#areResultsVisible && this.#status !== 'closed') this.#watchResults();
    else this.#states.start();
  }

  #watchResults(): void {
    this.#states.stop();
    const { relay, poll } = this.#article.dataset;
    const start = () =>
      watchNow(`${relay}/api/poll/${poll}`, {
        hz: HZ,
        page: true,
        onResults: results => this.#receiveResults(results),
        onState: state => this.#receiveWatchState(state),
      });
    this.#watch = watchWhileVisible(this.#seesAsVoter ? () => this.#followAsVoter() : start);
  }

  #followAsVoter(): { close(): void } {
    return followEvents<ResultsMessage | HiddenMessage>(
      `${basePath}/${this.#article.dataset['poll']}/results`,
      {
        onMessage: message => {
          this.#states.stop();
          this.#showConnection('');
          this.#receive(message);
          markLive(this.#results, 'version' in message && message.status === 'open');
        },
        onLost: () => {
          // In the next round, in which this browser has not voted, the feed is final.
          this.#states.start();
          this.#showConnection(phrases.connectionLost);
          markLive(this.#results, false);
        },
        onGone: () => this.#showDeleted(),
      },
    );
  }

  /** Whether these results, which the relay hides, are shown to this browser. */
  #turnsToVoter({
    status,
    results_visibility: visibility,
  }: Pick<HiddenMessage, 'status' | 'results_visibility'>): boolean {
    const hasVoted = 'voted' in this.#article.dataset;
    if (this.#seesAsVoter || !isVisible(visibility, status, { hasVoted })) return false;
    this.#seesAsVoter = true;
    this.#watch?.close();
    this.#watchResults();
    return true;
  }

  #receive(results: ResultsMessage | HiddenMessage): void {
    if ('version' in results) this.#receiveResults(results);
    else this.#receiveHidden(results);
  }

  #receiveResults(results: ResultsMessage): void {
    this.#clock.observe(results.timestamp * 1000);
    // Until the first vote, rules may change, which results lack.
    const { version, total_votes: votes } = results;
    if (!votes && this.#version < version) void this.#readTexts();
    this.#version = version;
    this.#showTexts(results);
    this.#setStatus(results.status, toMs(results.deadline));
    this.#showResults(countsOf(results), 1);
  }

  #receiveWatchState(state: WatchState): void {
    if (state.state === 'hidden') {
      if (!state.hidden || this.#turnsToVoter(state.hidden)) return;
      this.#receiveHidden(state.hidden);
    } else if (state.state === 'refused' && state.code === POLL_DELETED) {
      this.#showDeleted();
      return;
    }
    this.#showConnection(connectionText(state));
    markLive(this.#results, state.state === 'live' && state.via !== 'read');
  }

  #receiveHidden(hidden: HiddenMessage): void {
    this.#showTexts(hidden);
    const { status, results_visibility, revealed_from } = hidden;
    const deadlineMs = toMs(hidden.deadline);
    this.#setStatus(status, deadlineMs);
    if (revealed_from === undefined) {
      this.#hideResults(results_visibility, deadlineMs);
      paintHiddenTotal(this.#results, hidden, this.#article.dataset['multiple'] === '1');
    } else this.#showResults(steppedCountsOf(hidden), revealed_from);
  }

  #applyState(state: PollState): void {
    const { status, deadlineMs, visible, resultsVisibility, revealedFrom = 0, voided = 0 } = state;
    const wereHidden = this.#areHidden;
    this.#knownFrom = visible ? 1 : revealedFrom;
    this.#setStatus(status, deadlineMs, visible);
    if (!visible && this.#turnsToVoter({ status, results_visibility: resultsVisibility })) return;
    if (this.#knownFrom === 0) this.#hideResults(resultsVisibility, deadlineMs);
    else if (status === 'closed' && (this.#knownFrom !== this.#shownFrom || voided !== this.#voided))
      void this.#readFinal();
    else if (wereHidden) this.#watchResults();
    else this.#chooseSource();
  }

  /** A closed poll needs no connection. */
  async #readFinal(spreadMs = SPREAD_MS): Promise<void> {
    if (this.#isReadingFinal) return;
    this.#isReadingFinal = true;
    await this.#repeat(spreadMs, () => this.#readOnce());
    this.#isReadingFinal = false;
  }

  /** @returns false for a retry */
  async #readOnce(): Promise<boolean> {
    const { relay, poll } = this.#article.dataset;
    const { signal } = this.#closing;
    const isObsolete = () => signal.aborted || this.#watch || this.#status !== 'closed';
    if (isObsolete()) return true;
    const url = `${relay}/api/poll/${poll}?max_age=${MAX_AGE_S}`;
    const reply = await fetch(url, { signal }).catch(() => undefined);
    const read = reply?.ok ? reply.json().catch(() => undefined) : undefined;
    const results = (await read) as ResultsMessage | HiddenMessage | undefined;
    if (isObsolete()) return true;
    if (results?.status === 'closed' && bestPlaceOf(results) <= this.#knownFrom) {
      this.#receive(results);
      return true;
    }
    // Hidden or deleted: the next state says so. Otherwise retry: no reply, or one that a proxy
    // cached before the change.
    return !!reply && !reply.ok && reply.status < 500 && reply.status !== 429;
  }

  /** Shows a correction at once. The rest of the page, such as the note about it, is read a little later. */
  #showTexts({ title, poll_answers, round = 1 }: Wording): void {
    const hasOtherAnswers = poll_answers.map(({ id }) => id).join() !== answersIn(this.#results);
    const isOtherRound = `${round}` !== this.#article.dataset['round'];
    if (hasOtherAnswers || this.#replaceTexts(title, poll_answers) || isOtherRound) void this.#readTexts();
  }

  /** Leaves the choice of the voter as it is. @returns whether a text has changed */
  #replaceTexts(
    title: string,
    answers: readonly { readonly id: string; readonly answer: string }[],
  ): boolean {
    const texts = answers.flatMap(({ id, answer }) => {
      const name = CSS.escape(id);
      const places = this.#article.querySelectorAll(
        `[data-answer="${name}"] .label, [value="${name}"] + span`,
      );
      return [...places].map(place => [place, answer] as const);
    });
    const heading = this.#article.querySelector('h1');
    const changed = [...texts, [heading, title] as const].filter(
      ([place, text]) => place?.textContent !== text,
    );
    for (const [place, text] of changed) if (place) place.textContent = text;
    return changed.length > 0;
  }

  async #readTexts(): Promise<void> {
    if (this.#isReadingTexts) return;
    this.#isReadingTexts = true;
    await this.#repeat(SPREAD_MS, () => this.#readTextsOnce());
    this.#isReadingTexts = false;
  }

  /** @returns false for a retry */
  async #readTextsOnce(): Promise<boolean> {
    const { signal } = this.#closing;
    const reply = await fetch(location.href, { signal }).catch(() => undefined);
    const text = reply?.ok ? await reply.text().catch(() => undefined) : undefined;
    if (signal.aborted) return true;
    if (text === undefined) return false;
    const page = new DOMParser().parseFromString(text, 'text/html');
    localizeTimes(page);
    const article = page.querySelector<HTMLElement>(`[data-poll="${this.#article.dataset['poll']}"]`);
    const shown = this.#article;
    // In another round the voter has not voted.
    if (
      article?.dataset['voted'] !== shown.dataset['voted'] ||
      !article ||
      answersIn(article) !== answersIn(shown) ||
      (find(article, 'voting') && rulesIn(article) !== rulesIn(shown))
    ) {
      reload();
      return true;
    }
    const texts = [...article.querySelectorAll<HTMLElement>('[data-answer]')].map(row => ({
      id: row.dataset['answer'] ?? '',
      answer: row.querySelector('.label')?.textContent ?? '',
    }));
    // The wording below has the title.
    this.#replaceTexts('', texts);
    // The form stays as the voter has filled it, for the present round.
    for (const name of ['wording', 'counted', 'ballot']) {
      const part = find(article, name);
      if (part) find(shown, name)?.replaceWith(part);
    }
    for (const name of ['edition', 'round']) shown.dataset[name] = article.dataset[name];
    return true;
  }

  /** Attempts until one succeeds. @param spreadMs the first one is at a random time within */
  async #repeat(spreadMs: number, attempt: () => Promise<boolean>): Promise<void> {
    const { signal } = this.#closing;
    await pauseWhileVisible(spreadMs * Math.random(), signal);
    for (let pauseMs = FIRST_PAUSE_MS; !(await attempt()); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS))
      await pauseWhileVisible(pauseMs * (0.5 + Math.random() / 2), signal);
  }

  #showDeleted(): void {
    this.#showConnection(phrases.deleted);
    this.#listener.onGone();
  }

  #showConnection(text: string): void {
    const line = find(this.#results, 'connection');
    if (line) line.textContent = text;
  }

  /** @param from the best place that they show */
  #showResults(counts: Counts, from: number): void {
    this.#voided = counts.voided;
    this.#shownFrom = from;
    this.#toggle(false, 'hidden-note', 'hidden-total', 'before-vote');
    this.#toggle(true, 'open');
    this.#toggle(this.#status !== 'upcoming', 'peek');
    paintResults(this.#results, counts, this.#article.dataset['multiple'] === '1');
  }

  #hideResults(resultsVisibility: string, deadlineMs: number | null): void {
    this.#shownFrom = 0;
    this.#toggle(false, 'open');
    this.#toggle(true, 'hidden-note', 'hidden-total');
    for (const line of this.#article.querySelectorAll('[data-hidden-note], [data-before-vote]'))
      if (resultsVisibility === 'after_deadline' && deadlineMs !== null)
        line.replaceChildren(...fillParts(phrases.hiddenUntilEnd, { moment: timeElement(deadlineMs) }));
      else line.textContent = resultsVisibility === 'after_vote' ? phrases.hiddenUntilVote : phrases.hidden;
  }

  #setStatus(status: PollStatus, deadlineMs: number | null, visible = true): void {
    this.#countdown?.set(status === 'closed' ? null : deadlineMs);
    if (this.#isWithheld && status !== 'upcoming') location.reload();
    else if (status === 'closed') this.#onClosed(visible);
    else this.#onOpened(status);
  }

  /** Also called by the countdown, without a connection: the engine rejects ballots after the deadline, too. */
  #onClosed(visible = true): void {
    if (this.#status === 'closed' || this.#isWithheld) return;
    this.#article.dataset['status'] = 'closed';
    markLive(this.#results, false);
    this.#countdown?.set(null);
    const hadFocus = this.#hasFocus('voting');
    this.#toggle(false, 'voting', 'before-vote', 'upcoming', 'change');
    this.#toggle(true, 'ended');
    if (this.#fold instanceof HTMLDetailsElement) this.#fold.open = true;
    this.#toggle(true, 'peek');
    if (hadFocus) focusNotice();
    if (visible && !this.#watch) void this.#readFinal();
  }

  /** Opened, reopened, or still upcoming. */
  #onOpened(status: Exclude<PollStatus, 'closed'>): void {
    if (this.#status === status) return;
    const wasUpcoming = this.#status === 'upcoming';
    this.#article.dataset['status'] = status;
    const hadFocus = this.#hasFocus('upcoming');
    this.#toggle(false, 'ended');
    this.#toggle(status === 'upcoming', 'upcoming');
    this.#toggle(status === 'open', 'change', 'voting');
    if (wasUpcoming) this.#toggle(!this.#areHidden, 'peek');
    if (status === 'open') this.#listener.onOpened();
    // The page came after the close, without a form.
    if (status === 'open' && !('voted' in this.#article.dataset) && !find(this.#article, 'voting'))
      void this.#repeat(SPREAD_MS, async () => {
        if (this.#status === 'open') reload();
        return true;
      });
    if (hadFocus) this.#focusQuestion();
  }

  /** @param names of parts of the page, which may lack some */
  #toggle(visible: boolean, ...names: readonly string[]): void {
    for (const name of names) find(this.#article, name)?.toggleAttribute('hidden', !visible);
  }

  #hasFocus(name: string): boolean {
    return find(this.#article, name)?.contains(document.activeElement) ?? false;
  }

  /** Not an answer: with the focus on it, it would look chosen. */
  #focusQuestion(): void {
    const question = this.#article.querySelector('h1');
    if (!question) return;
    question.tabIndex = -1;
    question.focus({ preventScroll: true });
  }
}

/** Counts down in the line that the server rendered, and calls back at the deadline. */
class Countdown {
  readonly #line: HTMLElement;
  readonly #clock: ServerClock;
  readonly #onEnd: () => void;
  #deadlineMs: number | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(line: HTMLElement, clock: ServerClock, onEnd: () => void) {
    this.#line = line;
    this.#clock = clock;
    this.#onEnd = onEnd;
  }

  /** @param deadlineMs UNIX time in milliseconds; null stops the countdown */
  set(deadlineMs: number | null): void {
    if (deadlineMs !== this.#deadlineMs) this.#render(deadlineMs);
    this.#deadlineMs = deadlineMs;
    this.#tick();
  }

  #render(deadlineMs: number | null): void {
    this.#line.hidden = deadlineMs === null;
    if (deadlineMs === null) return;
    // The role keeps screen readers from reading every second.
    const rest = create('span', { 'data-countdown': '', role: 'timer' });
    const end = fillParts(phrases.closesAt, { moment: timeElement(deadlineMs) });
    this.#line.replaceChildren(rest, ' ', create('span', {}, ...end));
  }

  #tick(): void {
    clearTimeout(this.#timer);
    if (this.#deadlineMs === null) return;
    const restMs = this.#deadlineMs - this.#clock.now();
    const rest = find(this.#line, 'countdown');
    if (rest) rest.textContent = restMs > 0 ? fill(phrases.closesIn, { rest: wording.timeLeft(restMs) }) : '';
    if (restMs <= 0) this.#onEnd();
    else this.#timer = setTimeout(() => this.#tick(), Math.min(restMs, (restMs % 1000) + 1));
  }
}

/** Says how old the results may be; empty for live ones. */
function connectionText(state: WatchState): string {
  if (/stale|connecting|refused/.test(state.state)) return phrases.connectionLost;
  return state.state === 'live' && state.via === 'read' ? phrases.everyFewSeconds : '';
}

/** When the first bytes of the page that the browser loaded arrived. */
function navigatedAtMs(): number {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  return page?.responseStart ?? 0;
}

/** The best place that results show. */
function bestPlaceOf(results: ResultsMessage | HiddenMessage): number {
  return 'version' in results ? 1 : (results.revealed_from ?? 0);
}

/** Ids. */
function answersIn(root: ParentNode): string {
  return [...root.querySelectorAll<HTMLElement>('[data-answer]')]
    .map(({ dataset }) => dataset['answer'])
    .join();
}

/** What differs by the rules of the poll: how many to choose, fields and their order, and what is below the form. */
function rulesIn(root: ParentNode): string {
  const parts = root.querySelectorAll('legend, label input, #comments-title, a[href*="/check"]');
  return [...parts].map(part => part.textContent + part.getAttribute('value')).join();
}

/** What the voter has chosen goes with the page: see `restoreChoice`. */
function reload(): void {
  const form = find<HTMLFormElement>(document, 'vote');
  history.replaceState(form && new FormData(form).getAll('answer'), '');
  location.reload();
}

function toMs(deadline: string | null): number | null {
  return deadline === null ? null : Date.parse(deadline);
}
