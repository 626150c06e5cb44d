import { ServerClock } from '../../../client/server-clock.ts';
import { managed } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { rejectedText, sourcesLine } from '../../../pages/page/ballots-text.ts';
import {
  create,
  element,
  find,
  localizeTimes,
  onKeys,
  timeElement,
} from '../../../pages/page/browser/dom.ts';
import { followEvents } from '../../../pages/page/browser/event-feed.ts';
import { phrases, wording } from '../../../pages/page/browser/i18n.ts';
import { markLive, paintResults } from '../../../pages/page/browser/results-list.ts';
import type { ManageMessage, ManageNumbers, ManageState } from '../../../pages/page/messages.ts';
import { DAY_MS } from '../../../poll/poll.ts';
import { prepareEditor } from '../../editor/browser/poll-editor.ts';

/** Keeps an open manage page current: counts, countdown, screens, texts, and the buttons for the poll's state. */
export class LiveManagePage {
  readonly #box: HTMLElement;
  readonly #clock = new ServerClock();
  #deadlineMs: number | null = null;
  #numbers: ManageNumbers | undefined;
  #editor: HTMLElement | undefined;

  constructor(box: HTMLElement) {
    this.#box = box;
    onKeys(box);
    this.#prepareEditor();
    followEvents<ManageMessage>(box.dataset['manage'] ?? '', {
      onMessage: message => {
        this.#write('connection', '');
        if ('screens' in message) this.#showNumbers(message);
        else this.#show(message);
      },
      onLost: () => {
        this.#write('connection', phrases.connectionLost);
        this.#markLive(false);
      },
      onGone: () => this.#showDeleted(),
    });
    setInterval(() => this.#updateCountdown(), 250);
  }

  #showDeleted(): void {
    const notice = create('p', { class: 'notice problem', role: 'alert' }, phrases.deleted);
    this.#box.replaceChildren(this.#box.querySelector('header') ?? '', notice);
  }

  #show(state: ManageState): void {
    const { votes, voters, sources, voided, status, deadlineMs, closesInMs, nowMs } = state;
    this.#clock.observe(nowMs);
    const results = find(this.#box, 'results');
    if (results)
      paintResults(
        results,
        { votes, voters, voided, closed: status === 'closed' },
        this.#box.dataset['multiple'] === '1',
      );
    this.#markLive(status === 'open');
    this.#write('voters', wording.number(voters));
    const page = find(this.#box, 'sources')?.dataset['sources'] ?? '';
    this.#write('sources', sourcesLine(wording, sources, page));
    this.#write('all-votes', wording.number(votes.reduce((sum, answer) => sum + answer.votes, 0)));
    const byHand = status === 'closed' ? managed.endedByHand : managed.endsByHand;
    const end =
      closesInMs === undefined ? byHand : fill(managed.closesAfter, { time: wording.timeLeft(closesInMs) });
    find(this.#box, 'deadline-word')?.replaceChildren(deadlineMs === null ? end : timeElement(deadlineMs));
    this.#deadlineMs = status === 'open' ? deadlineMs : null;
    this.#updateCountdown();
    if (!this.#matches(state)) void this.#refresh();
  }

  #showNumbers(numbers: ManageNumbers): void {
    this.#numbers = numbers;
    this.#write('screens', wording.number(numbers.screens));
    this.#write('rejected', rejectedText(managed, wording, numbers.rejected));
  }

  /** Whether texts and buttons match the state, which another page may have changed. */
  #matches({ status, resultsVisibility, deadlineMs, voters, edition = '' }: ManageState): boolean {
    const written = find(this.#box, 'now')?.dataset;
    return (
      written?.['status'] === status &&
      written['visibility'] === resultsVisibility &&
      written['edition'] === edition &&
      (written['voted'] !== '') === voters > 0 &&
      written['deadlineMs'] === (deadlineMs === null ? '' : String(deadlineMs))
    );
  }

  async #refresh(): Promise<void> {
    const reply = await fetch(`${location.pathname}?refresh`).catch(() => undefined);
    if (!reply?.ok) return;
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html');
    const fresh = find(page, 'now');
    const old = find(this.#box, 'now');
    if (!fresh || !old) return;
    const isSame = (name: string) => fresh.dataset[name] === old.dataset[name];
    if (!isSame('edition') || !isSame('voted')) this.#replaceTexts(page);
    localizeTimes(fresh);
    const focused = old.querySelector<HTMLElement>(':focus')?.dataset['key'];
    old.replaceWith(fresh);
    if (focused) fresh.querySelector<HTMLElement>(`[data-key="${focused}"]`)?.focus();
    if (this.#numbers) this.#showNumbers(this.#numbers);
  }

  #replaceTexts(page: Document): void {
    localizeTimes(page);
    // An editor that is open keeps what was typed.
    for (const part of ['header', '[data-results] .rows', '[data-edit]:not([open])'])
      this.#box.querySelector(part)?.replaceWith(page.querySelector(`[data-manage] ${part}`) ?? '');
    this.#prepareEditor();
  }

  #prepareEditor(): void {
    const editor = find(this.#box, 'edit');
    if (!editor || editor === this.#editor) return;
    this.#editor = editor;
    const { manage = '', relay = '' } = this.#box.dataset;
    prepareEditor(editor, async (id, image) => {
      const url = `${manage.replace(/live$/, 'picture')}/${id}`;
      const reply = await fetch(url, { method: 'POST', body: image });
      if (!reply.ok) return undefined;
      const changed = (await reply.json()) as Record<'editionBefore' | 'edition', string> & {
        image: string | null;
      };
      const seen = element(editor, '[name=edition]', HTMLInputElement);
      // The form has seen its own change, and none that came before it from another page.
      if (seen.value === changed.editionBefore) seen.value = changed.edition;
      return changed.image && relay + changed.image;
    });
  }

  #markLive(isLive: boolean): void {
    const results = find(this.#box, 'results');
    if (results) markLive(results, isLive);
  }

  #updateCountdown(): void {
    const restMs = this.#deadlineMs === null ? 0 : this.#deadlineMs - this.#clock.now();
    this.#write('countdown', restMs > 0 && restMs < DAY_MS ? wording.timeLeft(restMs) : '');
  }

  #write(name: string, text: string): void {
    const element = find(this.#box, name);
    if (element && element.textContent !== text) element.textContent = text;
  }
}
