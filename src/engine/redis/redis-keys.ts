import type { PollId } from '../../poll/poll.ts';

/**
 * Every name that Tallycast uses in Redis. What stands in braces is the hash tag: all keys and channels of one poll
 * live on one node of a cluster, so that one script may touch them together.
 */
export interface RedisKeys {
  /** Ids of public polls, scored by their creation. */
  readonly publicPolls: string;
  /** The number of the format of all of it. */
  readonly format: string;
  /** Ids of polls that go one day, scored by it. */
  readonly retention: string;
  /** What SCAN finds all of them by. */
  readonly patterns: { readonly polls: string; readonly records: string };
  ofPoll(id: PollId): PollKeyNames;
  record(name: string): string;
  /** Another name beside a poll's own, on the same node, for what is built or read there. */
  aside(id: PollId, purpose: string): string;
  /** Where changes under a topic are hinted: a poll's id, or a name with a colon like `comments:<poll id>`. */
  channel(topic: string): string;
}

export interface PollKeyNames {
  /** All there is of a poll but its comments, in one hash: so that each step is one write. What has another format, it does not find. */
  readonly poll: string;
  readonly comments: string;
}

/** Raised with every change that an older version would read or write wrongly: the number in the name of a poll's hash. */
export const FORMAT = '3';

/** @param format of the polls */
export function redisKeys(prefix: string, format = FORMAT): RedisKeys {
  return {
    publicPolls: `${prefix}public-polls`,
    retention: `${prefix}retention`,
    format: `${prefix}format`,
    ofPoll: id => ({ poll: `${prefix}{${id}}:poll-${format}`, comments: `${prefix}{${id}}:comments` }),
    record: name => `${prefix}record:${name}`,
    aside: (id, purpose) => `${prefix}{${id}}:aside:${purpose}`,
    patterns: { polls: `${globOf(prefix)}{*}:poll-${format}`, records: `${globOf(prefix)}record:*` },
    channel: topic => {
      const colon = topic.indexOf(':');
      if (colon < 0) return `${prefix}{${topic}}:hints`;
      // What follows the colon is the tag: hints about a poll's comments go out from the node that holds the poll.
      return `${prefix}{${topic.slice(colon + 1)}}:hints:${topic.slice(0, colon)}`;
    },
  };
}

function globOf(text: string): string {
  return text.replaceAll(/[\\*?[\]]/g, '\\$&');
}
