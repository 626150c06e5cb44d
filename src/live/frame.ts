import { areResultsPublic, areSameResults, type Reading } from '../poll/poll.ts';
import type { ServerMessage } from '../protocol/messages.ts';
import type { Held } from '../protocol/position.ts';
import { countsMessage, hiddenMessage, positionOf, resultsText } from './results-body.ts';
import { websocketText } from './websocket-bytes.ts';

/**
 * A message encoded once, ready for every wire, and shared by all who get it. Each wire form is made when the first
 * subscriber needs it; after that a delivery costs a write and no encoding.
 */
export class Frame {
  #json: string | (() => string);
  /** Whether everybody may see what is inside, and so how long it is. */
  readonly isPublic: boolean;
  readonly #position: string | undefined;
  #websocket: Buffer | undefined;
  #sse: Buffer | undefined;

  /**
   * @param json the message, or what writes it when the first subscriber needs it
   * @param position of the counts inside; undefined where there are none
   */
  constructor(json: string | (() => string), position?: string, isPublic = true) {
    this.#json = json;
    this.#position = position;
    this.isPublic = isPublic;
  }

  static of(message: ServerMessage): Frame {
    return new Frame(JSON.stringify(message));
  }

  get json(): string {
    if (typeof this.#json === 'function') this.#json = this.#json();
    return this.#json;
  }

  get websocket(): Buffer {
    this.#websocket ??= websocketText(this.json);
    return this.#websocket;
  }

  /** Of the counts inside; undefined where there are none. */
  get position(): string | undefined {
    return this.#position;
  }

  /** Only a message with counts has an id: the version of hidden results tells the number of ballots. */
  get sse(): Buffer {
    const id = this.position === undefined ? '' : `id: ${this.position}\n`;
    this.#sse ??= Buffer.from(`${id}data: ${this.json}\n\n`);
    return this.#sse;
  }
}

/** A `results` message, and what stands in its place for those who hold some of it, or what the engine has lost. */
export class ResultsFrame extends Frame {
  readonly #reading: Reading;
  #ownPosition: string | undefined;
  #reset: Frame | undefined;
  #counts: Frame | undefined;
  #current: Frame | undefined;

  constructor(reading: Reading) {
    const final = reading.results.status === 'closed' ? ',"final":true}' : '}';
    super(
      () => `{"type":"results",${resultsText(reading).slice(1, -1)}${final}`,
      undefined,
      areResultsPublic(reading.results),
    );
    this.#reading = reading;
  }

  get version(): number {
    return this.#reading.results.version;
  }

  override get position(): string {
    this.#ownPosition ??= positionOf(this.#reading);
    return this.#ownPosition;
  }

  /** Whether a subscriber that holds this may go on without a reset: versions rise, and one version has one picture. */
  follows({ version, position }: Held): boolean {
    if (version !== this.version) return version < this.version;
    return position === undefined || position === this.position;
  }

  /** For those who have the results before, of the same definition. */
  get counts(): Frame {
    this.#counts ??= new Frame(
      () => JSON.stringify(countsMessage(this.#reading)),
      this.position,
      this.isPublic,
    );
    return this.#counts;
  }

  /** For those who have the results before, of the same definition: all of it at the end, and before that what they asked for. */
  next(isCompact: boolean): Frame {
    return isCompact && this.#reading.results.status !== 'closed' ? this.counts : this;
  }

  /** For those who hold just this. */
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

/** The newest reading of a poll, encoded once for those who may see the counts and once for those who may not. */
export interface Snapshot {
  readonly reading: Reading;
  readonly results: ResultsFrame;
  /** The same frame for as long as nothing but counts, version and time differ: it stands for the definition of the poll. */
  readonly hidden: Frame;
  /** Whether one without a key may see the counts. */
  readonly isPublic: boolean;
}

/**
 * A reading that says nothing new keeps the frames of the one before, and a frame that a subscriber has is not sent again:
 * that is how hidden polls stay silent while ballots are cast.
 */
export function encodeSnapshot(reading: Reading, before: Snapshot | undefined): Snapshot {
  return {
    reading,
    results: before && isSamePicture(before.reading, reading) ? before.results : new ResultsFrame(reading),
    hidden: hiddenFrame(reading, before),
    isPublic: areResultsPublic(reading.results),
  };
}

function isSamePicture(a: Reading, b: Reading): boolean {
  // A definition that was read again is another object, and as a rule the same.
  return areSameResults(a.results, b.results) && (a.poll === b.poll || positionOf(a) === positionOf(b));
}

function hiddenFrame(reading: Reading, before: Snapshot | undefined): Frame {
  if (before && hasSameDefinition(reading, before.reading)) return before.hidden;
  const hidden = Frame.of(hiddenMessage(reading));
  return before?.hidden.json === hidden.json ? before.hidden : hidden;
}

/** Whether nothing but counts, version and time differ, as far as it shows without encoding. */
function hasSameDefinition({ poll, results }: Reading, before: Reading): boolean {
  return (
    poll === before.poll &&
    results.status === before.results.status &&
    results.deadlineMs === before.results.deadlineMs &&
    results.closesInMs === before.results.closesInMs &&
    results.resultsVisibility === before.results.resultsVisibility
  );
}
