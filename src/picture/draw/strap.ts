import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { heightOfRows, layOutRows, type RowMeasure } from './bars.ts';
import type { Style } from './body.ts';

const ONE_LINE: RowMeasure = { line: 52, air: 6, bar: 20, gap: 16, text: 36, big: 42, small: SMALLEST_TEXT };
/** Figures are below names that would be broken beside them. */
const STACKED = { below: 48, air: 4, bar: 12, gap: 0, big: 38, small: SMALLEST_TEXT };
const NAME = { largest: 32, least: SMALLEST_TEXT };
const GROWN = { votes: 88_888, percent: 88 };
const MOST = 6;
const NARROWEST = 160;
const APART = 36;
/** Leaves room for a question in tall scripts. */
const MOST_LEAST = 138;

/** Answers side by side in a lower third, in every style. */
export const strap: Style = {
  answerSize: ONE_LINE.text,
  preferredWidth: () => Number.POSITIVE_INFINITY,
  heights(answers) {
    const preferred = heightOfRows(1, stackedRow(2, answers));
    return { least: Math.min(preferred, MOST_LEAST), preferred };
  },
  fit: ({ width }) => Math.max(1, Math.min(MOST, Math.floor((width + APART) / (NARROWEST + APART)))),
  layOut(task) {
    const { picture, room, settings } = task;
    const layOut = (measure: RowMeasure, of = task) => layOutRows(of, measure, picture.slots, APART);
    // Figures that grow do not change the places of all.
    const grown = picture.rows.map(row => ({ ...row, ...GROWN, wins: false }));
    if (!layOut(ONE_LINE, { ...task, picture: { ...picture, rows: grown } }).isBroken)
      return layOut(ONE_LINE);
    // A narrow answer has no room for its count and the word of a winner.
    const short = {
      ...task,
      settings: { ...settings, values: settings.values === 'both' ? 'percent' : settings.values },
    } as const;
    const answers = picture.rows.map(({ answer }) => answer);
    const [low, two] = [stackedRow(1, answers), stackedRow(2, answers)];
    const high = heightOfRows(1, two) <= room.height ? two : low;
    const stacked = [low, high].map(measure => layOut(measure, short)).find(body => !body.isBroken);
    // A picture gives way before a name is broken.
    const rows = picture.rows.map(row => ({ ...row, image: undefined }));
    return stacked ?? layOut(high, { ...short, picture: { ...picture, rows } });
  },
};

/** A row whose names have so many lines. */
function stackedRow(lines: number, answers: readonly string[]): RowMeasure {
  const text = lines === 1 ? NAME.largest : NAME.least;
  return { ...STACKED, text, line: Math.ceil(lines * text * lineHeightOf(answers)) };
}
