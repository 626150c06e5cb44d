import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../web/i18n.ts';
import { phrases, wording } from '../spoken.ts';
import type { DeskState } from './desk-state.ts';
import { dragRows } from './row-drag.ts';
import type { RunOrder } from './run-order.ts';
import { titleOf } from './steps.ts';

export interface RundownListener {
  onChoose(id: string): void;
  onTake(id: string): void;
  onRemove(id: string): void;
  /** @param place counted from 0, among all */
  onMove(id: string, place: number): void;
}

/** What there is of one row, so that it is written and not made anew: the focus and a drag outlive whatever changes. */
interface Row {
  readonly item: HTMLLIElement;
  readonly number: HTMLElement;
  readonly question: HTMLElement;
  readonly status: HTMLElement;
  readonly tag: HTMLElement;
  readonly choose: HTMLButtonElement;
}

/** The run-down: order, question, state, votes; each row can be taken, moved and removed. */
export class RundownList {
  readonly #list: HTMLElement;
  readonly #listener: RundownListener;
  readonly #rows = new Map<string, Row>();

  constructor(list: HTMLElement, listener: RundownListener) {
    this.#list = list;
    this.#listener = listener;
    dragRows(list, (id, place) => listener.onMove(id, place));
  }

  draw(state: DeskState, order: RunOrder, chosen: string | undefined, isSent: boolean): void {
    const ids = state.show?.rundown ?? [];
    for (const [id, { item }] of this.#rows)
      if (!ids.includes(id)) {
        item.remove();
        this.#rows.delete(id);
      }
    for (const [place, id] of ids.entries()) {
      const row = this.#rows.get(id) ?? this.#add(id);
      const there = this.#list.children[place];
      if (there !== row.item) this.#list.insertBefore(row.item, there ?? null);
      this.#write(row, id, place, state, order);
      row.choose.setAttribute('aria-pressed', String(id === chosen));
      row.item.toggleAttribute('data-chosen', id === chosen);
    }
    this.#list.toggleAttribute('data-sent', isSent);
  }

  /** The keyboard goes with the row that it moved. */
  focus(id: string): void {
    this.#rows.get(id)?.choose.focus();
  }

  #write(row: Row, id: string, place: number, state: DeskState, order: RunOrder): void {
    const isOn = order.onAir === id;
    const isNext = order.next === id;
    text(row.number, wording.number(place + 1));
    text(row.question, titleOf(state, id));
    text(row.status, statusOf(state, isOn ? order.wireId(id) : id));
    text(row.tag, isOn ? (order.isRehearsing ? words.rehearsal : words.onAir) : isNext ? words.next : '');
    row.item.toggleAttribute('data-on-air', isOn);
    row.item.toggleAttribute('data-next', isNext && !isOn);
    row.item.toggleAttribute('data-gone', state.polls.get(id) === 'gone');
  }

  #add(id: string): Row {
    const item = document.createElement('li');
    item.dataset['poll'] = id;
    const [handle, number, question, status, tag] = [
      part('handle'),
      part('number'),
      part('question'),
      part('status'),
      part('tag'),
    ];
    handle.dataset['handle'] = '';
    handle.setAttribute('aria-hidden', 'true');
    handle.textContent = '⋮⋮';
    question.dir = 'auto';
    const choose = button('', () => this.#listener.onChoose(id));
    choose.className = 'choose';
    choose.append(number, question, tag, status);
    const { onTake, onMove, onRemove } = this.#listener;
    const place = () => [...this.#list.children].indexOf(item);
    const [tools, more] = [part('tools'), part('more')];
    more.append(
      button('↑', () => onMove(id, place() - 1), words.steps.up),
      button('↓', () => onMove(id, place() + 1), words.steps.down),
      button('×', () => onRemove(id), words.steps.remove),
    );
    tools.append(
      more,
      button(words.steps.take, () => onTake(id)),
    );
    item.append(handle, choose, tools);
    const row = { item, number, question, status, tag, choose };
    this.#rows.set(id, row);
    return row;
  }
}

function statusOf(state: DeskState, id: string): string {
  const poll = state.polls.get(id);
  if (poll === 'gone') return words.goneHint;
  if (!poll) return words.loading;
  const votes = poll.votes === undefined ? '' : wording.plural(phrases, 'votes', poll.votes);
  const { closesInS } = poll;
  const end =
    closesInS === undefined ? '' : fill(phrases.closesAfter, { time: wording.timeLeft(closesInS * 1_000) });
  return [words.status[poll.status], votes, end, poll.isShown ? '' : words.hidden]
    .filter(Boolean)
    .join(' · ');
}

function part(name: string): HTMLSpanElement {
  const element = document.createElement('span');
  element.className = name;
  return element;
}

function button(label: string, onClick: () => void, name?: string): HTMLButtonElement {
  const element = document.createElement('button');
  element.type = 'button';
  element.textContent = label;
  if (name) {
    element.title = name;
    element.setAttribute('aria-label', name);
  }
  element.addEventListener('click', onClick);
  return element;
}

function text(element: HTMLElement, words: string): void {
  if (element.textContent !== words) element.textContent = words;
}
