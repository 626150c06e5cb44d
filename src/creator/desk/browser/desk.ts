import { render, type TemplateResult } from 'lit-html';
import { desk as words } from '../../../locales/en.json';
import { fill } from '../../../locales/i18n.ts';
import { rememberOnDevice } from '../../../pages/page/browser/device-polls.ts';
import { element, find, onKeys, prepareSwitch, TEXT_FIELDS } from '../../../pages/page/browser/dom.ts';
import { prepareCopyFields } from '../../../pages/page/browser/fields.ts';
import { phrases } from '../../../pages/page/browser/i18n.ts';
import { type ChatLink, otherLinks, parseChannel } from '../../../poll/chat-link.ts';
import { prepareEditor } from '../../editor/browser/poll-editor.ts';
import { changeOf, type EditablePoll, type FilledEditor, imageOf } from '../../editor/edit-poll.ts';
import {
  addPoll,
  type Command,
  Commands,
  changeImage,
  changePoll,
  changeShow,
  copyShow,
  failureText,
  nameFaultOf,
  renewKey,
} from './commands.ts';
import {
  DeskConnection,
  type DeskPoll,
  findPoll,
  hasVotes,
  type ShowBody,
  type UndoneBody,
} from './desk-connection.ts';
import { deviceId, readKey, storeKey } from './show-keys.ts';
import { findOwnPoll, type Position, positionOf, pressText, type Step, undoneText } from './steps.ts';

/** The clock and the rate of voters change without a message. */
const TICK_MS = 250;
const OVERLAY_WIDTH = 1280;
/** For so long after a press of another desk, Undo may be meant for the one before. */
const SETTLING_MS = 1_000;
/** A second press within this time carries out what asks for one. */
const CONFIRM_MS = 2_000;
/** So long after the operator scrolled the rundown, it does not follow the show. */
const FOLLOW_MS = 5_000;
/** A message that nothing else ends stays for so long. */
const MESSAGE_MS = 10_000;
const REVOKE_MS = 60_000;

/** The desk of one show: holds what the operator did, and renders it with what the relay sent. */
export class Desk {
  readonly connection: DeskConnection;
  readonly voteUrl: string;
  readonly code: Node;
  message = '';
  /** The last press of any desk, for screen readers. */
  heard = '';
  /** The show key was created a moment ago and is shown this once. */
  hasNewKey: boolean;
  /** This device comes back to the desk without its link. */
  isRemembered = false;
  /** A poll that the operator selected in the rundown. */
  chosen: string | undefined;
  /** The selected poll as it was when the operator began to edit it. */
  editing: (DeskPoll & EditablePoll) | undefined;
  /** The copy of the show that was made a moment ago. Its link contains the key and is shown this once. */
  copiedShow: { readonly link: string; readonly leftOut: number } | undefined;
  /** Setting up a show here takes an operator's key. */
  needsOperatorKey = false;
  /** The polls whose last preview cut text. */
  readonly cut = new Set<string>();
  /** The row that is being dragged, and the index at which it would be dropped. */
  drag: { readonly id: string; readonly index: number } | undefined;
  readonly #root: HTMLElement;
  readonly #view: (desk: Desk) => TemplateResult;
  readonly #commands: Commands;
  /** Whose fields are prepared. */
  #editor: HTMLElement | undefined;
  readonly #frames = new ResizeObserver(frames => {
    for (const { target, contentRect } of frames)
      (target as HTMLElement).style.setProperty('--scale', String(contentRect.width / OVERLAY_WIDTH));
  });
  #isRendering = false;
  /** This device shall not remember the show. */
  #isBrief: boolean;
  /** Key and title that this device was to remember. */
  #remembered = '';
  #wasAway = false;
  #messageUntilMs = 0;
  /** Letters are no keys: what the operator was typing in has gone. */
  #areKeysOff = false;
  /** The operator leaves a form. */
  #isLeaving = false;
  /** What a second press carries out. */
  #confirming: { readonly subject: string; readonly untilMs: number } | undefined;
  /** The last press of this desk, which it may take back at once. */
  #ownPress: string | undefined;
  /** The press that Undo takes back; null for none. */
  #newest: UndoneBody | null | undefined;
  /** Presses that were heard of. */
  readonly #heardOf = new Set<string>();
  /** What the rundown has followed, and where that scrolled it to. */
  #followed = '';
  #followedTo = 0;
  #scrolledAtMs = Number.NEGATIVE_INFINITY;

  constructor(root: HTMLElement, view: (desk: Desk) => TemplateResult) {
    const { desk: name = '', relay = '', vote = '' } = root.dataset;
    const { key, isNew, isBrief } = readKey(name);
    this.#root = root;
    this.#view = view;
    this.voteUrl = vote;
    this.code = element(root, '[data-code]', HTMLTemplateElement).content;
    this.hasNewKey = isNew;
    this.#isBrief = isBrief;
    this.connection = new DeskConnection(relay, name, key, () => this.#update());
    // The end of a command clears its own message only: a later press may have said why it did nothing.
    this.#commands = new Commands(this.connection, text => {
      if (text !== '' || this.message === words.sending) this.#report(text);
    });
    this.#render();
    document.addEventListener('keydown', event => this.#guardKeys(event), { capture: true });
    document.addEventListener('pointerdown', () => this.#setKeysOff(false), { capture: true });
    onKeys(root);
    prepareSwitch(root, 'system-scheme', isOn =>
      document.documentElement.toggleAttribute('data-system-scheme', isOn),
    );
    document.addEventListener('keydown', event => this.#onKey(event));
    addEventListener('hashchange', () => this.enterKey(readKey(name).key));
    for (const type of ['pointerdown', 'focusin'] as const)
      document.addEventListener(type, event => this.#leaveLinks(event.target));
    addEventListener('message', event => this.#onPreviewMessage(event));
    setInterval(() => {
      this.#hear();
      this.#render();
    }, TICK_MS);
    this.connection.start();
  }

  get position(): Position | undefined {
    const { show, polls } = this.connection;
    return show && positionOf(show, polls);
  }

  isPending(subject: string): boolean {
    return this.#commands.isPending(subject);
  }

  press({ name, command, confirm }: Pick<Step, 'name' | 'command' | 'confirm'>): void {
    if (typeof command === 'string') this.#report(command);
    else if (confirm && this.#isFirstPress(`${name} ${command.subject}`)) this.#report(confirm, CONFIRM_MS);
    else if (name === 'undo' && this.isSettling) this.#report(this.#justPressed());
    else void this.#send(name, command as Command<ShowBody>);
  }

  /** Resolves to the reply, or undefined if the command was not carried out. */
  async run<Body>(command: Command<Body>): Promise<Body | undefined> {
    const answer = await this.#commands.run(command);
    if (answer?.kind === 'done') return answer.body;
    if (answer?.kind === 'rejected' && (answer.code === 'on_air_changed' || answer.code === 'poll_changed')) {
      await this.connection.refresh();
      this.#report(this.#justPressed());
    }
    return undefined;
  }

  async #send(name: string, command: Command<ShowBody>): Promise<void> {
    if (name === 'take') this.choose(undefined);
    const show = await this.run(command);
    if (!show) return;
    if (!show.undone) this.#ownPress = this.connection.show?.undo?.id;
    else {
      this.#report(undoneText(this.connection, show.undone));
      this.#newest = this.connection.show?.undo;
    }
  }

  /** Says what was pressed here or at another desk. A press that comes back was the one before. */
  #hear(): void {
    const { undo } = this.connection.show ?? {};
    const before = this.#newest;
    if (undo === undefined || !this.#commands.isIdle) return;
    this.#newest = undo;
    if (before === undefined || before?.id === undo?.id) return;
    const isBack = before !== null && (undo === null || this.#heardOf.has(undo.id));
    const press = pressText(this.connection, isBack ? before : undo!);
    const text = isBack ? fill(words.undone, { press }) : press;
    this.heard = !isBack && undo!.id === this.#ownPress ? text : fill(words.otherDesk, { press: text });
    this.#heardOf.add(before?.id ?? '');
  }

  /** The last press has just changed at another desk, so the operator may mean the one before. */
  get isSettling(): boolean {
    const { show, undoChangedAtMs } = this.connection;
    return performance.now() - undoChangedAtMs < SETTLING_MS && show?.undo?.id !== this.#ownPress;
  }

  #justPressed(): string {
    const { undo } = this.connection.show ?? {};
    if (!undo) return words.justChanged;
    return `${words.justChanged} ${pressText(this.connection, undo)}`;
  }

  /** Whether a press that asks for a second one within `CONFIRM_MS` is not that second one. */
  #isFirstPress(subject: string): boolean {
    const { subject: before, untilMs } = this.#confirming ?? { subject: '', untilMs: 0 };
    const nowMs = performance.now();
    const isSecond = before === subject && nowMs < untilMs;
    this.#confirming = isSecond ? undefined : { subject, untilMs: nowMs + CONFIRM_MS };
    return !isSecond;
  }

  /** Keys that repeat press nothing, and letters are no keys while something was being typed that has gone. */
  #guardKeys(event: KeyboardEvent): void {
    const { key, repeat, target } = event;
    if (key === 'Escape') this.#setKeysOff(false);
    const isHeld = repeat && ['Enter', ' ', 'Delete'].includes(key) && !isTextField(target);
    if (isHeld) event.preventDefault();
    if (isHeld || (this.#areKeysOff && key !== 'Tab' && !isTextField(target)))
      event.stopImmediatePropagation();
  }

  #setKeysOff(areOff: boolean): void {
    if (this.#areKeysOff === areOff) return;
    this.#areKeysOff = areOff;
    this.#report(areOff ? words.keysOff : '', Number.POSITIVE_INFINITY);
  }

  /** Selects a poll, or none. The focus returns from what belonged to the last one to its row. */
  choose(id: string | undefined): void {
    const before = this.chosen;
    const hadFocus = find(this.#root, 'drawer')?.contains(document.activeElement) ?? false;
    this.chosen = id;
    this.#render();
    if (hadFocus) this.#focusRow(before);
    // What belongs to it may have taken room from the list.
    if (id) this.#findRow(id)?.scrollIntoView({ block: 'nearest' });
  }

  /** From wherever the operator is to the form for a new poll. */
  beginAdding(): void {
    this.chosen = undefined;
    this.#focus('#add-line');
  }

  /** Replaces the buttons of the selected poll with a form, until it is saved or left. */
  async edit(id: string): Promise<void> {
    const reason = findOwnPoll(this.connection, id);
    if (typeof reason === 'string') return this.#report(reason);
    // Messages lack the description and the rules.
    const answer = await this.connection.askPoll<DeskPoll & EditablePoll>(id);
    if (answer.kind !== 'done') return this.#report(failureText(answer));
    if (this.chosen !== id) return;
    this.editing = answer.body;
    this.#focus('.edit [name=title]');
  }

  leaveEdit(): void {
    this.editing = undefined;
    this.#isLeaving = true;
    this.#focus('[data-edit]');
    this.#isLeaving = false;
  }

  async saveEdit(poll: DeskPoll & EditablePoll, filled: FilledEditor): Promise<void> {
    const wanted = changeOf(poll, filled);
    const isDone = !wanted || (await this.run(changePoll(this.connection, poll.id, wanted)));
    if (isDone && this.editing === poll) this.leaveEdit();
  }

  /** The operator scrolled the rundown, unless it has followed the show. */
  noteScroll({ currentTarget }: Event): void {
    if ((currentTarget as Element).scrollTop !== this.#followedTo) this.#scrolledAtMs = performance.now();
  }

  /** What is on air and what comes next stay in sight. */
  #followShow(): void {
    const { onAir, next } = this.position ?? {};
    const followed = [onAir, next, this.connection.polls.size, ...this.#rundown].join();
    if (followed === this.#followed) return;
    this.#followed = followed;
    if (performance.now() - this.#scrolledAtMs < FOLLOW_MS) return;
    for (const id of [next, onAir]) {
      const row = this.#findRow(id)?.closest('li');
      const list = row?.parentElement;
      if (!row || !list) continue;
      const { offsetTop: top, offsetHeight: height } = row;
      list.scrollTop = Math.min(top, Math.max(list.scrollTop, top + height - list.clientHeight));
      this.#followedTo = list.scrollTop;
    }
  }

  /** Prepares the fields of the form, which are rendered once. */
  prepareEdit(form: HTMLFormElement | null | undefined, { id }: DeskPoll): void {
    if (!form || form === this.#editor) return;
    this.#editor = form;
    const { relay } = this.connection;
    prepareEditor(form, async (owner, image) => {
      const changed = await this.run(changeImage(this.connection, id, owner, image));
      const path = changed && imageOf(changed as DeskPoll & EditablePoll, owner);
      return path ? relay + path : path;
    });
  }

  /** The message says that the connection is lost. */
  get saysLost(): boolean {
    return this.message === words.notSent || this.message === words.relayAway;
  }

  /** Fits the picture in a frame to its width. */
  watchFrame(frame: Element | undefined): void {
    if (frame) this.#frames.observe(frame);
  }

  /** @param takesFocus whether the focus goes with the row */
  async move(id: string, index: number, takesFocus = false): Promise<void> {
    const others = this.#rundown.filter(other => other !== id);
    if (index < 0 || index > others.length) return;
    await this.#setRundown([...others.slice(0, index), id, ...others.slice(index)]);
    if (takesFocus) this.#focusRow(id);
  }

  async remove(id: string): Promise<void> {
    const { onAir, next } = this.position ?? {};
    const isOnAir = onAir === id;
    const poll = findPoll(this.connection, id);
    if ((isOnAir || next === id || (poll && hasVotes(poll))) && this.#isFirstPress(`remove ${id}`))
      return this.#report(isOnAir ? words.confirmRemove : words.confirmRemoval, CONFIRM_MS);
    const index = this.#rundown.indexOf(id);
    const rest = this.#rundown.filter(other => other !== id);
    await this.#setRundown(rest, isOnAir);
    if (document.activeElement === document.body)
      this.#focusRow(this.#rundown[index] ?? this.#rundown[index - 1]);
  }

  async putBack(id: string): Promise<void> {
    await this.#setRundown([...this.#rundown, id]);
  }

  setDrag(drag: Desk['drag']): void {
    this.drag = drag;
    this.#update();
  }

  /**
   * Adds a poll for each line. What can't be one stays in the field; afterwards the form is as it
   * was: settings of one poll are not those of the next.
   */
  async addLines(field: HTMLInputElement, lines: readonly string[], settings: object): Promise<void> {
    for (const line of lines) {
      const command = addPoll(this.connection, line, settings);
      field.value = line;
      if (line.trim() === '') field.focus();
      if (!command) return this.#report(words.addFault);
      if (!(await this.run(command))) return;
      if (field.value === line) field.form?.reset();
    }
  }

  /** The form is emptied once the channel is linked. It may be linked already. */
  async linkChat(form: HTMLFormElement, { platform, channel }: ChatLink): Promise<void> {
    const link = { platform, channel: parseChannel(platform, channel) ?? channel };
    const links = [...otherLinks(this.connection.show?.chat, link), link];
    if (await this.run(changeShow(this.connection, 'chat', links))) form.reset();
  }

  enterKey(key: string): void {
    this.connection.key = key;
    this.#storeKey();
    this.connection.start();
  }

  #storeKey(): void {
    const { name, key } = this.connection;
    storeKey(name, key, { isBrief: this.#isBrief });
  }

  /** The desk goes on in this tab. */
  forget(): void {
    this.#isBrief = true;
    this.#storeKey();
    this.isRemembered = rememberOnDevice({ id: deviceId(this.connection.name) });
    this.#update();
  }

  /** Only a key that has opened the desk, and again with each new key or title. */
  #remember(): void {
    const { state, show, name, key } = this.connection;
    if (this.#isBrief || state !== 'live' || !show) return;
    const entry = { id: deviceId(name), title: show.title || name, key };
    const text = JSON.stringify(entry);
    if (text === this.#remembered) return;
    this.#remembered = text;
    this.isRemembered = rememberOnDevice(entry);
  }

  async renewKey(confirmation: string): Promise<void> {
    const { connection } = this;
    if (confirmation !== connection.name) return this.#report(words.confirmName);
    const renewed = await this.run(renewKey(connection));
    if (!renewed) return;
    this.hasNewKey = true;
    this.#report(words.newKey);
    this.enterKey(renewed.show_key);
  }

  /**
   * Saves the results of all polls of the rundown as a file. The key is in a header: addresses are
   * kept in histories.
   */
  async downloadResults(format: 'csv' | 'json'): Promise<void> {
    const { connection } = this;
    this.#report(phrases.oneMoment);
    const path = format === 'csv' ? '/results?download=csv' : '/results';
    const answer = await connection.askShow<Blob>(path, { isFile: true });
    if (answer.kind !== 'done') return this.#report(failureText(answer));
    this.#report('');
    const link = document.createElement('a');
    link.download = `${connection.name}-results.${format}`;
    link.href = URL.createObjectURL(answer.body);
    link.click();
    // Some browsers read it only after this task.
    setTimeout(() => URL.revokeObjectURL(link.href), REVOKE_MS);
  }

  /** @param operatorKey empty without one */
  async copyShow(name: string, operatorKey: string): Promise<void> {
    const { connection } = this;
    const answer = await this.#commands.run(copyShow(connection, name, operatorKey));
    if (answer?.kind === 'done') {
      const { links, left_out } = answer.body;
      this.copiedShow = { link: links.desk, leftOut: left_out.length };
      return this.#focus('#copy-link');
    }
    if (answer?.kind !== 'rejected') return;
    // The key of the desk works, or it would not be open.
    const lacksKey = answer.code.startsWith('api_key');
    this.needsOperatorKey ||= lacksKey;
    if (lacksKey) this.#report(operatorKey === '' ? words.needsKey : words.wrongKey);
    else this.#report(nameFaultOf(answer, name) ?? failureText(answer));
  }

  async deleteShow(confirmation: string): Promise<void> {
    const { connection } = this;
    if (confirmation !== connection.name) return this.#report(words.confirmName);
    const answer = await connection.askShow('', { method: 'DELETE', ...connection.createAttempt() });
    if (answer.kind !== 'done') this.#report(failureText(answer));
    await connection.refresh();
  }

  get #rundown(): readonly string[] {
    return this.connection.show?.rundown ?? [];
  }

  async #setRundown(rundown: readonly string[], confirm?: boolean): Promise<void> {
    if (await this.run(changeShow(this.connection, 'rundown', rundown, confirm)))
      this.#ownPress = this.connection.show?.undo?.id;
  }

  /**
   * Escape leaves the form that edits a poll, or a field, so that letters are shortcuts again; then
   * it closes the links and the selected row. In the rundown, arrows move the focus, and with
   * Shift the row.
   */
  #onKey(event: KeyboardEvent): void {
    const { key, target } = event;
    if (!(target instanceof HTMLElement) || event.ctrlKey || event.altKey || event.metaKey) return;
    if (key === 'Escape') this.#escape(target);
    const id = target.closest('li')?.dataset['poll'];
    if (!id) return;
    const index = this.#rundown.indexOf(id);
    const step = { ArrowUp: -1, ArrowDown: 1 }[key];
    if (key === 'Delete') void this.remove(id);
    else if (step === undefined) return;
    else if (event.shiftKey) void this.move(id, index + step, true);
    else this.#focusRow(this.#rundown[index + step]);
    event.preventDefault();
  }

  #escape(target: HTMLElement): void {
    const links = this.#links;
    if (target.closest('.edit')) this.leaveEdit();
    else if (target.matches(TEXT_FIELDS)) target.blur();
    else if (links) {
      links.open = false;
      links.querySelector('summary')?.focus();
    } else if (this.editing) this.leaveEdit();
    else this.choose(undefined);
  }

  get #links(): HTMLDetailsElement | null {
    return this.#root.querySelector('.bar [open]');
  }

  /** The links cover the rundown, so they close once the operator goes on elsewhere. */
  #leaveLinks(target: EventTarget | null): void {
    const links = this.#links;
    if (links && target instanceof Node && !links.contains(target)) links.open = false;
  }

  /** Rendering first, because a row that moves loses its focus. */
  #focusRow(id: string | undefined): void {
    this.#render();
    this.#findRow(id)?.focus();
  }

  #focus(selector: string): void {
    this.#render();
    this.#root.querySelector<HTMLElement>(selector)?.focus();
  }

  #findRow(id = ''): HTMLElement | null {
    return this.#root.querySelector(`[data-poll="${CSS.escape(id)}"] .choose`);
  }

  /** A preview says which parts of its text are cut: empty for none. */
  #onPreviewMessage({ origin, source, data }: MessageEvent): void {
    if (origin !== new URL(this.connection.relay).origin || data?.tallycast !== 'cut') return;
    const frames = [...this.#root.querySelectorAll('iframe')];
    const poll = frames.find(({ contentWindow }) => contentWindow === source)?.dataset['preview'];
    if (!poll) return;
    if (data.cut) this.cut.add(poll);
    else this.cut.delete(poll);
    this.#update();
  }

  #report(text: string, ms = MESSAGE_MS): void {
    this.message = text;
    const isLasting = [words.sending, words.unknown].includes(text);
    this.#messageUntilMs = performance.now() + (isLasting ? Number.POSITIVE_INFINITY : ms);
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
    const { state, show } = this.connection;
    // Another desk may have removed the poll. What is being typed stays.
    if (show && !this.editing && !show.rundown.includes(this.chosen ?? '')) this.chosen = undefined;
    if (this.editing?.id !== this.chosen) this.editing = undefined;
    // A message about the lost connection ends with the next success.
    if (state === 'live' && this.#wasAway && this.saysLost) this.message = '';
    this.#wasAway = state !== 'live';
    this.#remember();
    if (performance.now() > this.#messageUntilMs && !this.saysLost) this.message = '';
    const typedIn = document.activeElement;
    const wasTyping = isTextField(typedIn) && this.#root.contains(typedIn);
    render(this.#view(this), this.#root);
    this.#followShow();
    if (wasTyping && !typedIn?.isConnected && !this.#isLeaving) this.#setKeysOff(true);
    prepareCopyFields(this.#root);
  }
}

function isTextField(target: EventTarget | null): boolean {
  return target instanceof Element && target.matches(TEXT_FIELDS);
}
