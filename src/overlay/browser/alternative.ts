import type { Picture, PollSnapshot } from '../../picture/picture.ts';
import type { OverlayWording } from '../../picture/wording.ts';

/** Returns a picture in words: title, state, and the answers with their counts. Always current, for readers of the page and for tests. */
export function describePicture(
  poll: PollSnapshot,
  picture: Picture | undefined,
  wording: OverlayWording,
): HTMLElement[] {
  const title = document.createElement('h1');
  title.dir = 'auto';
  title.textContent = poll.title;
  const list = document.createElement('ol');
  for (const row of picture?.rows ?? []) {
    const item = document.createElement('li');
    item.dir = 'auto';
    const figures =
      'total_votes' in poll ? `: ${wording.votes(row.votes)}, ${wording.percent(row.percent)}` : '';
    const mark = row.wins ? ` (${picture?.tie ? wording.phrases.tie : wording.phrases.winner})` : '';
    item.textContent = `${row.answer}${figures}${mark}`;
    list.append(item);
  }
  return [title, list];
}
