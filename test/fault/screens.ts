import { expect } from 'vitest';
import type { ResultsMessage } from '../../src/protocol/messages.ts';
import { expectConsistent } from '../support/ledger.ts';
import { LiveClient } from '../support/live-client.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { until } from '../support/until.ts';

/** Contract 5.4: every subscriber is exact within five seconds, even where every hint was lost. */
export const CONVERGES_MS = 5_000;

interface Place {
  readonly wsUrl: string;
}

/** All subscribers, checked by every message that they got. */
export class Screens {
  readonly clients: readonly LiveClient[];

  private constructor(clients: readonly LiveClient[]) {
    this.clients = clients;
  }

  /** @param each how many at each poll of each relay */
  static async open(relays: readonly Place[], ids: readonly string[], each = 1): Promise<Screens> {
    const urls = relays.flatMap(({ wsUrl }) => ids.map(id => `${wsUrl}/api/poll/${id}/live?hz=20`));
    const clients = await Promise.all(
      urls.flatMap(url => Array.from({ length: each }, () => LiveClient.open(url))),
    );
    await Promise.all(
      clients.map(client => client.message(message => message.type === 'results', 'the first results')),
    );
    return new Screens(clients);
  }

  get resets(): number {
    return this.clients.filter(client => client.of('results').some(({ reset }) => reset)).length;
  }

  /**
   * Waits until the last that each of them got is exact, and live.
   * @returns milliseconds since the call, as this process had them
   */
  async showing(total: number): Promise<number> {
    const since = new Stopwatch();
    const shown = () =>
      this.clients.map(({ last }) => (last?.type === 'results' ? last.total_votes : last?.type));
    const isExact = () => shown().every(votes => votes === total);
    await until(isExact, 'all screens', 60_000).catch(() =>
      expect(shown()).toEqual(shown().map(() => total)),
    );
    return since.ms;
  }

  /** No version went back without `reset`, every message was consistent, and no client was disconnected. */
  expectFollowed(): void {
    for (const { messages, closed } of this.clients) {
      expect(closed).toBeUndefined();
      const results = messages.filter((message): message is ResultsMessage => message.type === 'results');
      expectHistory(results);
    }
  }

  close(): void {
    for (const client of this.clients) client.close();
  }
}

/** On one connection a version rises, or keeps its position, unless the message says `reset`; each is consistent. */
export function expectHistory(results: readonly ResultsMessage[]): void {
  for (const [index, message] of results.entries()) {
    expectConsistent(message);
    const before = results[index - 1];
    if (!before || message.reset) continue;
    const counts = ({ poll_answers }: ResultsMessage) => poll_answers.map(({ votes }) => votes);
    const isOther = message.version === before.version && message.position !== before.position;
    if (message.version < before.version || isOther)
      throw new Error(
        `version ${before.version} with ${counts(before)}, and after it without reset ${message.version} with ${counts(message)}`,
      );
  }
}
