import type { Poll, PollId } from '../poll/poll.ts';
import { LruMap } from './lru-map.ts';

const MAX_DEFINITIONS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;

/** A character may take two bytes, and what is sent about a poll holds its texts once more for as long as it is known. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_ANSWER = 150;
const BYTES_PER_POLL = 500;

/**
 * What never changes about polls, so that it need not be read again: bounded by number, and by bytes, because a poll may be
 * some 76 KB long. The bytes are an estimate, measured to be within a tenth of what a large poll takes.
 */
export class DefinitionCache<Definition extends { readonly poll: Poll }> extends LruMap<PollId, Definition> {
  constructor() {
    super({ entries: MAX_DEFINITIONS, weight: MAX_BYTES, weigh: ({ poll }) => bytesOf(poll) });
  }
}

function bytesOf({ title, description, image, answers }: Poll): number {
  let characters = title.length + description.length + (image?.length ?? 0);
  for (const { id, text } of answers) characters += id.length + text.length;
  return characters * BYTES_PER_CHARACTER + answers.length * BYTES_PER_ANSWER + BYTES_PER_POLL;
}
