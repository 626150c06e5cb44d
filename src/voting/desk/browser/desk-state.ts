import { RelayLink } from '../../../client/relay-link.ts';
import { ServerClock } from '../../../client/server-clock.ts';
import type { HiddenMessage, ResultsMessage, Watch, WatchState } from '../../../client/watch-state.ts';
import { SHOW_NAME } from '../../../poll/name-rules.ts';
import type { PollStatus } from '../../../poll/poll.ts';
import { originOfTwin } from '../../../poll/rehearsal-twin.ts';
import type { ShowMessage } from '../../../protocol/messages.ts';
import type { DeskRelay, PollBody, ShowBody } from './desk-relay.ts';

/** What is known of one poll of the run-down. */
export interface DeskPoll {
  readonly title: string;
  readonly status: PollStatus;
  /** Undefined where this key may not see them. */
  readonly votes: number | undefined;
  readonly isShown: boolean;
  readonly deadlineMs: number | null;
  /** Seconds from the opening to the deadline, where the poll is prepared so. */
  readonly closesInS: number | undefined;
}

/** `live` is the only one in which presses are sent. */
export type ConnectionState = 'connecting' | 'live' | 'away' | 'engine' | 'rejected' | 'gone' | 'malformed';

/** Often enough that a desk is true again a moment after the relay is back. */
const LOOK_MS = 2_000;
/** Of the figure of voters. */
const SPAN_MS = 60_000;
/** The list needs no more; the pictures beside it are as fast as any overlay. */
const HZ = 4;

/** The truth at the desk: what the relay said last, and whether it can be heard. Nothing here is guessed from presses. */
export class DeskState {
  readonly relay: DeskRelay;
  readonly clock = new ServerClock();
  readonly rate = new VoterRate();
  way: ConnectionState = 'connecting';
  show: ShowBody | undefined;
  screens: number | undefined;
  readonly polls = new Map<string, DeskPoll | 'gone'>();
  readonly #onChange: () => void;
  readonly #watches = new Map<string, Watch>();
  #link: RelayLink | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(relay: DeskRelay, onChange: () => void) {
    this.relay = relay;
    this.#onChange = onChange;
  }

  begin(): void {
    this.end();
    this.way = SHOW_NAME.test(this.relay.name) ? 'connecting' : 'malformed';
    this.#onChange();
    if (this.way === 'malformed') return;
    this.#connect();
    void this.look();
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#link?.close();
    this.#watches.clear();
  }

  /** Reads the show, so that what is known is not older than this moment. @returns whether an answer came */
  async look(): Promise<boolean> {
    clearTimeout(this.#timer);
    const answer = await this.relay.askShow('');
    const before = this.way;
    if (answer.kind === 'done') this.take(answer.body);
    else if (answer.kind === 'lost') this.way = answer.isEngine ? 'engine' : 'away';
    else if (answer.code === 'show_not_found' || answer.code === 'route_not_found') this.way = 'gone';
    else if (answer.code.startsWith('api_key')) this.way = 'rejected';
    // Back: a connection that waits for its next try would come later.
    if (before === 'away' && this.way === 'live') this.#connect();
    this.#onChange();
    clearTimeout(this.#timer);
    if (this.way !== 'gone' && this.way !== 'rejected')
      this.#timer = setTimeout(() => void this.look(), LOOK_MS);
    return answer.kind === 'done';
  }

  /** The relay's word, however it came. What is older than what is known says nothing. */
  take(show: ShowBody): void {
    this.way = 'live';
    if (show.screens !== undefined) this.screens = show.screens;
    if (show.now !== undefined) this.relay.hearClock(show.now);
    if (this.show && show.version < this.show.version) return;
    this.show = show;
    this.#watchPolls(show);
    this.#onChange();
  }

  takePoll({ id, status, results_visibility, deadline, closes_in }: PollBody): void {
    const known = this.polls.get(id);
    if (!known || known === 'gone') return;
    const isShown = isShownNow(results_visibility, status);
    this.polls.set(id, { ...known, status, isShown, deadlineMs: msOf(deadline), closesInS: closes_in });
    this.#onChange();
  }

  isOwn(id: string): boolean {
    return this.show?.own.includes(originOfTwin(id) ?? id) ?? false;
  }

  #connect(): void {
    const { relay, name, key } = this.relay;
    this.#link?.close();
    this.#watches.clear();
    this.#link = new RelayLink(relay, { hz: HZ, preview: true });
    this.#link.follow(name, {
      showKey: key,
      onChange: message => this.#hearShow(message),
      // The relay says why to who asks.
      onRefused: () => void this.look(),
      onResults: () => {},
    });
    if (this.show) this.#watchPolls(this.show);
  }

  #hearShow({ show: name, id: on_air, title, rundown, own, place = null, version }: ShowMessage): void {
    // Whoever reads instead of listening, and has no word of the rest, looks for it.
    if (title === undefined || !rundown || !own || version === undefined) void this.look();
    else this.take({ name, title, on_air, rundown, own, place, version });
  }

  #watchPolls({ rundown, on_air }: ShowBody): void {
    const wanted = new Set(on_air === null ? rundown : [...rundown, on_air]);
    for (const [id, watch] of this.#watches)
      if (!wanted.has(id)) {
        watch.close();
        this.#watches.delete(id);
      }
    for (const id of wanted)
      if (!this.#watches.has(id)) this.#watches.set(id, this.#watch(id, this.isOwn(id)));
  }

  #watch(id: string, isOwn: boolean): Watch {
    return this.#link!.watch(id, {
      key: isOwn ? this.relay.key : undefined,
      onResults: results => this.#hear(results),
      onState: state => this.#enter(id, state),
    });
  }

  #hear(message: ResultsMessage | HiddenMessage): void {
    const { id, title, status, results_visibility } = message;
    if ('timestamp' in message) this.clock.observe(message.timestamp * 1_000);
    if ('total_voters' in message) this.rate.note(id, message.total_voters);
    this.polls.set(id, {
      title,
      status,
      votes: 'total_votes' in message ? message.total_votes : undefined,
      isShown: isShownNow(results_visibility, status),
      deadlineMs: msOf(message.deadline),
      closesInS: message.closes_in,
    });
    this.#onChange();
  }

  #enter(id: string, state: WatchState): void {
    if (state.state === 'hidden' && state.hidden) this.#hear(state.hidden);
    if (state.state === 'refused' && (state.code === 4404 || state.code === 4410)) {
      this.polls.set(id, 'gone');
      this.#onChange();
    }
  }
}

function isShownNow(visibility: string, status: PollStatus): boolean {
  return visibility === 'always' || (visibility === 'after_deadline' && status === 'closed');
}

function msOf(deadline: string | null): number | null {
  return deadline === null ? null : Date.parse(deadline);
}

/** How many people voted in the last minute, in all polls that are heard of, as far as this page has listened. */
class VoterRate {
  readonly #known = new Map<string, number>();
  #moments: { readonly atMs: number; readonly voters: number }[] = [];
  readonly #beganMs = Date.now();

  note(id: string, voters: number): void {
    const before = this.#known.get(id);
    this.#known.set(id, voters);
    if (before !== undefined && voters > before)
      this.#moments.push({ atMs: Date.now(), voters: voters - before });
  }

  /** @returns voters, and the seconds that were listened to */
  read(): { readonly voters: number; readonly seconds: number } {
    const nowMs = Date.now();
    this.#moments = this.#moments.filter(({ atMs }) => nowMs - atMs < SPAN_MS);
    return {
      voters: this.#moments.reduce((sum, { voters }) => sum + voters, 0),
      seconds: Math.max(1, Math.round(Math.min(SPAN_MS, nowMs - this.#beganMs) / 1_000)),
    };
  }
}
