import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatRevealed, RESULTS_FORMATS } from '../../src/api/results-formats.ts';
import { encodeSnapshot } from '../../src/live/frame.ts';
import { phrasesFor } from '../../src/locales/phrases.ts';
import { markedPollState } from '../../src/pages/page/messages.ts';
import { revealedFigures } from '../../src/pages/page/results-section.ts';
import { composePicture } from '../../src/picture/picture.ts';
import { pollSettings, type Reading } from '../../src/poll/poll.ts';
import { hiddenMessage } from '../../src/protocol/results-body.ts';
import { readingOf } from '../support/one-poll.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';
import { closedResults, commonSteps, drawPair, expectSameBytes, type Pair } from './stepped-histories.ts';

const PURE_PAIRS = 400;
/** More in the slow test. */
const PAIRS = 12;
const SETTINGS = {
  sort: 'votes',
  top: null,
  scale: 'auto',
  style: 'bars',
  decimals: 1,
  winner: true,
} as const;

function readingAt(pair: Pair, which: 0 | 1, revealedFrom: number | undefined): Reading {
  const { poll, results } = readingOf({ ...closedResults(pair, which), revealedFrom });
  const answers = results.votes.map((_, index) => ({ id: `a${index}`, text: `Answer ${index}` }));
  const settings = pollSettings({ allowMultiple: pair.allowMultiple });
  return { ...readingOf({}), poll: { ...poll, answers, settings }, results };
}

/** All that is derived from a reading for an outsider. */
function derived(reading: Reading, before: Reading): string[] {
  const { hidden } = encodeSnapshot(reading, encodeSnapshot(before, undefined));
  return [
    hidden.websocket.toString('latin1'),
    hidden.sse.toString('latin1'),
    ...RESULTS_FORMATS.map(format => formatRevealed(reading, format).body),
    JSON.stringify(revealedFigures(phrasesFor({ headers: {}, query: {} } as never), reading)),
    JSON.stringify(markedPollState(reading.results)),
    JSON.stringify(composePicture(hiddenMessage(reading), SETTINGS, 100)),
  ];
}

describe('two histories that differ only in what is not revealed', () => {
  it(`have the same messages, formats, figures and pictures after each step: ${PURE_PAIRS} pairs`, () => {
    let steps = 0;
    for (let seed = 1; seed <= PURE_PAIRS; seed += 1) {
      const pair = drawPair(seed);
      let before: number | undefined;
      for (const from of commonSteps(pair)) {
        const [one, other] = ([0, 1] as const).map(which =>
          derived(readingAt(pair, which, from), readingAt(pair, which, before)),
        );
        expect([pair, other]).toEqual([pair, one]);
        before = from;
        steps += 1;
      }
    }
    expect(steps).toBeGreaterThan(PURE_PAIRS);
  });

  describe('on the embedded engine', () => {
    let sites: [LiveSite, LiveSite];
    beforeAll(async () => {
      sites = [await startLiveSite(), await startLiveSite()];
    });
    afterAll(() => Promise.all(sites.map(site => site.close())));

    it(`send the same bytes on every way: ${PAIRS} pairs`, async () => {
      await expectSameBytes(
        sites,
        Array.from({ length: PAIRS }, (_, index) => index + 1),
      );
    });
  });
});
