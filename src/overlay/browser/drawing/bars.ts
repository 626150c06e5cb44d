import { addBarRow, type BarRow, showRowState } from '../../../picture/browser/bar-row.ts';
import { badgeOf, fillOf } from '../../../picture/fill.ts';
import { rowSpace } from '../../../picture/row-look.ts';
import { SMALLEST_TEXT, typeScale } from '../../../picture/themes.ts';
import { KeyedRows, paint, Values } from './answers.ts';
import { type DrawingFactory, roomKey, writesCompact } from './drawing.ts';
import { setStyle, setText, units } from './element.ts';
import { fitNames, writeAnswer } from './fit-text.ts';

const { line, air, bar, gap } = rowSpace;
/** Pitch of the rows, and the gap below each but the last. */
const ROOMY = { pitch: line + air + bar + gap, gap, text: typeScale.answer.size as number };
/** As in `bars.css`. */
const TIGHT = { pitch: 86, gap: 24, text: 32 };
/** A narrower line has no room for an answer and a count of ten digits. */
const NARROW = 600;

interface Bar extends BarRow {
  readonly figures: Values;
}

export const createBars: DrawingFactory = (body, tools) => {
  const { wording, settings } = tools;
  const bars = new KeyedRows<Bar>(body, parent => {
    const row = addBarRow(parent, 'div');
    return { ...row, figures: new Values(row.values, tools) };
  });
  const heightOf = (rows: number, { pitch, gap }: typeof TIGHT) => rows * pitch - gap;
  return {
    answerSize: ROOMY.text,
    preferredWidth: () => 860,
    heights: answers => ({ least: heightOf(1, TIGHT), preferred: heightOf(answers.length, TIGHT) }),
    fit: room => Math.max(1, Math.floor((room.height + TIGHT.gap) / TIGHT.pitch)),
    draw(picture, room, motion) {
      const isNarrow = room.width < NARROW;
      const rows = picture.rows.length;
      const measure = heightOf(rows, ROOMY) <= room.height && !isNarrow ? ROOMY : TIGHT;
      body.classList.toggle('tight-rows', measure === TIGHT);
      setStyle(body, 'height', units(heightOf(rows, measure)));
      const compact = writesCompact(room, picture);
      const drawn = bars.place(picture.rows, motion, (bar, row, at, delayMs) => {
        setStyle(bar.element, 'transform', `translateY(${units(at * measure.pitch)})`);
        writeAnswer(bar.label, row.answer);
        setText(bar.tag, badgeOf(row, picture, wording));
        showRowState(bar, row);
        paint(bar.fill, fillOf(row.place, settings));
        bar.figures.set(row, motion, delayMs, compact);
      });
      return fitNames(body, drawn, {
        key: roomKey(room, picture),
        largest: measure.text,
        floor: SMALLEST_TEXT,
      });
    },
  };
};
