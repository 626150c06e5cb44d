import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { followEvents } from '../../src/pages/page/browser/event-feed.ts';
import { Stopwatch } from '../support/stopwatch.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

/** Promised for every live page. */
const NOTICED_MS = 10_000;

describe('a feed of the voting server', () => {
  let site: LiveSite;
  let link: TcpProxy;
  let lost: number;
  let lists: { text: string }[][];
  const feeds: { close(): void }[] = [];
  beforeEach(async () => {
    site = await startLiveSite();
    link = await startTcpProxy(Number(new URL(site.url).port));
    [lost, lists] = [0, []];
  });
  afterEach(async () => {
    for (const feed of feeds.splice(0)) feed.close();
    await link.close();
    await site.close();
  });

  const follow = (id: string) =>
    feeds.push(
      followEvents<{ text: string }[]>(`http://127.0.0.1:${link.port}/${id}/comments/live`, {
        onMessage: list => lists.push(list),
        onLost: () => {
          lost += 1;
        },
      }),
    );
  const write = (id: string, text: string) =>
    site.engine.comments.add(id, { id: text, name: 'Mira', text, writtenAtMs: 1 }, 10);

  it('delivers messages, but no heartbeats', async () => {
    const { id } = await site.createPoll({ co: true });
    follow(id);
    await until(() => lists.length === 1, 'the list');
    await new Promise(done => setTimeout(done, 4_000));
    await write(id, 'Hello');
    await until(() => lists.at(-1)?.[0]?.text === 'Hello', 'the comment');
    expect([lists.length, lost]).toEqual([2, 0]);
  });

  it('detects a frozen server within 10 s, and reconnects once it responds', async () => {
    const { id } = await site.createPoll({ co: true });
    follow(id);
    await until(() => lists.length === 1, 'the list');
    link.setMode('blackhole');
    const since = new Stopwatch();
    await until(() => lost > 0, 'the loss', 2 * NOTICED_MS);
    expect(since.ms).toBeLessThan(NOTICED_MS);
    link.setMode('pass');
    link.cut();
    await write(id, 'Back');
    await until(() => lists.at(-1)?.[0]?.text === 'Back', 'the comment', 2 * NOTICED_MS);
  });

  it('does not reconnect to a deleted poll', async () => {
    const { id } = await site.createPoll();
    await site.engine.polls.remove(id);
    let requests = 0;
    site.server.server.on('request', () => {
      requests += 1;
    });
    follow(id);
    await until(() => lost > 0, 'the rejection');
    const before = requests;
    await new Promise(done => setTimeout(done, 2_000));
    expect(requests).toBe(before);
  });
});
