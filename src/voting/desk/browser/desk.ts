import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../web/i18n.ts';
import { find, onKeys } from '../../page/browser/dom.ts';
import { wording } from '../../page/browser/i18n.ts';
import { prepareAddLine } from './add-line.ts';
import { Commands } from './commands.ts';
import { prepareAddresses } from './desk-addresses.ts';
import { putOnAir, setOrder } from './desk-commands.ts';
import { DeskRelay } from './desk-relay.ts';
import { type ConnectionState, DeskState } from './desk-state.ts';
import { drawSteps, RundownList } from './desk-view.ts';
import { DeskPicture } from './pictures.ts';
import { RunOrder } from './run-order.ts';
import { keepKey, keyOf } from './show-keys.ts';
import { stepsOf, titleOf } from './steps.ts';

const TICK_MS = 250;

const WAY_WORDS: Record<ConnectionState, string> = {
  connecting: words.connecting,
  live: '',
  away: words.away,
  engine: words.engineAway,
  rejected: words.keyRejected,
  gone: words.showGone,
  malformed: words.malformed,
};
/** There is nothing to work at. */
const SHUT: readonly ConnectionState[] = ['rejected', 'gone', 'malformed'];

/** The desk of one show: draws what the relay says, and sends what is pressed. */
export class Desk {
  readonly #box: HTMLElement;
  readonly #state: DeskState;
  readonly #order: RunOrder;
  readonly #presses: Commands;
  readonly #list: RundownList;
  readonly #air: DeskPicture;
  readonly #next: DeskPicture;
  readonly #writeAddresses: () => void;
  #chosen: string | undefined;
  /** The run-down before this desk changed it. */
  #orderBefore: readonly string[] | undefined;
  #isDrawing = false;
  /** Of the word on the page: one that was said while the relay was away ends with that. */
  #wayOfWord: ConnectionState = 'connecting';

  constructor(box: HTMLElement) {
    this.#box = box;
    const { desk: name = '', relay: url = '' } = box.dataset;
    const relay = new DeskRelay(url, name, keyOf(name));
    this.#state = new DeskState(relay, () => this.#redraw());
    this.#order = new RunOrder(this.#state);
    this.#presses = new Commands(
      this.#state,
      text => this.#say(text),
      () => this.#redraw(),
    );
    this.#list = new RundownList(this.#part('rundown'), {
      onChoose: id => this.#choose(id),
      onTake: id => this.#take(id),
      onMove: (id, place) => void this.#move(id, place),
      onRemove: id => this.#setOrder(this.#rundown.filter(other => other !== id)),
    });
    this.#air = new DeskPicture(box.querySelector<HTMLElement>('[data-picture="air"]')!);
    this.#next = new DeskPicture(box.querySelector<HTMLElement>('[data-picture="next"]')!);
    this.#writeAddresses = prepareAddresses(box, this.#state, text => this.#say(text));
    prepareAddLine(find<HTMLFormElement>(box, 'add-form')!, this.#state, this.#presses, text =>
      this.#say(text),
    );
    this.#prepareKeys();
    this.#prepareWayIn();
    setInterval(() => this.#tick(), TICK_MS);
    if (relay.key === '') this.#showWayIn(words.noKey);
    else this.#state.begin();
  }

  get #own() {
    return { chosen: this.#chosen, orderBefore: this.#orderBefore };
  }

  get #rundown(): readonly string[] {
    return this.#state.show?.rundown ?? [];
  }

  #press(name: string): void {
    const step = stepsOf(this.#state, this.#order, this.#own).find(one => one.name === name);
    if (!step) return;
    if (name === 'take') this.#chosen = undefined;
    if (typeof step.press === 'string') this.#say(step.press);
    else if (name === 'undo') void this.#setOrder(this.#orderBefore ?? []);
    else void this.#presses.carry(step.press);
  }

  #take(id: string): void {
    this.#chosen = undefined;
    void this.#presses.carry(putOnAir(this.#state, this.#order.wireId(id)));
  }

  #choose(id: string): void {
    this.#chosen = this.#chosen === id ? undefined : id;
    this.#redraw();
  }

  async #move(id: string, place: number): Promise<void> {
    const others = this.#rundown.filter(other => other !== id);
    if (place < 0 || place > others.length) return;
    await this.#setOrder([...others.slice(0, place), id, ...others.slice(place)]);
    this.#list.focus(id);
  }

  async #setOrder(rundown: readonly string[]): Promise<void> {
    const before = this.#rundown;
    if (await this.#presses.carry(setOrder(this.#state, rundown))) this.#orderBefore = before;
  }

  #prepareKeys(): void {
    onKeys(this.#box);
    this.#box.addEventListener('keydown', event => {
      // Out of a field, so that keys are keys again.
      if (event.key === 'Escape' && event.target instanceof HTMLInputElement) event.target.blur();
      else this.#listKey(event);
    });
  }

  /** Up and down go through the run-down; with Shift the row goes along. Delete takes it out. */
  #listKey(event: KeyboardEvent): void {
    const id = event.target instanceof Element && event.target.closest('li')?.dataset['poll'];
    if (!id || event.ctrlKey || event.altKey || event.metaKey) return;
    const place = this.#rundown.indexOf(id);
    const step = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    const other = this.#rundown[place + step];
    if (step !== 0 && event.shiftKey) void this.#move(id, place + step);
    else if (step !== 0 && other !== undefined) this.#list.focus(other);
    else if (event.key === 'Delete') void this.#setOrder(this.#rundown.filter(one => one !== id));
    else if (step === 0) return;
    event.preventDefault();
  }

  #prepareWayIn(): void {
    const form = find<HTMLFormElement>(this.#box, 'key-form')!;
    form.addEventListener('submit', event => {
      event.preventDefault();
      const key = String(new FormData(form).get('show_key')).trim();
      this.#state.relay.key = key;
      keepKey(this.#state.relay.name, key);
      form.reset();
      this.#state.begin();
    });
  }

  #showWayIn(words: string): void {
    this.#part('way-in').hidden = false;
    this.#part('way-in-word').textContent = words;
    const isThere = this.#state.way !== 'gone' && this.#state.way !== 'malformed';
    find(this.#box, 'take-link')!.hidden = isThere;
    find(this.#box, 'key-form')!.hidden = !isThere;
    this.#say('');
  }

  /** Many changes of one moment are drawn once. */
  #redraw(): void {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    queueMicrotask(() => {
      this.#isDrawing = false;
      this.#draw();
    });
  }

  #draw(): void {
    const { way, show } = this.#state;
    const isShut = SHUT.includes(way);
    this.#part('way-in').hidden = !isShut;
    if (isShut) this.#showWayIn(WAY_WORDS[way]);
    this.#part('work').hidden = isShut || !show;
    this.#box.dataset['way'] = way;
    if (way === 'live' && this.#wayOfWord !== 'live') this.#say('');
    this.#part('way').textContent = isShut ? '' : WAY_WORDS[way];
    if (!show || isShut) return;
    const isRehearsing = this.#order.isRehearsing;
    this.#box.toggleAttribute('data-rehearsing', isRehearsing);
    this.#box.toggleAttribute('data-live-air', show.on_air !== null && !isRehearsing);
    this.#part('title').textContent = show.title || show.name;
    this.#part('empty').hidden = show.rundown.length > 0;
    const presses = this.#presses;
    this.#list.draw(this.#state, this.#order, this.#chosen, presses.isOnTheWay('show'));
    drawSteps(
      this.#part('steps'),
      stepsOf(this.#state, this.#order, this.#own),
      ({ subject }) => presses.isOnTheWay(subject),
      step => this.#press(step),
    );
    this.#drawPictures();
    this.#writeAddresses();
    this.#tick();
  }

  #drawPictures(): void {
    const { relay, name } = this.#state.relay;
    const { onAir, next, isRehearsing } = this.#order;
    const title = (id: string | undefined, none: string) => (id ? titleOf(this.#state, id) : none);
    const label = isRehearsing ? words.rehearsal : words.onAir;
    this.#air.show(`${relay}/overlay/show/${name}#preview`, title(onAir, words.nothingOnAir), label);
    const beside = this.#chosen ?? next;
    const url = beside && `${relay}/overlay/${this.#order.wireId(beside)}#preview`;
    this.#next.show(url, title(beside, words.nothingNext), this.#chosen ? words.chosen : words.next);
  }

  #tick(): void {
    const { screens, rate, polls, clock } = this.#state;
    const { onAir } = this.#order;
    const poll = onAir && polls.get(this.#order.wireId(onAir));
    const deadlineMs = poll && poll !== 'gone' && poll.status === 'open' ? poll.deadlineMs : null;
    const restMs = deadlineMs === null ? 0 : deadlineMs - clock.now();
    this.#part('clock-box').hidden = restMs <= 0;
    this.#part('clock').textContent = restMs > 0 ? wording.timeLeft(restMs) : '';
    this.#part('screens').textContent = screens === undefined ? '–' : wording.number(screens);
    const { voters, seconds } = rate.read();
    this.#part('rate').textContent = wording.number(voters);
    this.#part('rate-span').textContent =
      seconds < 60 ? fill(words.lastSeconds, { seconds: wording.number(seconds) }) : words.lastMinute;
  }

  #say(text: string): void {
    this.#wayOfWord = this.#state.way;
    this.#part('word').textContent = text;
  }

  #part(name: string): HTMLElement {
    return find(this.#box, name)!;
  }
}
