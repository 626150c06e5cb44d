import { RelayLink } from '../../../client/relay-link.ts';
import { watchPoll } from '../../../client/watch-poll.ts';
import { type WatchState, withoutCounts } from '../../../client/watch-state.ts';
import { catalogueFor } from '../../../locales/catalogues.ts';
import { fill } from '../../../locales/i18n.ts';
import { nameOf, type OverlayAddress } from '../../../picture/overlay-address.ts';
import { hasResults, type PollSnapshot } from '../../../picture/picture.ts';
import { Rehearsal } from '../../../picture/rehearsal.ts';
import { lookOfPoll } from '../../../picture/show-look.ts';
import { styleTraits } from '../../../picture/styles.ts';
import { winnerStateOf } from '../../../poll/aired-winner.ts';
import { seededRandom } from '../../../poll/rehearsal.ts';
import { PollNotFound, PollRemoved } from '../../../protocol/close-event.ts';
import type { HiddenMessage, ResultsBody, ShowLook, ShowMessage } from '../../../protocol/messages.ts';
import type { Scene } from '../stage.ts';
import { followRundown, type RundownListener } from './rundown.ts';

/** The look of a show. */
export interface SceneLook {
  readonly look: ShowLook;
  /** URLs of its images. */
  readonly logo: string | undefined;
  readonly ground: string | undefined;
}

export interface SceneListener {
  /** @param look of another poll than the one before */
  onScene(scene: Scene, look?: SceneLook): void;
  /** Before the first scene of a show, and on each change of what is shown. */
  onLook(look: SceneLook): void;
  /** A sentence about the connection, or why there is nothing to draw. */
  onStatus(status: string): void;
}

/** A screen for the people in a room: it stays lit, and says why it has no poll. */
export interface Presentation {
  readonly language: string;
  /** The question while a show has nothing on air. */
  readonly between: string;
  /** Says that the poll was deleted. */
  readonly gone: string;
  /** A sentence below the address. */
  readonly note?: string | undefined;
}

/** Rehearsals start alike, so that only a changed setting changes the picture. */
const REHEARSAL_SEED = 41;
const REHEARSAL_STEP_MS = 600;
const SHOW_KEY = 'show_';
const POLL_ID = /^[\w-]{1,64}$/;
/** Screens on air are few and important, so they reconnect sooner than viewers. */
const LONGEST_PAUSE_MS = 3_000;
/** Without results for so long, the stored ones are drawn. */
const PATIENCE_MS = 1500;

/** In place of a poll, where a screen stays lit: a show's code between two votes, a screen beside the air. */
const NO_POLL: HiddenMessage = {
  type: 'hidden',
  success: 1,
  id: '',
  title: '',
  poll_answers: [],
  status: 'upcoming',
  deadline: null,
  results_visibility: 'hidden',
};

/** Follows a poll, a show or a rehearsal, and reports scenes. Returns a function that stops. */
export function followScenes(
  address: OverlayAddress,
  listener: SceneListener,
  presentation?: Presentation,
): () => void {
  const { relay, target, key, preview, previewOf, settings } = address;
  if (target.kind === 'rehearsal') return rehearse(address, listener);
  const isOffAir = styleTraits[settings.style].isOffAir === true;
  const poll = target.kind === 'poll' ? target.id : previewOf;
  if (poll !== undefined && !POLL_ID.test(poll)) {
    const { notAnId } = statusPhrases();
    listener.onStatus(notAnId);
    if (isOffAir) listener.onScene({ poll: { ...NO_POLL, title: notAnId }, away: false });
    return () => {};
  }
  const name = nameOf(target);
  const isStored = key === undefined && previewOf === undefined;
  const stored = isStored ? new StoredResults(`${relay}/${target.kind}/${name}`) : undefined;
  const isOfShow = target.kind === 'show';
  const isCodeOfShow = isOfShow && settings.style === 'code';
  // With an id, it says that voting opens soon.
  const announced = presentation && { ...NO_POLL, id: name, title: presentation.between };
  const between = isCodeOfShow ? NO_POLL : isOfShow ? announced : undefined;
  const saysWhy = isOffAir || presentation !== undefined;
  const scenes = new Scenes({ relay, listener, stored, between, saysWhy, isOfShow, presentation, previewOf });
  const isCounted = !preview && !isOffAir;
  const connection = { hz: settings.hz, preview: !isCounted, longestPauseMs: LONGEST_PAUSE_MS };
  if (target.kind === 'poll') {
    const options = { key, ...connection, ...scenes.listener };
    const watch = watchPoll(`${relay}/api/poll/${encodeURIComponent(name)}`, options);
    return () => scenes.close(watch);
  }
  const link = new RelayLink(relay, connection);
  if (isOffAir && key?.startsWith(SHOW_KEY)) {
    const watch = followRundown(link, name, key, scenes.listener);
    return () => scenes.close(watch);
  }
  if (previewOf === undefined) link.follow(name, { key, ...scenes.listener });
  else {
    link.follow(name, { onChange: scenes.listener.onChange, onResults: () => {} });
    link.watch(previewOf, { key, ...scenes.listener });
  }
  return () => scenes.close(link);
}

function rehearse({ relay, target, settings }: OverlayAddress, listener: SceneListener): () => void {
  const { onScene, onStatus } = listener;
  const isHidden = settings.moment === 'hidden';
  // The results exist and are hidden by a `RevealGate`, so that the reveal can be rehearsed.
  const asked = isHidden ? ({ ...settings, moment: 'voting' } as const) : settings;
  const rehearsal = new Rehearsal(asked, Date.now(), seededRandom(REHEARSAL_SEED));
  const draw = () => {
    const poll = rehearsal.read(Date.now());
    const shown = isHidden ? ({ ...poll, results_visibility: 'after_deadline' } as const) : poll;
    onScene({ poll: shown, away: settings.moment === 'away' });
  };
  draw();
  onStatus(statusPhrases().rehearsal);
  const timer = setInterval(() => {
    rehearsal.step();
    draw();
  }, REHEARSAL_STEP_MS);
  const show = target.kind === 'rehearsal' ? target.show : undefined;
  const link = show === undefined ? undefined : new RelayLink(relay, { hz: settings.hz, preview: true });
  const onChange = (message: ShowMessage) => listener.onLook(lookOf(relay, message));
  if (show !== undefined) link?.follow(show, { onChange, onResults: () => {} });
  return () => {
    clearInterval(timer);
    link?.close();
  };
}

/** @param id of the poll that has it; empty for none */
function lookOf(relay: string, { logo, ground, ...show }: ShowMessage, id = ''): SceneLook {
  const url = (path: string | null | undefined) => (path ? `${relay}${path}` : undefined);
  return { look: lookOfPoll<ShowLook>(show, id) as ShowLook, logo: url(logo), ground: url(ground) };
}

interface ScenesOptions {
  readonly relay: string;
  readonly listener: SceneListener;
  readonly stored: StoredResults | undefined;
  /** Drawn while nothing is on air. */
  readonly between: PollSnapshot | undefined;
  /** Without a poll, the screen says why. */
  readonly saysWhy: boolean;
  readonly isOfShow: boolean;
  readonly presentation: Presentation | undefined;
  readonly previewOf: string | undefined;
}

/** What the show of the poll says beside its look. */
interface OfShow extends Pick<Scene, 'delayMs' | 'joinCode'> {
  /** The poll on air, if it counts votes from chat. */
  readonly inChat?: string | null;
  readonly winner?: ShowMessage['aired_winner'];
}

/** Turns the client's events into scenes. The last results stay on air while the relay is unreachable. */
class Scenes {
  readonly #options: ScenesOptions;
  readonly #patience: ReturnType<typeof setTimeout>;
  #poll: PollSnapshot | undefined;
  #away = false;
  /** Why there is no poll, in words. */
  #reason = '';
  #next: string | null | undefined;
  #show: OfShow = {};
  /** What the show says of the poll that was taken, until that replaces the one with this id. */
  #taken: { readonly show: OfShow; readonly look: SceneLook; readonly before: string } | undefined;
  /** The relay has no such show, and may get it back. */
  #isMissing = false;

  constructor(options: ScenesOptions) {
    this.#options = options;
    this.#patience = setTimeout(() => this.#drawStored(), PATIENCE_MS);
    this.#enter({ state: 'connecting', attempts: 0 });
  }

  readonly listener: RundownListener = {
    onShow: id => this.#changePoll(id),
    onChange: show => this.#changeShow(show),
    onNext: title => {
      this.#next = title;
      this.#publish();
    },
    onAway: away => {
      this.#away = away;
      this.#publish();
    },
    onRefused: ({ message }) => this.#enter({ state: 'refused', code: 0, error: '', message }),
    onResults: results => {
      this.#poll = results;
      this.#away = false;
      this.#publish();
      this.#store();
    },
    onState: state => this.#enter(state),
  };

  /** The show points to another poll, whose results replace these in a moment, or to none. */
  #changePoll(id: string | null): void {
    if (id !== null) return;
    this.#away = false;
    this.#report(statusPhrases(this.#options.presentation?.language).nothingOnAir);
    if (this.#isMissing) return;
    this.#removePoll();
    this.#publish();
  }

  #changeShow(message: ShowMessage): void {
    this.#isMissing = message.missing === true;
    if (message.missing) return;
    const { id, delay = 0, chat, join_code: joinCode, aired_winner: winner } = message;
    const show = { delayMs: delay * 1_000, inChat: chat ? id : null, joinCode, winner };
    const { relay, previewOf, stored, listener } = this.#options;
    const look = lookOf(relay, message, previewOf ?? message.id ?? '');
    const shown = this.#poll === this.#options.between ? null : this.#poll?.id;
    const leaving = previewOf === undefined && shown !== message.id ? this.#poll : undefined;
    stored?.writeLook(look);
    this.#taken = leaving && { show, look, before: leaving.id };
    if (leaving) return;
    const isOther = JSON.stringify(show) !== JSON.stringify(this.#show);
    this.#show = show;
    if (isOther && this.#poll) {
      this.#publish();
      this.#store();
    }
    listener.onLook(look);
  }

  #withWinner<Poll extends PollSnapshot>(poll: Poll): Poll {
    return { ...poll, winner: winnerStateOf(this.#show.winner, poll) ?? poll.winner };
  }

  #store(): void {
    if (this.#poll && hasResults(this.#poll)) this.#options.stored?.write(this.#withWinner(this.#poll));
  }

  close(watch: { close(): void }): void {
    clearTimeout(this.#patience);
    watch.close();
  }

  #report(status: string): void {
    this.#reason = status;
    this.#options.listener.onStatus(status);
  }

  #enter(state: WatchState): void {
    this.#report(describe(state, this.#options.presentation));
    if (state.state === 'connecting' && !this.#options.saysWhy) return;
    this.#away = state.state === 'stale';
    // One that is only missing may come back, and a stored picture of it stays.
    if (state.state === 'refused' && state.code !== PollNotFound.code) this.#removePoll();
    if (state.state === 'hidden') {
      // A relay that only supports reading reports no poll with it, so hide the one that is known.
      this.#poll = state.hidden ?? (this.#poll && withoutCounts(this.#poll));
      this.#options.stored?.remove();
    }
    this.#publish();
  }

  #removePoll(): void {
    this.#poll = this.#options.between;
    this.#options.stored?.remove();
  }

  #drawStored(): void {
    const poll = this.#poll ? undefined : this.#options.stored?.read();
    if (!poll) return;
    const look = this.#options.stored?.readLook();
    if (look) this.#options.listener.onLook(look);
    this.#poll = poll;
    this.#away = true;
    this.#publish();
  }

  #publish(): void {
    if (this.#poll) clearTimeout(this.#patience);
    const taken = this.#taken?.before === this.#poll?.id ? undefined : this.#taken;
    if (taken) {
      this.#taken = undefined;
      this.#show = taken.show;
    }
    // A closed poll has none, but keeps its place on the card, so that nothing moves.
    if (!this.#options.isOfShow && this.#poll && this.#poll.status !== 'closed')
      this.#show = { ...this.#show, joinCode: this.#poll.join_code };
    const poll =
      (this.#poll && this.#withWinner(this.#poll)) ??
      (this.#options.saysWhy ? { ...NO_POLL, title: this.#reason } : undefined);
    const { inChat, delayMs = 0, joinCode } = this.#show;
    const takesChat = poll !== undefined && poll.id === inChat;
    const scene = { poll, away: this.#away, next: this.#next, takesChat, delayMs, joinCode };
    this.#options.listener.onScene(scene, taken?.look);
  }
}

/** Status messages in the reader's language; the overlay may have another. */
export function statusPhrases(language = navigator.language) {
  return catalogueFor(language).overlay.status;
}

function describe(state: WatchState, presentation: Presentation | undefined): string {
  const phrases = statusPhrases(presentation?.language);
  switch (state.state) {
    case 'connecting':
      return state.reason === undefined
        ? phrases.connecting
        : fill(phrases.noAnswer, { reason: state.reason });
    case 'stale':
      return state.reason === 'engine' ? phrases.engine : phrases.stale;
    case 'refused':
      if (presentation && state.code === PollRemoved.code) return presentation.gone;
      return fill(phrases.refused, { message: state.message });
    default:
      return phrases[state.state];
  }
}

const STORED_MS = 12 * 60 * 60 * 1000;
/** Least time between two writes while votes arrive. */
const WRITE_EVERY_MS = 2000;

/**
 * Public results, and the look of their show, in `localStorage`, for a page that loads while the
 * relay is unreachable. Storage may be disabled.
 */
class StoredResults {
  readonly #slot: string;
  #wroteMs = 0;

  constructor(name: string) {
    this.#slot = `tallycast:${name}`;
  }

  write(results: ResultsBody): void {
    const keptMs = Date.now();
    if (keptMs - this.#wroteMs < WRITE_EVERY_MS && results.status === 'open') return;
    this.#wroteMs = keptMs;
    this.#try(() => localStorage.setItem(this.#slot, JSON.stringify({ results, keptMs })));
  }

  read(): ResultsBody | undefined {
    return this.#try(() => {
      const stored = JSON.parse(localStorage.getItem(this.#slot) ?? 'null');
      return stored && Date.now() - stored.keptMs < STORED_MS ? stored.results : undefined;
    });
  }

  remove(): void {
    this.#try(() => localStorage.removeItem(this.#slot));
  }

  writeLook(look: SceneLook): void {
    this.#try(() => localStorage.setItem(`${this.#slot}/look`, JSON.stringify(look)));
  }

  readLook(): SceneLook | undefined {
    return this.#try(() => JSON.parse(localStorage.getItem(`${this.#slot}/look`) ?? 'null')) ?? undefined;
  }

  #try<T>(action: () => T): T | undefined {
    try {
      return action();
    } catch {
      return undefined;
    }
  }
}
