import { areSameResults, type Poll, type Reading, type Results } from '../poll/poll.ts';
import { resultsBody } from './results-body.ts';

interface EncodedResults {
  readonly results: Results;
  /** The text before the time of reading, and after it. */
  readonly head: string;
  readonly tail: string;
}

/** Quotes inside a text are escaped, so that this cannot be part of one. */
const TIMESTAMP = '"timestamp":';

const newest = new WeakMap<Poll, EncodedResults>();

/**
 * The body of results in JSON. Of one version nothing differs but the time of reading, so it is encoded once, and a read of
 * a poll that nobody voted on meanwhile encodes nothing, however many polls there are.
 */
export function resultsText(reading: Reading): string {
  const { poll, results } = reading;
  let known = newest.get(poll);
  if (!known || !areSameResults(known.results, results)) {
    known = encode(reading);
    newest.set(poll, known);
  }
  return `${known.head}${Math.floor(results.readAtMs / 1000)}${known.tail}`;
}

function encode(reading: Reading): EncodedResults {
  const text = JSON.stringify(resultsBody(reading));
  const start = text.indexOf(TIMESTAMP) + TIMESTAMP.length;
  const end = text.indexOf(',', start);
  return { results: reading.results, head: text.slice(0, start), tail: text.slice(end) };
}
