import type { Reading } from '../poll/poll.ts';
import { hiddenMessage, resultsBody } from './results-body.ts';
import { websocketText } from './websocket-bytes.ts';

/**
 * A message encoded once, ready for every wire, and shared by all who get it. Each wire form is made when the first
 * subscriber needs it; after that a delivery costs a write and no encoding.
 */
export class Frame {
  readonly json: string;
  /** Version of the results inside; undefined for a message without counts. */
  readonly version: number | undefined;
  readonly epoch: number | undefined;
  #websocket: Buffer | undefined;
  #sse: Buffer | undefined;

  constructor(json: string, revision?: { version: number; epoch: number }) {
    this.json = json;
    this.version = revision?.version;
    this.epoch = revision?.epoch;
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

/** A `results` frame, and its twin for those who knew an earlier epoch of the poll. */
export class ResultsFrame extends Frame {
  readonly final: boolean;
  #reset: Frame | undefined;

  constructor(reading: Reading) {
    const final = reading.results.status === 'closed';
    const message = { type: 'results', ...resultsBody(reading), ...(final ? { final: true } : {}) };
    super(JSON.stringify(message), reading.results);
    this.final = final;
  }

  get reset(): Frame {
    this.#reset ??= new Frame(`${this.json.slice(0, -1)},"reset":true}`, {
      version: this.version ?? 0,
      epoch: this.epoch ?? 0,
    });
    return this.#reset;
  }
}

export function hiddenFrame(reading: Reading): Frame {
  return new Frame(JSON.stringify(hiddenMessage(reading)));
}
