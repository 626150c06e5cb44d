import { fillOf } from '../../../picture/fill.ts';
import { lineHeightOf } from '../../../picture/text.ts';
import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import { drawAnswer, paint, Values } from './answers.ts';
import { type DrawingFactory, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle, units } from './element.ts';
import { fitText } from './fit-text.ts';
import { delaysOf, setDelay } from './motion.ts';

const LABEL_SIZE = 44;
const TIGHT_BELOW = 960;
/** In less height names are smaller, the bar is thinner, and the name itself is styled as the badge. */
const LOW_BELOW = 340;
const LOW_LABEL_SIZE = 36;
/** Heights as in `versus.css`. */
const TAG = 42;
const TRACK = { roomy: 76, low: 46 };
const COUNT = 38;
const BIG_LINE = 1.1;
const LEAST_BIG = 40;

/** Two answers that push one bar, in the order of the poll. With more answers the bar has a gap and no mark at half. */
export const createVersus: DrawingFactory = (body, tools) => {
  const { settings, wording } = tools;
  const row = addElement(body, 'div', 'sides');
  const track = addElement(body, 'div', 'track');
  const sides = (['first', 'second'] as const).map(name => {
    const element = addElement(row, 'div', `side ${name}`);
    const label = addText(element, 'bdi', 'label lines');
    const values = new Values(addElement(element, 'div', 'values'), tools);
    const tag = addElement(element, 'span', 'tag');
    const sign = name === 'first' ? -1 : 1;
    return { element, label, values, tag, sign, fill: addElement(track, 'div', `fill ${name}`) };
  });
  addElement(body, 'div', 'middle');
  return {
    answerSize: LABEL_SIZE,
    preferredWidth: () => 1240,
    heights: answers => ({
      least: BIG_LINE * LEAST_BIG + COUNT + 2 * LOW_LABEL_SIZE * lineHeightOf(answers) + TRACK.low,
      preferred: LOW_BELOW,
    }),
    fit: () => 2,
    draw(picture, room, motion) {
      body.classList.toggle('many', picture.answers > 2);
      const isTight = room.width < TIGHT_BELOW;
      const isLow = room.height < LOW_BELOW;
      const labelSize = isLow ? LOW_LABEL_SIZE : LABEL_SIZE;
      body.classList.toggle('tight', isTight);
      body.classList.toggle('low', isLow);
      body.classList.toggle('untagged', isLow);
      const names = 2 * labelSize * lineHeightOf(picture.rows.map(({ answer }) => answer));
      const around = names + (isLow ? TRACK.low : TAG + TRACK.roomy);
      const count = isTight && settings.values === 'both' ? COUNT : 0;
      const big = Math.max(LEAST_BIG, (room.height - around - count) / BIG_LINE);
      setStyle(row, '--big-room', units(big.toFixed(1)));
      const rows = [...picture.rows].sort((one, other) => one.place - other.place);
      const delays = delaysOf(motion, rows);
      for (const [at, side] of sides.entries()) {
        const { element, fill, sign, values } = side;
        const row = rows[at];
        element.hidden = row === undefined;
        fill.hidden = row === undefined;
        if (!row) continue;
        drawAnswer(side, row, picture, wording);
        fill.classList.toggle('fill-lost', row.lost);
        paint(fill, fillOf(row.place, settings));
        const missing = (sign * (1 - row.share) * 100).toFixed(3);
        setStyle(fill, 'transform', `translateX(calc(var(--way) * ${missing}%))`);
        setDelay(motion, delays[at]!, [element, fill]);
        values.set(row, motion, delays[at]!, writesCompact(room, picture));
      }
      const labels = sides.map(side => side.label);
      fitText(labels, { key: `${room.width}`, largest: labelSize, floor: SMALLEST_TEXT });
      return 0;
    },
  };
};
