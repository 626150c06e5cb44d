import { html, nothing, render } from 'lit-html';
import { repeat } from 'lit-html/directives/repeat.js';
import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../web/i18n.ts';
import { phrases, wording } from '../../page/browser/i18n.ts';
import type { DeskState } from './desk-state.ts';
import type { RunOrder } from './run-order.ts';
import { type Step, titleOf } from './steps.ts';

export interface RundownListener {
  onChoose(id: string): void;
  onTake(id: string): void;
  onRemove(id: string): void;
  /** @param place counted from 0, among all */
  onMove(id: string, place: number): void;
}

/** The run-down: order, question, state, votes; each row can be taken, moved and removed. */
export class RundownList {
  readonly #list: HTMLElement;
  readonly #listener: RundownListener;

  constructor(list: HTMLElement, listener: RundownListener) {
    this.#list = list;
    this.#listener = listener;
    dragRows(list, (id, place) => listener.onMove(id, place));
  }

  draw(state: DeskState, order: RunOrder, chosen: string | undefined, isSent: boolean): void {
    const { onChoose, onTake, onMove, onRemove } = this.#listener;
    const row = (id: string, place: number) => {
      const isOn = order.onAir === id;
      const isNext = order.next === id;
      const tag = isOn ? (order.isRehearsing ? words.rehearsal : words.onAir) : isNext ? words.next : '';
      const more = (label: string, name: string, onClick: () => void) =>
        html`<button type="button" title=${name} aria-label=${name} @click=${onClick}>${label}</button>`;
      return html`<li data-poll=${id} ?data-chosen=${id === chosen} ?data-on-air=${isOn}
        ?data-next=${isNext && !isOn} ?data-gone=${state.polls.get(id) === 'gone'}><span class="handle" data-handle
        aria-hidden="true">⋮⋮</span><button type="button" class="choose" aria-pressed=${id === chosen ? 'true' : 'false'}
        @click=${() => onChoose(id)}><span class="number">${wording.number(place + 1)}</span><span class="question"
        dir="auto">${titleOf(state, id)}</span><span class="tag" .textContent=${tag}></span><span
        class="status">${statusOf(state, isOn ? order.wireId(id) : id)}</span></button><span class="tools"><span class="more">${more(
          '↑',
          words.steps.up,
          () => onMove(id, place - 1),
        )}${more('↓', words.steps.down, () => onMove(id, place + 1))}${more('×', words.steps.remove, () =>
          onRemove(id),
        )}</span><button type="button" @click=${() => onTake(id)}>${words.steps.take}</button></span></li>`;
    };
    render(
      repeat(state.show?.rundown ?? [], id => id, row),
      this.#list,
    );
    this.#list.toggleAttribute('data-sent', isSent);
  }

  /** The keyboard goes with the row that it moved. */
  focus(id: string): void {
    const row = rowsOf(this.#list).find(({ dataset }) => dataset['poll'] === id);
    row?.querySelector<HTMLElement>('.choose')?.focus();
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

/** The row of steps. A step that cannot be taken keeps its button, which says why. */
export function drawSteps(
  box: HTMLElement,
  steps: readonly Step[],
  isOnTheWay: (step: Step) => boolean,
  onPress: (name: string) => void,
): void {
  render(
    steps.map(
      step => html`<button type="button" data-step=${step.name} data-key=${step.key.toLowerCase()}
        aria-keyshortcuts=${step.key} aria-disabled=${typeof step.press === 'string' ? 'true' : 'false'}
        data-sent=${isOnTheWay(step) ? '' : nothing} @click=${() => onPress(step.name)}><span
        class="label">${step.label}</span><kbd aria-hidden="true">${step.key}</kbd><span class="detail"
        dir="auto" .textContent=${step.detail ?? ''}></span></button>`,
    ),
    box,
  );
}

/** Drags rows by their handles, with a mouse, a pen or a finger. `onDrop` changes the order. */
function dragRows(list: HTMLElement, onDrop: (id: string, place: number) => void): void {
  list.addEventListener('pointerdown', event => {
    const handle =
      event.target instanceof Element ? event.target.closest<HTMLElement>('[data-handle]') : null;
    const row = handle?.closest('li');
    if (!handle || !row || event.button !== 0) return;
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    row.dataset['dragged'] = '';
    const move = ({ clientY }: PointerEvent) => mark(list, row, placeAt(list, row, clientY));
    const end = (last: PointerEvent) => {
      handle.removeEventListener('pointermove', move);
      delete row.dataset['dragged'];
      mark(list, row, undefined);
      const place = placeAt(list, row, last.clientY);
      if (last.type === 'pointerup' && place !== rowsOf(list).indexOf(row))
        onDrop(row.dataset['poll'] ?? '', place);
    };
    handle.addEventListener('pointermove', move);
    handle.addEventListener('lostpointercapture', () => handle.removeEventListener('pointermove', move), {
      once: true,
    });
    handle.addEventListener('pointerup', end, { once: true });
    handle.addEventListener('pointercancel', end, { once: true });
  });
}

/** Where the row would be, among all, if it were dropped at this height. */
function placeAt(list: HTMLElement, row: HTMLElement, clientY: number): number {
  const others = rowsOf(list).filter(other => other !== row);
  const place = others.findIndex(other => {
    const { top, height } = other.getBoundingClientRect();
    return clientY < top + height / 2;
  });
  return place < 0 ? others.length : place;
}

/** A line where the row would go. */
function mark(list: HTMLElement, row: HTMLElement, place: number | undefined): void {
  const others = rowsOf(list).filter(other => other !== row);
  for (const [index, other] of others.entries()) {
    other.toggleAttribute('data-drop-before', index === place);
    other.toggleAttribute('data-drop-after', place === others.length && index === others.length - 1);
  }
}

function rowsOf(list: HTMLElement): HTMLElement[] {
  return [...list.querySelectorAll<HTMLElement>(':scope > li')];
}
