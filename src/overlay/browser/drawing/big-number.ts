import { badgeOf, fillOf } from '../../../picture/fill.ts';
import type { Picture, PictureRow } from '../../../picture/picture.ts';
import { lineHeightOf } from '../../../picture/text.ts';
import { SMALLEST_TEXT } from '../../../picture/themes.ts';
import { paint } from './answers.ts';
import { type DrawingFactory, roomKey, writesCompact } from './drawing.ts';
import { addElement, addText, setHidden, setStyle, setText, units } from './element.ts';
import { fitNames, writeAnswer } from './fit-text.ts';

const NUMBER_SIZE = 230;
/** Width of a character as a part of its height, a little more than any tabular figure. */
const CHARACTER_WIDTH = 0.62;
const LABEL_SIZE = 48;
const LABEL_LINES = 2;
/** Track with its margins, as in `big-number.css`. */
const TRACK = 58;
const LEAST_NUMBER = 72;

/** The figure of one answer, as large as possible: the leader, or the answer that the settings name. */
export const createBigNumber: DrawingFactory = (body, { settings, wording, figures }) => {
  const inPercent = settings.values !== 'count';
  const number = addElement(body, 'div', 'number');
  const format = (value: number) => (inPercent ? wording.percent(value) : wording.count(value, false));
  const figure = figures.add(number, format);
  const track = addElement(body, 'div', 'track');
  const fill = addElement(track, 'div', 'fill');
  const line = addElement(body, 'div', 'line');
  const label = addText(line, 'bdi', 'label lines');
  const tag = addElement(line, 'span', 'tag');
  const countCell = addElement(line, 'span', 'count');
  let compact = false;
  const count = figures.add(countCell, votes => wording.count(votes, compact));
  return {
    answerSize: LABEL_SIZE,
    preferredWidth: () => 760,
    heights(answers) {
      const line = LABEL_SIZE * lineHeightOf(answers);
      return {
        least: LEAST_NUMBER + TRACK + line,
        preferred: NUMBER_SIZE + TRACK + LABEL_LINES * line,
      };
    },
    fit: () => Number.POSITIVE_INFINITY,
    draw(picture, room, motion) {
      const row = chooseRow(picture, settings.answer);
      if (!row) return 0;
      const value = inPercent ? row.percent : row.votes;
      const lineHeight = lineHeightOf([row.answer]);
      const line = LABEL_SIZE * lineHeight;
      const left = room.height - LEAST_NUMBER - TRACK;
      const labelRoom = Math.min(LABEL_LINES * line, Math.max(line, left));
      const most = Math.max(LEAST_NUMBER, room.height - TRACK - labelRoom);
      const size = Math.min(
        NUMBER_SIZE,
        most,
        room.width / (Math.max(3, format(value).length) * CHARACTER_WIDTH),
      );
      setStyle(number, 'font-size', units(size.toFixed(1)));
      figure.set(value, motion);
      compact = writesCompact(room, picture);
      count.set(row.votes, motion);
      count.write();
      const isNamed = row.leads || row.place + 1 === settings.answer;
      setHidden(countCell, settings.values !== 'both' || !isNamed);
      const shared = row.wins && picture.tie ? picture.rows.filter(({ wins }) => wins) : [row];
      writeAnswer(label, isNamed ? wording.list(shared.map(({ answer }) => answer)) : '');
      setText(tag, badgeOf(row, picture, wording));
      paint(fill, fillOf(row.place, settings));
      setStyle(fill, 'transform', `translateX(calc(var(--way) * ${(-(1 - row.share) * 100).toFixed(3)}%))`);
      return fitNames(body, [{ label, tag }], {
        key: `${roomKey(room, picture)} ${labelRoom}`,
        largest: LABEL_SIZE,
        floor: SMALLEST_TEXT,
        lines: size => Math.min(LABEL_LINES, Math.floor(labelRoom / (size * lineHeight))),
      });
    },
  };
};

/** Returns the answer asked for, else the leader, which is the first in the poll of several. */
function chooseRow(picture: Picture, answer: number | null): PictureRow | undefined {
  const asked = picture.rows.find(row => row.place + 1 === answer);
  const byVotes = [...picture.rows].sort((one, other) => other.votes - one.votes || one.place - other.place);
  return asked ?? byVotes[0];
}
