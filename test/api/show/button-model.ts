/** What the buttons of a show are to do, written from the contract and without the code that does it. */

export interface ModelPoll extends ModelEnd {
  readonly id: string;
  readonly isOwn: boolean;
  status: 'upcoming' | 'open' | 'closed';
  visibility: 'always' | 'hidden';
  revealedFrom: number | null;
  votes: number[];
}

interface ModelEnd {
  /** Seconds to the deadline, which no test reaches. */
  leftS: number | null;
  /** Distinguishes deadlines, also those with the same seconds left; null without one. */
  deadline: number | null;
  closesInS: number | null;
}

type Restore = Omit<ModelPoll, 'isOwn' | 'votes'>;

interface Entry {
  readonly press: string;
  readonly rundown?: readonly string[];
  /** With a rundown: the place before. */
  readonly place?: string | null;
  readonly air?: { readonly onAir: string | null; readonly place: string | null };
  readonly poll?: Restore;
  readonly winners?: ButtonModel['winners'];
  /** What of the poll the press changed. */
  readonly did?: 'open' | 'close' | 'end' | 'show' | undefined;
}

export interface Press {
  readonly button: string;
  readonly show: Readonly<Record<string, unknown>>;
}

const OK = 200;
const MAX_HISTORY = 20;

let deadlines = 0;

/** A deadline that no poll had before, or none. */
export function deadlineIn(leftS: number | null): ModelEnd {
  return { leftS, deadline: leftS === null ? null : ++deadlines, closesInS: null };
}

export class ButtonModel {
  onAir: string | null = null;
  place: string | null = null;
  history: Entry[] = [];
  finalTwo = false;
  closeBeforeNext = false;
  winner = 'close';
  /** Those that came on a press, and whether the table is back. */
  winners: readonly (readonly [id: string, isPast: boolean])[] = [];
  rundown: readonly string[];
  polls: Map<string, ModelPoll>;

  /** @param polls all of them; those of the show are its rundown */
  constructor(polls: readonly ModelPoll[]) {
    this.polls = new Map(polls.map(poll => [poll.id, poll]));
    this.rundown = polls.filter(({ isOwn }) => isOwn).map(({ id }) => id);
    this.history = this.rundown.map((_, at) => ({
      press: 'add',
      rundown: this.rundown.slice(0, at),
      place: null,
    }));
  }

  clone(): ButtonModel {
    const { polls, ...state } = structuredClone({ ...this });
    return Object.assign(new ButtonModel([...polls.values()]), state);
  }

  get aired(): ModelPoll | undefined {
    return this.onAir === null ? undefined : this.polls.get(this.onAir);
  }

  /** @returns the status of the reply, or the code of its error */
  press({ button, show }: Press): number | string {
    if (show['if_on_air'] !== undefined && show['if_on_air'] !== this.onAir) return 'on_air_changed';
    switch (button) {
      case 'options':
        this.finalTwo = (show['final_two'] as boolean | undefined) ?? this.finalTwo;
        this.winner = (show['winner'] as string | undefined) ?? this.winner;
        this.closeBeforeNext = (show['close_before_next'] as boolean | undefined) ?? this.closeBeforeNext;
        return OK;
      case 'list':
        return this.#list(show['rundown'] as string[], show['confirm'] === true);
      case 'clear':
        if (this.onAir !== null) this.#air(null, 'clear');
        return OK;
      case 'take':
        if (this.onAir !== show['on_air']) this.#air(show['on_air'] as string, 'take');
        return OK;
      case 'next':
      case 'previous':
        return this.#move(button);
      case 'undo':
        return this.#undo();
      default:
        return this.#ofPoll(button, show);
    }
  }

  #list(rundown: readonly string[], confirm: boolean): number | string {
    const before = this.rundown;
    if (rundown.join() === before.join()) return OK;
    const losesAir = this.onAir !== null && before.includes(this.onAir) && !rundown.includes(this.onAir);
    if (losesAir && !confirm) return 'confirm_required';
    const added = rundown.some(id => !before.includes(id));
    const removed = before.some(id => !rundown.includes(id));
    this.#remember({
      press: added ? 'add' : removed ? 'remove' : 'move',
      rundown: before,
      place: this.place,
    });
    this.#order(rundown);
    return OK;
  }

  /** The place stays at its poll, or falls back to the one before it. */
  #order(rundown: readonly string[]): void {
    const { onAir, place } = this;
    const passed = place === null ? [] : this.rundown.slice(0, this.rundown.indexOf(place) + 1);
    const back = passed.findLast(id => rundown.includes(id)) ?? null;
    this.place = onAir !== null && rundown.includes(onAir) ? onAir : back;
    this.rundown = rundown;
  }

  #move(button: 'next' | 'previous'): number | string {
    const at = this.place === null ? -1 : this.rundown.indexOf(this.place);
    const back = this.onAir !== null && this.onAir === this.place ? at - 1 : at;
    const to = this.rundown[button === 'next' ? at + 1 : back];
    if (to === undefined) return button === 'next' ? 'rundown_end' : 'rundown_start';
    this.#air(to, button);
    return OK;
  }

  #air(to: string | null, press: string): void {
    const { aired } = this;
    const closes = to !== null && this.closeBeforeNext && aired?.isOwn && aired.status === 'open';
    const air = { onAir: this.onAir, place: this.place };
    this.#remember({ press, air, ...(closes && { poll: restoreOf(aired), did: 'close' }) });
    if (closes) aired.status = 'closed';
    this.onAir = to;
    if (to !== null && this.rundown.includes(to)) this.place = to;
  }

  #ofPoll(button: string, { closes_in, confirm, to, poll: id }: Press['show']): number | string {
    const poll = id === undefined ? this.aired : this.polls.get(id as string);
    if (!poll) return 'nothing_on_air';
    if (!poll.isOwn) return 'api_key_rejected';
    const before = restoreOf(poll);
    const seconds = closes_in as number | undefined;
    const remember = (did: Entry['did'], winners?: ButtonModel['winners']) => {
      this.#remember({ press: button, poll: before, did, ...(winners && { winners: this.winners }) });
      this.winners = winners ?? this.winners;
      return OK;
    };
    const others = this.winners.filter(([known]) => known !== poll.id);
    const shown = this.winners.find(([known]) => known === poll.id);
    const isCued = this.winner === 'press' && poll.status === 'closed';
    const crowned: ButtonModel['winners'] = [...others, [poll.id, false]];
    const isRevealing = poll.revealedFrom !== null;
    if (isRevealing && !confirm && (button === 'open' || button === 'reveal')) return 'confirm_required';
    if (button === 'open') {
      if (poll.status === 'open' && seconds === undefined) return OK;
      const wasOpen = poll.status === 'open';
      const closesInS = seconds ?? poll.closesInS;
      if (closesInS !== null) Object.assign(poll, deadlineIn(closesInS));
      Object.assign(poll, { status: 'open', revealedFrom: null });
      return remember(wasOpen ? 'end' : 'open', shown && others);
    }
    if (button === 'close') {
      if (poll.status === 'closed') return OK;
      if (seconds === undefined) poll.status = 'closed';
      else if (poll.status === 'open') Object.assign(poll, deadlineIn(seconds));
      else if (poll.closesInS === seconds) return OK;
      else Object.assign(poll, { ...deadlineIn(null), closesInS: seconds });
      return remember(seconds === undefined ? 'close' : 'end');
    }
    if (button === 'keep_open') {
      if (poll.status === 'closed' || (poll.leftS === null && poll.closesInS === null)) return OK;
      Object.assign(poll, deadlineIn(null));
      return remember('end');
    }
    if (button === 'hide') {
      if (poll.visibility === 'hidden' && !isRevealing) return OK;
      Object.assign(poll, { visibility: 'hidden', revealedFrom: null });
      return remember('show');
    }
    if (button === 'reveal') {
      if (poll.visibility === 'always') return isCued && !shown ? remember(undefined, crowned) : OK;
      if (poll.status === 'open' && !confirm) return 'poll_open';
      Object.assign(poll, { visibility: 'always', revealedFrom: null });
      return remember('show', isCued ? crowned : undefined);
    }
    const wasPublic = poll.visibility === 'always';
    if (isCued && wasPublic && !shown) return remember(undefined, crowned);
    if (isCued && wasPublic && shown && !shown[1] && to === undefined)
      return remember(undefined, [...others, [poll.id, true]]);
    const refused = this.#step(poll, to as number | undefined);
    return refused ?? remember('show', isCued && poll.visibility === 'always' ? crowned : undefined);
  }

  /** @returns undefined where a place was revealed */
  #step(poll: ModelPoll, to: number | undefined): number | string | undefined {
    if (to !== undefined && (poll.visibility === 'always' || to >= (poll.revealedFrom ?? 1e9))) return OK;
    if (poll.status === 'open') return 'poll_open';
    if (poll.visibility === 'always' || poll.status !== 'closed') return 'nothing_to_reveal';
    const places = poll.votes.map(votes => 1 + poll.votes.filter(other => other > votes).length);
    const hidden = [...new Set(places)].filter(place => place < (poll.revealedFrom ?? 1e9));
    const steps = hidden.sort((one, other) => other - one);
    const alone = steps.slice(0, Math.max(0, steps.length - (this.finalTwo ? 2 : 1)));
    if (to === undefined ? alone.length === 0 : to <= 1) {
      Object.assign(poll, { visibility: 'always', revealedFrom: null });
      return undefined;
    }
    const reached = to === undefined ? alone[0] : alone.filter(place => place >= to).at(-1);
    if (reached === undefined) return 'nothing_to_reveal';
    poll.revealedFrom = reached;
    return undefined;
  }

  /** The press that `undo` takes back: one of which nothing is left is none. */
  get undo(): string | null {
    const newest = this.history.findLast(
      entry => entry.air || entry.rundown || this.clone().#takeBack(entry),
    );
    return newest?.press ?? null;
  }

  #undo(): number | string {
    const entry = this.history.pop();
    if (!entry) return 'nothing_to_undo';
    if (entry.air) Object.assign(this, entry.air);
    if (entry.rundown) {
      this.rundown = entry.rundown;
      this.place = entry.place ?? null;
      this.#order(entry.rundown);
    }
    const isBack = this.#takeBack(entry) || entry.air || entry.rundown;
    return isBack ? OK : 'nothing_to_undo';
  }

  /** @returns whether it changed anything */
  #takeBack({ poll: before, did, winners }: Entry): boolean {
    if (!before) return false;
    const poll = this.polls.get(before.id)!;
    const was = JSON.stringify(poll);
    if (did) this.#restore(before, did);
    if (winners)
      this.#crown(
        poll,
        winners.filter(([id]) => id === poll.id),
      );
    return JSON.stringify(poll) !== was || (!!winners && poll.status === 'closed');
  }

  /** An open poll has no winner. */
  #crown(poll: ModelPoll, own: ButtonModel['winners']): void {
    const others = this.winners.filter(([id]) => id !== poll.id);
    this.winners = poll.status === 'open' ? others : [...others, ...own];
  }

  #restore(before: Restore, did: Entry['did']): void {
    const poll = this.polls.get(before.id)!;
    const isCast = poll.votes.some(votes => votes > 0);
    const { leftS, deadline, closesInS } = before;
    // A poll opens again, or stays open, with the time that was left at the press.
    const end = before.status === 'open' ? deadlineIn(leftS) : { leftS, deadline, closesInS };
    if (did === 'show') {
      const hides = { visibility: before.visibility, revealedFrom: before.revealedFrom };
      if (poll.status !== 'closed') hides.revealedFrom = null;
      Object.assign(poll, hides);
    } else if (did === 'end') {
      const isSame = poll.deadline === deadline && poll.closesInS === closesInS;
      if (poll.status === before.status && !isSame) Object.assign(poll, end);
    } else if (before.status === 'open') {
      if (poll.status === 'closed') Object.assign(poll, { status: 'open', ...end, revealedFrom: null });
    } else {
      const status = before.status === 'upcoming' && !isCast ? 'upcoming' : 'closed';
      Object.assign(poll, { status, ...end });
      if (did === 'open' && poll.visibility === 'hidden' && before.visibility === 'hidden')
        poll.revealedFrom = before.revealedFrom;
    }
  }

  #remember(entry: Entry): void {
    this.history = [...this.history, entry].slice(-MAX_HISTORY);
  }
}

function restoreOf({ isOwn: _, votes: __, ...rest }: ModelPoll): Restore {
  return { ...rest };
}
