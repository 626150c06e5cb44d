import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RawSocket } from '../support/raw-socket.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

const SENT_AHEAD = 20_000;

let site: LiveSite;
beforeEach(async () => {
  site = await startLiveSite();
});
afterEach(() => site.close());

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a.test\r\n\r\n`;

describe('pipelined requests', () => {
  it('get replies in order on both servers', async () => {
    for (const url of [site.relay.url, site.url]) {
      const raw = await RawSocket.open(url);
      for (let round = 0; round < 5; round += 1) {
        raw.received = Buffer.alloc(0);
        raw.send(get('/livez').repeat(50));
        await until(() => raw.text.match(/HTTP\/1\.1 200/g)?.length === 50, 'all answers');
      }
      raw.close();
    }
  });

  it('behind a stream are limited: the connection closes before they take memory', async () => {
    const { id } = await site.relay.create();
    let handled = 0;
    site.relay.app.server.on('request', () => {
      handled += 1;
    });
    for (const path of [`/api/poll/${id}/live`, `/api/poll/${id}`]) {
      const raw = await RawSocket.open(site.relay.url);
      raw.send(get(`/api/poll/${id}/live`));
      await until(() => raw.text.includes('data: '), 'the stream');
      handled = 0;
      raw.send(get(path).repeat(SENT_AHEAD));
      await until(() => raw.closed, 'the end');
      expect(handled).toBeLessThan(SENT_AHEAD / 5);
    }
  });
});
