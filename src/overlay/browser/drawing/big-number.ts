import { SMALLEST_TEXT } from '../../look/type-scale.ts';
import type { Picture, PictureRow } from '../../picture/picture.ts';
import { markOf } from './answer.ts';
import { type Drawing, type DrawingTools, type Room, roomKey, writesCompact } from './drawing.ts';
import { addElement, addText, setHidden, setStyle, setText } from './element.ts';
import { fillOf, paint } from './fills.ts';
import { fitText, writeAnswer } from './fit-text.ts';
import type { Motion } from './motion.ts';

const NUMBER_SIZE = 230;
/** How wide a character of the number is, of its height; a little more than any tabular figure. */
const CHARACTER_WIDTH = 0.62;
const LABEL_SIZE = 48;

/** One answer's figure, as large as there is room: the leader's, or that of the answer asked for. */
export function createBigNumber(body: HTMLElement, tools: DrawingTools): Drawing {
  const { settings, wording, figures } = tools;
  const inPercent = settings.values !== 'count';
  const number = addElement(body, 'div', 'number');
  const format = (value: number) => (inPercent ? wording.percent(value) : wording.number(Math.round(value)));
  const figure = figures.add(number, format);
  const track = addElement(body, 'div', 'track');
  const fill = addElement(track, 'div', 'fill');
  const line = addElement(body, 'div', 'line');
  const label = addText(line, 'bdi', 'label two-lines');
  const tag = addElement(line, 'span', 'tag');
  const countCell = addElement(line, 'span', 'count');
  let compact = false;
  const count = figures.add(countCell, votes =>
    compact ? wording.compactNumber(Math.round(votes)) : wording.number(Math.round(votes)),
  );
  return {
    preferredWidth: () => 760,
    fit: () => Number.POSITIVE_INFINITY,
    draw(picture: Picture, room: Room, motion: Motion): number {
      const row = chooseRow(picture, settings.answer);
      if (!row) return 0;
      const value = inPercent ? row.percent : row.votes;
      const size = Math.min(NUMBER_SIZE, room.width / (Math.max(3, format(value).length) * CHARACTER_WIDTH));
      setStyle(number, 'font-size', `calc(var(--u) * ${size.toFixed(1)})`);
      figure.set(value, motion);
      compact = writesCompact(room, picture);
      count.set(row.votes, motion);
      count.write();
      // Before the first vote nobody leads, and the figure is nobody's.
      const isNamed = row.leads || row.place + 1 === settings.answer;
      setHidden(countCell, settings.values !== 'both' || !isNamed);
      const shared = row.wins && picture.tie ? picture.rows.filter(({ wins }) => wins) : [row];
      writeAnswer(label, isNamed ? wording.list(shared.map(({ answer }) => answer)) : '');
      setText(tag, markOf(row, picture, wording));
      paint(fill, fillOf(row.place, settings));
      setStyle(fill, 'transform', `translateX(calc(var(--way) * ${(-(1 - row.share) * 100).toFixed(3)}%))`);
      return fitText([label], roomKey(room, picture), LABEL_SIZE, SMALLEST_TEXT);
    },
  };
}

/** An answer that the poll does not have falls back to the leader; of equals the first in the poll leads. */
function chooseRow(picture: Picture, answer: number | null): PictureRow | undefined {
  const asked = picture.rows.find(row => row.place + 1 === answer);
  const byVotes = [...picture.rows].sort((one, other) => other.votes - one.votes || one.place - other.place);
  return asked ?? byVotes[0];
}
