import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { drawAnswer } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, writesCompact } from './drawing.ts';
import { addElement, addText, setStyle } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText } from './fit-text.ts';
import { delay, type Motion } from './motion.ts';
import { Values } from './values.ts';

const LABEL_SIZE = 44;
/** Below this width the figures get smaller. */
const TIGHT_BELOW = 800;

interface Side {
  readonly element: HTMLElement;
  readonly label: HTMLElement;
  readonly tag: HTMLElement;
  readonly values: Values;
  readonly fill: HTMLElement;
}

/**
 * Two sides that push one bar. They stand in the order of the poll and never change places; of more than two
 * answers the two with the most votes are drawn, what lies between them is everybody else's, and no middle is marked, since
 * no half is to be won.
 */
export function createVersus(body: HTMLElement, tools: DrawingTools): Drawing {
  const sidesRow = addElement(body, 'div', 'sides');
  const track = addElement(body, 'div', 'track');
  const sides = [
    addSide(sidesRow, track, tools, 'first'),
    addSide(sidesRow, track, tools, 'second'),
  ] as const;
  addElement(body, 'div', 'middle');
  return {
    preferredWidth: () => 1240,
    fit: () => 2,
    draw(picture: Picture, room: Room, motion: Motion): number {
      body.classList.toggle('many', picture.answers > 2);
      body.classList.toggle('tight', room.width < TIGHT_BELOW);
      const rows = [...picture.rows].sort((one, other) => one.place - other.place);
      for (const [at, side] of sides.entries()) {
        const shown = rows[at];
        side.element.hidden = shown === undefined;
        side.fill.hidden = shown === undefined;
        if (!shown) continue;
        drawSide(side, shown, at === 0 ? -1 : 1, picture, tools);
        const delayMs = delay(motion, shown.leads ? 0 : 1, 2, [side.element, side.fill]);
        side.values.set(shown, motion, delayMs, writesCompact(room, picture));
      }
      const labels = sides.map(side => side.label);
      fitText(labels, `${room.width}`, LABEL_SIZE, SMALLEST_TEXT);
      return 0;
    },
  };
}

function addSide(row: HTMLElement, track: HTMLElement, tools: DrawingTools, name: string): Side {
  const element = addElement(row, 'div', `side ${name}`);
  const label = addText(element, 'bdi', 'label two-lines');
  const values = new Values(addElement(element, 'div', 'values'), tools);
  const tag = addElement(element, 'span', 'tag');
  return { element, label, values, tag, fill: addElement(track, 'div', `fill ${name}`) };
}

function drawSide(side: Side, row: PictureRow, sign: number, picture: Picture, tools: DrawingTools): void {
  drawAnswer(side, row, picture, tools.wording);
  side.fill.classList.toggle('fill-lost', row.lost);
  paint(side.fill, fillOf(row.place, tools.settings));
  const missing = (sign * (1 - row.share) * 100).toFixed(3);
  setStyle(side.fill, 'transform', `translateX(calc(var(--way) * ${missing}%))`);
}
