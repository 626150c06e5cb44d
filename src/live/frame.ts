import { refusals } from '../metrics/catalogue.ts';
import { areResultsPublic, areSameResults, editedAtMs, type Reading } from '../poll/poll.ts';
import { PollError } from '../poll/poll-error.ts';
import type { Held } from '../protocol/client-message.ts';
import { type CloseEvent, PollRemoved, ShowRemoved } from '../protocol/close-event.ts';
import type { ServerMessage } from '../protocol/messages.ts';
import { countsMessage, hiddenMessage, positionOf, resultsText } from '../protocol/results-body.ts';

/** A message encoded once for each wire, on first use, and shared by all subscribers. */
export class Frame {
  #json: string | (() => string);
  /** Anyone may see the content, and therefore its length. */
  readonly isPublic: boolean;
  readonly #position: string | undefined;
  #websocket: Buffer | undefined;
  #sse: Buffer | undefined;

  /**
   * @param json the message, or a function that encodes it on first use.
   * @param position of the counts in it, if any
   */
  constructor(json: string | (() => string), position?: string, isPublic = true) {
    this.#json = json;
    this.#position = position;
    this.isPublic = isPublic;
  }

  static of(message: ServerMessage): Frame {
    return new Frame(JSON.stringify(message));
  }

  /** For the next clients. Messages on their way are not touched. */
  protected encodeAgain(json: () => string): void {
    this.#json = json;
    this.#websocket = undefined;
    this.#sse = undefined;
  }

  get json(): string {
    if (typeof this.#json === 'function') this.#json = this.#json();
    return this.#json;
  }

  get websocket(): Buffer {
    this.#websocket ??= websocketText(this.json);
    return this.#websocket;
  }

  get position(): string | undefined {
    return this.#position;
  }

  /** Only a message with counts has an id: the version of hidden results would reveal the number of ballots. */
  get sse(): Buffer {
    if (this.#sse) return this.#sse;
    const id = this.position === undefined ? '' : `id: ${this.position}\n`;
    this.#sse = Buffer.from(`${id}data: ${this.json}\n\n`);
    return this.#sse;
  }
}

/** Encodes one unmasked, unfragmented text frame (RFC 6455, section 5.2). */
export function websocketText(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length < 126 ? 2 : length < 65_536 ? 4 : 10;
  const frame = Buffer.allocUnsafeSlow(head + length);
  frame[0] = 0x81;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head);
  return frame;
}

/** Timestamps are whole seconds. */
const TIMESTAMP_MS = 1_000;

function resultsJson(reading: Reading): string {
  const final = reading.results.status === 'closed' ? ',"final":true}' : '}';
  return `{"type":"results",${resultsText(reading).slice(1, -1)}${final}`;
}

/** A `results` message, and the shorter or longer messages that replace it, depending on what a client holds. */
export class ResultsFrame extends Frame {
  #reading: Reading;
  #ownPosition: string | undefined;
  #reset: Frame | undefined;
  #counts: Frame | undefined;
  #current: Frame | undefined;

  constructor(reading: Reading) {
    super(() => resultsJson(reading), undefined, areResultsPublic(reading.results));
    this.#reading = reading;
  }

  /** Clients that join later set their clocks by this reading, which has the same content. */
  readAgain(reading: Reading): void {
    if (reading.results.readAtMs - this.#reading.results.readAtMs < TIMESTAMP_MS) return;
    this.#reading = reading;
    this.encodeAgain(() => resultsJson(reading));
    this.#counts = undefined;
    this.#reset = undefined;
  }

  get version(): number {
    return this.#reading.results.version;
  }

  override get position(): string {
    this.#ownPosition ??= positionOf(this.#reading);
    return this.#ownPosition;
  }

  /**
   * Returns false if the client needs a reset: versions rise, one version has one content, and no
   * round follows another.
   */
  follows({ version, position }: Held): boolean {
    const { roundFrom = 0 } = this.#reading.poll;
    if (version !== this.version) return roundFrom <= version && version < this.version;
    return position === undefined || position === this.position;
  }

  /** For a client that holds earlier results of the same definition. */
  get counts(): Frame {
    this.#counts ??= new Frame(
      () => JSON.stringify(countsMessage(this.#reading)),
      this.position,
      this.isPublic,
    );
    return this.#counts;
  }

  /** For a client that holds earlier results of the same definition. The final results are always sent whole. */
  next(isCompact: boolean): Frame {
    return isCompact && this.#reading.results.status !== 'closed' ? this.counts : this;
  }

  /** For a client that holds these results already. */
  get current(): Frame {
    const { poll, results } = this.#reading;
    const { position } = this;
    this.#current ??= Frame.of({ type: 'current', id: poll.id, version: results.version, position });
    return this.#current;
  }

  get reset(): Frame {
    this.#reset ??= new Frame(`${this.json.slice(0, -1)},"reset":true}`, this.position, this.isPublic);
    return this.#reset;
  }
}

/** The newest reading of a poll, encoded with counts and without. */
export interface Snapshot {
  readonly reading: Reading;
  readonly results: ResultsFrame;
  /** Without counts, but for those that are shown. Stays the same object until a member of it changes. */
  readonly hidden: Frame;
  /** The same object as long as `results` differ in their counts only. */
  readonly definition: object;
  readonly isPublic: boolean;
}

/** Reuses the frames of the snapshot before where nothing has changed. A client never gets the same frame twice. */
export function encodeSnapshot(reading: Reading, before: Snapshot | undefined): Snapshot {
  const hidden = hiddenFrame(reading, before);
  const hasSameDefinition =
    before !== undefined &&
    (hidden === before.hidden || definitionOf(reading) === definitionOf(before.reading)) &&
    // Only `results` have it: a correction of the description changes nothing else.
    editedAtMs(reading.poll) === editedAtMs(before.reading.poll);
  // A definition that was read again is another object, usually with the same content.
  const isSame =
    before !== undefined &&
    areSameResults(before.reading.results, reading.results) &&
    (before.reading.poll === reading.poll || positionOf(before.reading) === positionOf(reading));
  if (isSame) before.results.readAgain(reading);
  return {
    reading,
    results: isSame ? before.results : new ResultsFrame(reading),
    hidden,
    definition: hasSameDefinition ? before.definition : {},
    isPublic: areResultsPublic(reading.results),
  };
}

/** The same text as long as hidden results differ in their totals only. */
function definitionOf(reading: Reading): string {
  const { total_votes: _, total_voters: __, ...definition } = hiddenMessage(reading);
  return JSON.stringify(definition);
}

function hiddenFrame(reading: Reading, before: Snapshot | undefined): Frame {
  if (before && hasSameDefinition(reading, before.reading)) return before.hidden;
  const hidden = Frame.of(hiddenMessage(reading));
  return before?.hidden.json === hidden.json ? before.hidden : hidden;
}

/** Cheap test before encoding; false negatives are fine. */
function hasSameDefinition({ poll, results }: Reading, before: Reading): boolean {
  return (
    poll === before.poll &&
    results.status === before.results.status &&
    results.deadlineMs === before.results.deadlineMs &&
    results.closesInMs === before.results.closesInMs &&
    // From the first step of a reveal on, and with a total, hidden results contain counts.
    ((results.revealedFrom === undefined && !poll.settings.showTotal) ||
      areSameResults(results, before.results)) &&
    results.revealedFrom === before.results.revealedFrom &&
    results.resultsVisibility === before.results.resultsVisibility
  );
}

type About = { readonly id: string } | { readonly show: string } | Record<string, never>;

/** Returns the `error` message to send before a close, if the event has one. */
export function errorFrame(event: CloseEvent, about: About = {}, message?: string): Frame | undefined {
  if (event.error === undefined) return undefined;
  const error = new PollError(event.error, message === undefined ? {} : { message });
  const deleted = (event === PollRemoved || event === ShowRemoved) && { deleted: true as const };
  refusals.of({ surface: 'live', code: error.code }).value += 1;
  return Frame.of({ type: 'error', code: error.code, message: error.message, ...about, ...deleted });
}
