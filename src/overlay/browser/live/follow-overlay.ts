import { RelayLink } from '../../../client/relay-link.ts';
import { type WatchListener, type WatchState, watchPoll } from '../../../client/watch-poll.ts';
import { catalogueFor } from '../../../locales/catalogues.ts';
import { seededRandom } from '../../../poll/seeded-random.ts';
import type { HiddenMessage } from '../../../protocol/messages.ts';
import { fill } from '../../../web/i18n.ts';
import type { OverlayAddress } from '../../parameter/overlay-address.ts';
import type { PollSnapshot } from '../../picture/picture.ts';
import { Rehearsal } from '../../picture/rehearsal.ts';
import type { Scene } from '../drawing/stage.ts';
import { withoutCounts } from './curtain.ts';
import { LastResults } from './last-results.ts';

export interface FollowListener {
  onScene(scene: Scene): void;
  /** For people: what the overlay is doing, or why there is nothing to draw. */
  onStatus?(status: string): void;
}

/** Every rehearsal begins alike, so that a change of the settings is all that changes. */
const REHEARSAL_SEED = 41;
const POLL_ID = /^[\w-]{1,64}$/;
/** Between two crowds of simulated voters. */
const REHEARSAL_STEP_MS = 600;
/** Screens on air are few, and everybody looks at them: they are back sooner than a crowd may be. */
const LONGEST_PAUSE_MS = 3_000;
/** How long the relay may take to answer before what was known last is drawn. */
const PATIENCE_MS = 1500;

/** A show's code stays between two votes: whoever scans it now is there when the next one opens. */
const BETWEEN_VOTES: HiddenMessage = {
  ...{ type: 'hidden', success: 1, id: '', title: '', poll_answers: [] },
  ...{ status: 'upcoming', deadline: null, results_visibility: 'hidden' },
};

/** Turns what an address names into scenes until the returned function is called. */
export function followOverlay(address: OverlayAddress, listener: FollowListener): () => void {
  const { relay, target, key, preview } = address;
  const { hz } = address.settings;
  if (target.kind === 'rehearsal') return rehearse(address, listener);
  const last =
    key === undefined
      ? new LastResults(`${relay}/${target.kind}/${'id' in target ? target.id : target.name}`)
      : undefined;
  const waits = target.kind === 'show' && address.settings.style === 'code';
  const scenes = new Scenes(listener, last, waits ? BETWEEN_VOTES : undefined);
  if (target.kind === 'poll') {
    if (!POLL_ID.test(target.id)) {
      listener.onStatus?.(statusPhrases().notAnId);
      return () => {};
    }
    const watch = watchPoll(`${relay}/api/poll/${encodeURIComponent(target.id)}`, {
      key,
      hz,
      preview,
      longestPauseMs: LONGEST_PAUSE_MS,
      ...scenes.listener,
    });
    return () => scenes.close(watch);
  }
  const follow = new RelayLink(relay, { hz, preview, longestPauseMs: LONGEST_PAUSE_MS }).follow(target.name, {
    key,
    onShow: id => scenes.changePoll(id),
    ...scenes.listener,
  });
  return () => scenes.close(follow);
}

function rehearse(address: OverlayAddress, { onScene, onStatus }: FollowListener): () => void {
  const { settings } = address;
  const isHidden = settings.moment === 'hidden';
  // Hidden results are there, for a curtain to keep back until they are told.
  const asked = isHidden ? ({ ...settings, moment: 'voting' } as const) : settings;
  const rehearsal = new Rehearsal(asked, Date.now(), seededRandom(REHEARSAL_SEED));
  const draw = () => {
    const poll = rehearsal.read(Date.now());
    const shown = isHidden ? ({ ...poll, results_visibility: 'after_deadline' } as const) : poll;
    onScene({ poll: shown, away: settings.moment === 'away' });
  };
  draw();
  onStatus?.(statusPhrases().rehearsal);
  const timer = setInterval(() => {
    rehearsal.step();
    draw();
  }, REHEARSAL_STEP_MS);
  return () => clearInterval(timer);
}

/** What the client tells, as scenes: the last known stays on air whatever happens to the relay. */
class Scenes {
  readonly #listener: FollowListener;
  readonly #last: LastResults | undefined;
  readonly #patience: ReturnType<typeof setTimeout>;
  /** What is shown while there is nothing. */
  readonly #between: PollSnapshot | undefined;
  #poll: PollSnapshot | undefined;
  #away = false;

  constructor(listener: FollowListener, last: LastResults | undefined, between: PollSnapshot | undefined) {
    this.#listener = listener;
    this.#between = between;
    this.#last = last;
    listener.onStatus?.(statusPhrases().connecting);
    this.#patience = setTimeout(() => this.#recall(), PATIENCE_MS);
  }

  readonly listener: WatchListener = {
    onResults: results => {
      this.#poll = results;
      this.#away = false;
      this.#last?.keep(results);
      this.#publish();
    },
    onState: state => this.#enter(state),
  };

  /** The show points elsewhere. The poll before stays until the next is there, a moment later; for none, it goes. */
  changePoll(id: string | null): void {
    if (id !== null) return;
    this.#poll = this.#between;
    this.#away = false;
    this.#last?.forget();
    this.#listener.onStatus?.(statusPhrases().nothingOnAir);
    this.#publish();
  }

  close(watch: { close(): void }): void {
    clearTimeout(this.#patience);
    watch.close();
  }

  #enter(state: WatchState): void {
    this.#listener.onStatus?.(describe(state));
    if (state.state === 'connecting') return;
    this.#away = state.state === 'stale';
    if (state.state === 'hidden') this.#hide(state.hidden);
    if (state.state === 'refused') {
      this.#poll = this.#between;
      this.#last?.forget();
    }
    this.#publish();
  }

  /** Where only reading works, the relay says no more than that they are hidden: the rest is known from before. */
  #hide(hidden: HiddenMessage | null): void {
    this.#poll = hidden ?? (this.#poll && withoutCounts(this.#poll));
    this.#last?.forget();
  }

  /** The page was loaded while the relay cannot be reached: what was on air last is better than nothing. */
  #recall(): void {
    const poll = this.#poll ? undefined : this.#last?.recall();
    if (!poll) return;
    this.#poll = poll;
    this.#away = true;
    this.#publish();
  }

  #publish(): void {
    if (this.#poll) clearTimeout(this.#patience);
    this.#listener.onScene({ poll: this.#poll, away: this.#away });
  }
}

/** Status messages in the reader's language; the overlay may have another. */
export function statusPhrases() {
  return catalogueFor(navigator.language).overlay.status;
}

function describe(state: WatchState): string {
  const phrases = statusPhrases();
  switch (state.state) {
    case 'connecting':
      return state.reason === undefined
        ? phrases.connecting
        : fill(phrases.noAnswer, { reason: state.reason });
    case 'live':
      return phrases.live;
    case 'final':
      return phrases.final;
    case 'stale':
      return state.reason === 'engine' ? phrases.engine : phrases.stale;
    case 'hidden':
      return phrases.hidden;
    case 'refused':
      return fill(phrases.refused, { message: state.message });
  }
}
