import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startLiveSite } from '../voting/voting-site.ts';
import { browserRig } from './browser-rig.ts';

/**
 * On plain HTTP browsers offer scripts no cryptography and send no Fetch Metadata, as in every
 * trial on a local network.
 */
const PLAIN_URL = 'http://vote.example';
/** Chromium keeps pages of other networks away from the addresses of this machine. */
const PLAIN_RELAY_URL = 'http://relay.example';

const rig = browserRig(async () => {
  const site = await startLiveSite({ voteUrl: PLAIN_URL, relayUrl: PLAIN_RELAY_URL });
  const proxy = createServer((incoming, outgoing) => {
    const { origin, pathname, search } = new URL(incoming.url ?? '/', PLAIN_URL);
    const target = origin === PLAIN_RELAY_URL ? site.relay.url : site.url;
    const { method, headers } = incoming;
    const forwarded = request(`${target}${pathname}${search}`, { method, headers }, reply => {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done));
  const proxyUrl = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const close = async () => {
    proxy.close();
    await site.close();
  };
  return { relay: site, proxyUrl, close };
});

describe('on plain HTTP', () => {
  it('the check is solved in script, and the vote is counted', async () => {
    const { relay, proxyUrl } = rig.site;
    const { id } = await relay.createPoll();
    const page = await rig.browser.newPage({ proxy: { server: proxyUrl } });
    const sent = page.waitForRequest('**/ballot');
    await page.goto(`${PLAIN_URL}/${id}`);
    expect(await page.evaluate(() => [isSecureContext, typeof crypto.subtle])).toEqual([false, 'undefined']);
    await page.getByLabel('Volare').check();
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await page.getByRole('heading', { name: 'Your vote has been counted' }).waitFor();
    const headers = await (await sent).allHeaders();
    expect(headers['sec-fetch-site']).toBeUndefined();
    expect(headers['origin']).toBe(PLAIN_URL);
    expect(await relay.counts(id)).toEqual({ votes: [0, 1, 0], voters: 1 });
  });

  it('the browser itself checks vote and result, and finds a manipulation', async () => {
    const { relay, proxyUrl } = rig.site;
    const { id } = await relay.createPoll({ mip: true, verifiable: true });
    const page = await rig.browser.newPage({ locale: 'en-US', proxy: { server: proxyUrl } });
    const heading = (name: string) => page.getByRole('heading', { name, exact: true });
    await page.goto(`${PLAIN_URL}/${id}`);
    await page.getByLabel('Volare').check();
    await page.getByRole('button', { name: 'Vote', exact: true }).click();
    await heading('Your vote has been counted').waitFor();
    await relay.relay.cast(id, 0, 300);
    await relay.engine.polls.change(id, { closed: true });
    await page.goto(`${PLAIN_URL}/${id}/check`);
    expect(await page.evaluate(() => [isSecureContext, typeof crypto.subtle])).toEqual([false, 'undefined']);
    await heading('Your vote is in the log').waitFor();
    await page.getByText('Your browser has checked this itself.').waitFor();
    const checkResult = page.locator('[data-check-result]');
    await checkResult.click();
    await heading('The log confirms the result').waitFor();
    const address = `/api/poll/${id}/log/checkpoint`;
    const note = await (await fetch(`${relay.relay.url}${address}`)).text();
    // Another byte of the signature.
    const body = note.replace(/.(?=.{9}\n$)/, letter => (letter === 'A' ? 'B' : 'A'));
    const headers = { 'access-control-allow-origin': '*' };
    await page.route(`**${address}`, route => route.fulfill({ body, headers }));
    await checkResult.click();
    await heading('The log doesn’t confirm the result').waitFor();
  });
});
