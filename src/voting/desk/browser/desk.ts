import { render, type TemplateResult } from 'lit-html';
import { desk as words } from '../../../locales/en.json';
import { find, onKeys } from '../../page/browser/dom.ts';
import { prepareCopyFields } from '../../page/browser/fields.ts';
import { addPoll, Commands, changeShow, failureText } from './commands.ts';
import { type ConnectionState, DeskConnection } from './desk-connection.ts';
import { readKey, storeKey } from './show-keys.ts';
import { positionOf, type Step, wireId } from './steps.ts';

/** The clock and the rate of voters change without a message. */
const TICK_MS = 250;
const OVERLAY_WIDTH = 1280;

/** The desk of one show: holds what the operator did, and renders it with what the relay sent. */
export class Desk {
  readonly connection: DeskConnection;
  readonly voteUrl: string;
  readonly code: Node;
  message = '';
  /** The show key was created a moment ago and is shown this once. */
  hasNewKey: boolean;
  /** A poll that the operator selected in the run-down. */
  chosen: string | undefined;
  /** The order before this desk last changed it. */
  rundownBefore: readonly string[] | undefined;
  /** The row that is being dragged, and the index at which it would be dropped. */
  drag: { readonly id: string; readonly index: number } | undefined;
  readonly #root: HTMLElement;
  readonly #view: (desk: Desk) => TemplateResult;
  readonly #commands: Commands;
  #isRendering = false;
  #messageState: ConnectionState = 'connecting';
  /** The line that was last sent. Sent again, it has the same key, so that it is added once. */
  #sentLine = { line: '', idempotencyKey: '' };

  constructor(root: HTMLElement, view: (desk: Desk) => TemplateResult) {
    const { desk: name = '', relay = '', vote = '' } = root.dataset;
    const { key, isNew } = readKey(name);
    this.#root = root;
    this.#view = view;
    this.voteUrl = vote;
    this.code = find<HTMLTemplateElement>(root, 'code')!.content;
    this.hasNewKey = isNew;
    this.connection = new DeskConnection(relay, name, key, () => this.#update());
    this.#commands = new Commands(this.connection, text => this.#report(text));
    this.#render();
    onKeys(root);
    root.addEventListener('keydown', event => this.#onKey(event));
    new ResizeObserver(() => this.#scalePictures()).observe(root);
    setInterval(() => this.#render(), TICK_MS);
    this.connection.start();
  }

  isPending(subject: string): boolean {
    return this.#commands.isPending(subject);
  }

  press({ name, command }: Step): void {
    if (name === 'take') this.chosen = undefined;
    if (typeof command === 'string') this.#report(command);
    else if (name === 'undo') void this.#setRundown(this.rundownBefore ?? []);
    else void this.#commands.run(command);
  }

  take(id: string): void {
    const { connection } = this;
    const { show, polls } = connection;
    this.chosen = undefined;
    if (show) void this.#commands.run(changeShow(connection, 'on_air', wireId(id, positionOf(show, polls))));
  }

  choose(id: string): void {
    this.chosen = this.chosen === id ? undefined : id;
    this.#update();
  }

  async move(id: string, index: number): Promise<void> {
    const others = this.#rundown.filter(other => other !== id);
    if (index < 0 || index > others.length) return;
    await this.#setRundown([...others.slice(0, index), id, ...others.slice(index)]);
    this.#focusRow(id);
  }

  remove(id: string): void {
    void this.#setRundown(this.#rundown.filter(other => other !== id));
  }

  setDrag(drag: Desk['drag']): void {
    this.drag = drag;
    this.#update();
  }

  async addLine(field: HTMLInputElement): Promise<void> {
    const line = field.value;
    if (line.trim() === '') field.focus();
    if (line !== this.#sentLine.line) this.#sentLine = { line, idempotencyKey: newIdempotencyKey() };
    const command = addPoll(this.connection, line, this.#sentLine.idempotencyKey);
    if (!command) return this.#report(words.addFault);
    if (!(await this.#commands.run(command))) return;
    this.#sentLine = { line: '', idempotencyKey: '' };
    if (field.value === line) field.value = '';
  }

  enterKey(key: string): void {
    const { connection } = this;
    connection.key = key;
    storeKey(connection.name, key);
    connection.start();
  }

  async renewKey(): Promise<void> {
    const { connection } = this;
    const answer = await connection.askShow<{ show_key: string }>('/show_key', { method: 'POST' });
    if (answer.kind !== 'done') return this.#report(failureText(answer));
    connection.key = answer.body.show_key;
    storeKey(connection.name, connection.key);
    this.hasNewKey = true;
    this.#report(words.newKey);
    connection.start();
  }

  async deleteShow(confirmation: string): Promise<void> {
    const { connection } = this;
    if (confirmation !== connection.name) return this.#report(words.confirmName);
    const answer = await connection.askShow('', { method: 'DELETE' });
    if (answer.kind !== 'done') this.#report(failureText(answer));
    await connection.refresh();
  }

  get #rundown(): readonly string[] {
    return this.connection.show?.rundown ?? [];
  }

  async #setRundown(rundown: readonly string[]): Promise<void> {
    const before = this.#rundown;
    if (await this.#commands.run(changeShow(this.connection, 'rundown', rundown)))
      this.rundownBefore = before;
  }

  /** Escape leaves a field, so that letters are shortcuts again. In the run-down, arrows move the focus, and with Shift the row. */
  #onKey(event: KeyboardEvent): void {
    const { key, target } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (key === 'Escape' && target instanceof HTMLInputElement) target.blur();
    const id = target.closest('li')?.dataset['poll'];
    if (!id) return;
    const index = this.#rundown.indexOf(id);
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (key === 'Delete') this.remove(id);
    else if (step === undefined) return;
    else if (event.shiftKey) void this.move(id, index + step);
    else this.#focusRow(this.#rundown[index + step]);
    event.preventDefault();
  }

  /** Rendering first, because a row that moves loses its focus. */
  #focusRow(id: string | undefined): void {
    this.#render();
    this.#root.querySelector<HTMLElement>(`[data-poll="${CSS.escape(id ?? '')}"] .choose`)?.focus();
  }

  #scalePictures(): void {
    for (const frame of this.#root.querySelectorAll<HTMLElement>('.frame'))
      frame.style.setProperty('--scale', String(frame.clientWidth / OVERLAY_WIDTH));
  }

  #report(text: string): void {
    this.message = text;
    this.#messageState = this.connection.state;
    this.#update();
  }

  /** Renders once for all changes of one task. */
  #update(): void {
    if (this.#isRendering) return;
    this.#isRendering = true;
    queueMicrotask(() => this.#render());
  }

  #render(): void {
    this.#isRendering = false;
    const { state } = this.connection;
    // A message about the lost connection ends with it.
    if (state === 'live' && this.#messageState !== 'live') this.message = '';
    render(this.#view(this), this.#root);
    prepareCopyFields(this.#root);
  }
}

function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(18)), byte =>
    byte.toString(36).padStart(2, '0'),
  ).join('');
}
