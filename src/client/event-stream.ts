/** Reads Server-Sent Events from text that arrives in pieces of any size. Names of events and ids are passed over. */
export class EventStream {
  /** The pause in milliseconds that the server asked for; undefined unless it did. */
  retryMs: number | undefined;
  readonly #onData: (data: string) => void;
  #rest = '';
  #data: string[] = [];

  constructor(onData: (data: string) => void) {
    this.#onData = onData;
  }

  push(text: string): void {
    const lines = (this.#rest + text).split(/\r\n|[\r\n]/);
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  #line(line: string): void {
    if (line === '') {
      if (this.#data.length > 0) this.#onData(this.#data.join('\n'));
      this.#data = [];
      return;
    }
    const [, field, value] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (field === 'data') this.#data.push(value!);
    if (field === 'retry' && /^\d+$/.test(value!)) this.retryMs = Number(value);
  }
}
