import { areResultsPublic, areSameResults, type Reading } from '../poll/poll.ts';
import type { ServerMessage } from '../protocol/messages.ts';
import { hiddenMessage, resultsBody } from './results-body.ts';
import { websocketText } from './websocket-bytes.ts';

/**
 * A message encoded once, ready for every wire, and shared by all who get it. Each wire form is made when the first
 * subscriber needs it; after that a delivery costs a write and no encoding.
 */
export class Frame {
  readonly json: string;
  /** Version of the results inside; undefined where there are none. */
  readonly version: number | undefined;
  #websocket: Buffer | undefined;
  #sse: Buffer | undefined;

  constructor(json: string, version?: number) {
    this.json = json;
    this.version = version;
  }

  static of(message: ServerMessage): Frame {
    return new Frame(JSON.stringify(message));
  }

  get websocket(): Buffer {
    this.#websocket ??= websocketText(this.json);
    return this.#websocket;
  }

  /** Only a message with counts has an id: the version of hidden results tells the number of ballots. */
  get sse(): Buffer {
    const id = this.version === undefined ? '' : `id: ${this.version}\n`;
    this.#sse ??= Buffer.from(`${id}data: ${this.json}\n\n`);
    return this.#sse;
  }
}

/** A `results` message, and its twin for those who knew an earlier epoch of the poll. */
export class ResultsFrame extends Frame {
  #reset: Frame | undefined;

  constructor(reading: Reading) {
    const final = reading.results.status === 'closed' ? { final: true } : {};
    super(JSON.stringify({ type: 'results', ...resultsBody(reading), ...final }), reading.results.version);
  }

  get reset(): Frame {
    this.#reset ??= new Frame(`${this.json.slice(0, -1)},"reset":true}`, this.version);
    return this.#reset;
  }
}

/** The newest reading of a poll, encoded once for those who may see the counts and once for those who may not. */
export interface Snapshot {
  readonly reading: Reading;
  readonly results: ResultsFrame;
  readonly hidden: Frame;
  /** Whether one without a key may see the counts. */
  readonly isPublic: boolean;
}

/**
 * A reading that says nothing new keeps the frames of the one before, and a frame that a subscriber has is not sent again:
 * that is how hidden polls stay silent while ballots are cast.
 */
export function encodeSnapshot(reading: Reading, before: Snapshot | undefined): Snapshot {
  const hidden = Frame.of(hiddenMessage(reading));
  const isSame = before && areSameResults(before.reading.results, reading.results);
  return {
    reading,
    results: isSame ? before.results : new ResultsFrame(reading),
    hidden: before?.hidden.json === hidden.json ? before.hidden : hidden,
    isPublic: areResultsPublic(reading.results),
  };
}
