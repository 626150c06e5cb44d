import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../src/locales/catalogues.ts';
import { phrasesIn } from '../../src/locales/phrases.ts';
import { EventClient } from '../support/event-client.ts';
import { restoreBallots, voidBallots } from '../support/void-ballots.ts';
import { visibleText } from './visitor.ts';
import { type LiveSite, startLiveSite, type TestPoll } from './voting-site.ts';

const NETWORK = 'network';
const RULE = { network: NETWORK, toMs: Number.MAX_SAFE_INTEGER };

let site: LiveSite;
beforeAll(async () => {
  site = await startLiveSite();
});
afterAll(() => site.close());

async function castFrom(network: string, { id, poll }: TestPoll, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const ballotId = `${network}${n}`;
    const answers = [poll.answers[0]!.id];
    await site.engine.castBallot({
      pollId: id,
      answers,
      voter: ballotId,
      address: ballotId,
      ballotId,
      network,
    });
  }
}

const remove = (id: string) => voidBallots(site.engine.polls, id, RULE);
const countAgain = (id: string) => restoreBallots(site.engine.polls, id, NETWORK);
const pageOf = async (id: string, language = 'en') =>
  visibleText((await site.visitor().get(`/${id}?lang=${language}`)).body);

describe('removed votes', () => {
  it('are in the grammar of each language', async () => {
    const test = await site.createPoll({ mip: true });
    await castFrom(NETWORK, test, 2);
    await remove(test.id);
    expect(await pageOf(test.id, 'pl')).toContain('Autor ankiety usunął 2 głosy');
    expect(await pageOf(test.id, 'ar')).toContain('أزال صاحب الاستطلاع صوتين');
    for (const language of LANGUAGES) {
      const { live, wording } = phrasesIn(language);
      const written = [1, 2, 3, 11, 1_000_000].map(count => wording.plural(live, 'voided', count));
      expect(written.join()).not.toMatch(/[{}]/);
      expect(await pageOf(test.id, language)).toContain(written[1]);
    }
  });

  it('are on the manage page and in its feed, of hidden results too', async () => {
    const test = await site.createPoll({ mip: true, results_visibility: 'hidden' });
    const { id, adminKey } = test;
    await castFrom(NETWORK, test, 2);
    const creator = site.visitor({ origin: site.url });
    await creator.post(`/${id}/manage/key`, { key: adminKey });
    const cookie = `tallycast-manage=${encodeURIComponent(creator.cookie('manage')!)}`;
    const feed = await EventClient.open(`${site.url}/${id}/manage/live`, { cookie });
    const counts = () => feed.events.map(({ message }) => message as object).findLast(one => 'voters' in one);
    await expect.poll(counts).toMatchObject({ voters: 2, voided: 0 });
    await remove(id);
    await expect.poll(counts).toMatchObject({ voters: 0, voided: 2 });
    expect(visibleText((await creator.get(`/${id}/manage`)).body)).toContain(
      '2 votes were removed by the poll’s creator',
    );
    await countAgain(id);
    await expect.poll(counts).toMatchObject({ voters: 2, voided: 0 });
    feed.close();
  });
});
