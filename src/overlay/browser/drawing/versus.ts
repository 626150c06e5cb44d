import { SMALLEST_TEXT } from '../../look/themes.ts';
import { drawAnswer, fillOf, paint, Values } from './answers.ts';
import { type DrawingFactory, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle } from './element.ts';
import { fitText } from './fit-text.ts';
import { delay } from './motion.ts';

const LABEL_SIZE = 44;
const TIGHT_BELOW = 800;

/** Two answers that push one bar, in the order of the poll. With more answers the bar has a gap and no mark at half. */
export const createVersus: DrawingFactory = (body, tools) => {
  const { settings, wording } = tools;
  const row = addElement(body, 'div', 'sides');
  const track = addElement(body, 'div', 'track');
  const sides = (['first', 'second'] as const).map(name => {
    const element = addElement(row, 'div', `side ${name}`);
    const label = addText(element, 'bdi', 'label two-lines');
    const values = new Values(addElement(element, 'div', 'values'), tools);
    const tag = addElement(element, 'span', 'tag');
    const sign = name === 'first' ? -1 : 1;
    return { element, label, values, tag, sign, fill: addElement(track, 'div', `fill ${name}`) };
  });
  addElement(body, 'div', 'middle');
  return {
    preferredWidth: () => 1240,
    fit: () => 2,
    draw(picture, room, motion) {
      body.classList.toggle('many', picture.answers > 2);
      body.classList.toggle('tight', room.width < TIGHT_BELOW);
      const rows = [...picture.rows].sort((one, other) => one.place - other.place);
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
        const delayMs = delay(motion, row.leads ? 0 : 1, 2, [element, fill]);
        values.set(row, motion, delayMs, writesCompact(room, picture));
      }
      const labels = sides.map(side => side.label);
      fitText(labels, `${room.width}`, LABEL_SIZE, SMALLEST_TEXT);
      return 0;
    },
  };
};
