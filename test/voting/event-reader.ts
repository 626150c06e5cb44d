const PATIENCE_MS = 8_000;

/** Reads Server-Sent Events. */
export class EventReader {
  readonly events: string[] = [];
  readonly #abort = new AbortController();
  #wake: () => void = () => {};
  ended = false;

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const reader = new EventReader();
    const reply = await fetch(url, { headers, signal: reader.#abort.signal });
    if (!reply.ok || !reply.body) throw new Error(`rejected: ${reply.status}`);
    void reader.#read(reply.body);
    return reader;
  }

  /** Waits for an event, including past ones. */
  async until(test: (text: string) => boolean): Promise<string> {
    const expired = AbortSignal.timeout(PATIENCE_MS);
    for (;;) {
      const found = this.events.find(test);
      if (found !== undefined) return found;
      if (expired.aborted) throw new Error(`timed out; received: ${this.events.join('\n')}`);
      await this.#change(expired);
    }
  }

  /** Waits for the server to end the stream. */
  async end(): Promise<void> {
    const expired = AbortSignal.timeout(PATIENCE_MS);
    while (!this.ended) {
      if (expired.aborted) throw new Error('the stream did not end');
      await this.#change(expired);
    }
  }

  close(): void {
    this.#abort.abort();
  }

  #change(expired: AbortSignal): Promise<void> {
    return new Promise(done => {
      this.#wake = done;
      expired.addEventListener('abort', () => done(), { once: true });
    });
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    try {
      for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
        text += Buffer.from(chunk).toString();
        const parts = text.split('\n\n');
        text = parts.pop() ?? '';
        for (const part of parts)
          if (part.startsWith('data: ')) this.events.push(part.slice('data: '.length));
        this.#wake();
      }
    } catch {
      // Closed from this side.
    }
    this.ended = true;
    this.#wake();
  }
}
