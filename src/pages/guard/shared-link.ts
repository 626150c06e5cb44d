import { POLL_ID, SHOW_NAME } from '../../poll/poll.ts';

const [ID, NAME] = [POLL_ID, SHOW_NAME].map(rule => rule.source.slice(1, -1));
const SHARED_LINK = new RegExp(
  `^(/(?:${ID}|(?:show|desk)/${NAME}(?![\\w-]))(?:/(?:manage|check|share|present))?)/*[^0-9A-Za-z/?]`,
);

/**
 * Returns the address in a link that was shared with what stood beside it in a sentence: a full
 * stop, a bracket, further words. Undefined for a link without such an end.
 */
export function addressIn(url: string): string | undefined {
  return SHARED_LINK.exec(url)?.[1];
}
