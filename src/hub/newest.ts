import { type Frame, hiddenFrame, ResultsFrame } from '../frame/frame.ts';
import { areResultsPublic, areSameResults, type Reading } from '../poll/poll.ts';

/** The newest reading of a poll, encoded once for those who may see the counts and once for those who may not. */
export interface Newest {
  readonly reading: Reading;
  readonly results: ResultsFrame;
  readonly hidden: Frame;
  readonly isPublic: boolean;
}

/**
 * What says nothing new keeps its frame, and a frame that a subscriber has already is not sent again: that is how hidden
 * polls stay silent while ballots are cast.
 */
export function encodeNewest(reading: Reading, before: Newest | undefined): Newest {
  const hidden = hiddenFrame(reading);
  return {
    reading,
    results:
      before && areSameResults(before.reading.results, reading.results)
        ? before.results
        : new ResultsFrame(reading),
    hidden: before?.hidden.json === hidden.json ? before.hidden : hidden,
    isPublic: areResultsPublic(reading.results),
  };
}

/** True where the engine holds less than it held before: it lost data. */
export function wentBack(reading: Reading, before: Newest | undefined): before is Newest {
  if (!before || before.reading.results.epoch !== reading.results.epoch) return false;
  return reading.results.version < before.reading.results.version;
}
