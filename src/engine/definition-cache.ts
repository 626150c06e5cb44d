import { LRUCache } from 'lru-cache';
import { charactersOf } from '../poll/correct-poll.ts';
import type { Poll, PollId } from '../poll/poll.ts';

const MAX_DEFINITIONS = 10_000;
const MAX_BYTES = 32 * 1024 * 1024;
/** Two for the text itself, and as many for what is sent of it. */
const BYTES_PER_CHARACTER = 4;
const BYTES_PER_ANSWER = 150;
const BYTES_PER_POLL = 500;

/**
 * Definitions of polls, current as long as a read has their edition. Bounded by bytes too, because
 * a poll may take 76 KB; the estimate is right to a tenth.
 */
export function definitionCache<Definition extends { readonly poll: Poll }>() {
  const bounds = { max: MAX_DEFINITIONS, maxSize: MAX_BYTES };
  return new LRUCache<PollId, Definition>({ ...bounds, sizeCalculation: ({ poll }) => bytesOf(poll) });
}

function bytesOf({ title, description, image, answers, earlier = [] }: Poll): number {
  let characters = title.length + description.length + (image?.length ?? 0);
  for (const { id, text, color = '', image: file = '' } of answers)
    characters += id.length + text.length + color.length + file.length;
  for (const wording of earlier) characters += charactersOf(wording);
  return characters * BYTES_PER_CHARACTER + answers.length * BYTES_PER_ANSWER + BYTES_PER_POLL;
}
