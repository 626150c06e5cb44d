import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { solveForm } from './visitor.ts';
import { type LiveSite, startLiveSite } from './voting-site.ts';

const VOTERS = 500;

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite({ trustProxy: ['127.0.0.1/32'] });
});
afterAll(() => site.close());

interface Prepared {
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** Retries after `Retry-After` and lost connections, as the page does. */
async function fetchWithRetries(url: string, init: RequestInit): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, init).catch(() => undefined);
    if (!reply) continue;
    if (reply.status !== 503) return reply;
    await reply.arrayBuffer();
    const afterMs = 1_000 * Number(reply.headers.get('retry-after'));
    if (!(afterMs > 0)) throw new Error('503 without Retry-After');
    await new Promise(done => setTimeout(done, afterMs));
  }
}

async function prepare(id: string, answer: string, index: number): Promise<Prepared> {
  const address = `10.9.${index >> 8}.${index & 255}`;
  const page = await fetchWithRetries(`${site.url}/${id}`, { headers: { 'x-forwarded-for': address } });
  const cookie = page.headers
    .getSetCookie()
    .map(text => text.split(';')[0])
    .join('; ');
  const form = await solveForm(await page.text());
  return {
    headers: {
      cookie,
      'x-forwarded-for': address,
      origin: site.url,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ ...(form as Record<string, string>), answer }).toString(),
  };
}

describe('five hundred concurrent voters', () => {
  it('are each counted once, though each sends the form twice', async () => {
    const { id, poll } = await site.createPoll();
    const answers = poll.answers.map(answer => answer.id);
    const crowd: Prepared[] = [];
    for (let from = 0; from < VOTERS; from += 50)
      crowd.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, n) => prepare(id, answers[(from + n) % 3]!, from + n)),
        )),
      );
    const press = async ({ headers, body }: Prepared) => {
      const form = { method: 'POST', redirect: 'manual', headers, body } as const;
      const reply = await fetchWithRetries(`${site.url}/${id}/ballot`, form);
      await reply.arrayBuffer();
      return reply.status;
    };
    const statuses = await Promise.all(crowd.flatMap(one => [press(one), press(one)]));
    expect(statuses).toEqual(Array(2 * VOTERS).fill(303));
    expect(await site.counts(id)).toEqual({ votes: [167, 167, 166], voters: VOTERS });
    const ids = new Set<string>();
    for await (const batch of site.engine.polls.readBallots(id))
      for (const { ballotId } of batch) ids.add(ballotId);
    expect(ids.size).toBe(VOTERS);
  });
});
