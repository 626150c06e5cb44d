import { InvalidArgumentError } from 'commander';
import { parsePollUrl } from '../client/poll-url.ts';

export interface PollTarget {
  /** URL of the poll on its relay. */
  readonly url: string;
  readonly id: string;
  /** The key in the URL, if any. */
  readonly key: string | undefined;
}

const ID = /^[\w-]{1,64}$/;
const ON_A_RELAY = /\/(?:api\/poll|overlay)\//;

/**
 * What a person pastes: an id, the poll's URL on a relay, or that of its voting page, which does not tell where the relay is.
 *
 * @param relay where the relay is unless the target says so itself
 * @throws InvalidArgumentError where it names no poll
 */
export function pollTarget(target: string, relay: string): PollTarget {
  const base = relayUrl(relay);
  if (ID.test(target)) return { url: `${base}/api/poll/${target}`, id: target, key: undefined };
  try {
    const named = parsePollUrl(target);
    const found = ON_A_RELAY.test(new URL(target).pathname) ? named.relay : base;
    return { url: `${found}/api/poll/${named.id}`, id: named.id, key: named.key };
  } catch {
    throw new InvalidArgumentError(`"${target}" is neither the id nor the URL of a poll.`);
  }
}

/** @throws InvalidArgumentError where nothing can be asked there */
export function relayUrl(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError(`The relay must be an http or https URL, not "${text}".`);
  return text.replace(/\/+$/, '');
}
