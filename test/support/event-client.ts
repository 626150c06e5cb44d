import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { ServerMessage } from '../../src/protocol/messages.ts';
import { until } from './until.ts';

export interface StreamedEvent {
  readonly id: string | undefined;
  readonly message: ServerMessage;
}

/** A stream of Server-Sent Events that keeps every byte, so that a test can look at what no EventSource shows. */
export class EventClient {
  text = '';
  ended = false;
  readonly response: IncomingMessage;
  readonly #request: ClientRequest;

  constructor(sent: ClientRequest, response: IncomingMessage) {
    this.#request = sent;
    this.response = response;
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      this.text += chunk;
    });
    for (const event of ['end', 'close', 'error'])
      response.on(event, () => {
        this.ended = true;
      });
  }

  static open(url: string, headers: Record<string, string> = {}): Promise<EventClient> {
    return new Promise((done, fail) => {
      const sent = request(url, { headers, agent: false });
      sent.on('response', response => done(new EventClient(sent, response)));
      sent.on('error', fail);
      sent.end();
    });
  }

  get events(): StreamedEvent[] {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .filter(block => block.includes('data: '))
      .map(block => ({
        id: /^id: (.*)$/m.exec(block)?.[1],
        message: JSON.parse(/^data: (.*)$/m.exec(block)?.[1] ?? ''),
      }));
  }

  async event(test: (message: ServerMessage) => boolean, what = 'an event'): Promise<StreamedEvent> {
    await until(() => this.events.some(({ message }) => test(message)), what);
    return this.events.find(({ message }) => test(message)) as StreamedEvent;
  }

  /** The body of a refusal. */
  async json(): Promise<{ success: number; error: { code: string; message: string } }> {
    await until(() => this.ended, 'the end of the reply');
    return JSON.parse(this.text);
  }

  close(): void {
    this.#request.destroy();
  }
}
