import { expect, it } from 'vitest';
import { createShow } from '../../src/show/shows.ts';
import { visibleText } from './visitor.ts';
import { startVotingSite } from './voting-site.ts';

it.each([
  ['http://127.0.0.1:8081', true],
  ['http://localhost:8081', true],
  ['http://[::1]:8081', true],
  ['http://192.168.1.20:8081', false],
  ['https://vote.example', false],
])('QR codes and links of %s say that they open on this computer only: %s', async (voteUrl, isOnlyHere) => {
  const site = await startVotingSite({ voteUrl });
  const { id, adminKey } = await site.createPoll();
  await createShow(site.engine, { name: 'friday-night', id: 'x'.repeat(12), title: '' }, 'f'.repeat(64));
  const visitor = site.visitor();
  await visitor.post(`/${id}/manage/key`, { key: adminKey });
  for (const path of [`/${id}/manage`, '/show/friday-night/share', '/desk/friday-night']) {
    const words = visibleText((await visitor.get(path)).body);
    expect([path, words.includes('Opens on this computer only')]).toEqual([path, isOnlyHere]);
    expect(words.includes('Start Tallycast with --lan')).toBe(isOnlyHere);
  }
  await site.close();
});
