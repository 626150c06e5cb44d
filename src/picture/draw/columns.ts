import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import {
  badgeOf,
  badgeParts,
  badgeWidth,
  Figures,
  facePart,
  fillIn,
  fitNames,
  frameParts,
  grow,
  hasFaces,
  hasFigures,
  inksOf,
  isFramed,
  namePart,
  order,
  rowPart,
  type Style,
  TAG,
  type Task,
  trackPart,
  winnerParts,
} from './body.ts';
import { type Part, place } from './part.ts';

const TAG_GAP = 18;
const COLUMN = {
  frame: 20,
  narrowest: 165,
  widest: 230,
  narrowestInColumn: 100,
  tallest: 560,
  lowest: 24,
  shaft: 0.66,
};
const FACE = { most: 150, least: 44, air: 8, column: 110 };
const LABEL = 34;
const LABEL_GAP = 14;
const VALUE = { big: 44, slim: 30, count: 30 };

/** Width and height of a picture; 0 where it has no room. @param free height of a column without it */
function faceSize(pitch: number, free: number): number {
  const size = Math.min(pitch * COLUMN.shaft, FACE.most, free - FACE.column);
  return size < FACE.least ? 0 : size;
}

function labelRoom(answers: readonly string[]): number {
  return LABEL_GAP + 2 * LABEL * lineHeightOf(answers);
}

/** Names have one line, and figures too, where the question would have no room otherwise. */
function lowLabelRoom(answers: readonly string[]): number {
  return LABEL_GAP + SMALLEST_TEXT * lineHeightOf(answers);
}

function valueRoom({ settings }: Pick<Task, 'settings'>): number {
  return (settings.values === 'both' ? VALUE.big + 38 : VALUE.big) + 12;
}

/** A column with what is above and below it. */
function lowestHeight(answers: readonly string[]): number {
  return TAG.height + TAG_GAP + VALUE.big + 12 + COLUMN.lowest + lowLabelRoom(answers);
}

/** The word of a winner may be wider than its column. Of columns that share it, one may carry it for its neighbors. */
function badgesAt(task: Task, pitch: number): (number | undefined)[] {
  const { rows, slots } = task.picture;
  let end = 0;
  return rows.map((row, at) => {
    const width = badgeWidth(badgeOf(row, task), task.type);
    const middle = (at + 0.5) * pitch - width / 2;
    const left = Math.max(0, Math.min(slots * pitch - width, middle));
    if (width === 0 || left < end) return undefined;
    end = left + width;
    return left;
  });
}

/** Leaves counts out, or shortens them, where a column is too narrow for both figures. */
function fitValues(task: Task, pitch: number, isLow: boolean) {
  const { type, wording, picture, room } = task;
  const isSlim = pitch < COLUMN.narrowest;
  const font = { size: VALUE.count, weight: 500 };
  const hasCounts =
    !isLow &&
    type.figureWidth(wording.count(picture.mostVotes, isLongCount(picture.mostVotes)), font) <= pitch - 8;
  const settings: Task['settings'] =
    !hasCounts && task.settings.values === 'both' ? { ...task.settings, values: 'percent' } : task.settings;
  const isTooLong =
    settings.values !== 'percent' && type.figureWidth(wording.number(picture.mostVotes), font) > pitch - 8;
  const inner = { ...task, settings, room: { ...room, isCompact: room.isCompact || isTooLong } };
  const sizes = { big: isSlim ? VALUE.slim : VALUE.big, small: VALUE.count, weight: 700 };
  return { inner, sizes, isTooLong };
}

/** Answers beside each other, each with a column above its name. */
export const columns: Style = {
  answerSize: LABEL,
  isWide: true,
  preferredWidth: answers => Math.max(640, answers * COLUMN.widest),
  heights: answers => ({ least: lowestHeight(answers), preferred: 420 }),
  fit: ({ width }) =>
    Math.max(1, Math.floor(width / (width < 640 ? COLUMN.narrowestInColumn : COLUMN.narrowest))),
  layOut(task) {
    const { theme, picture, room } = task;
    const { rows } = picture;
    const answers = rows.map(({ answer }) => answer);
    const tag = rows.some(({ wins }) => wins) ? TAG.height + TAG_GAP : 0;
    const isLow = room.height < tag + valueRoom(task) + COLUMN.lowest + labelRoom(answers);
    const pitch = Math.min(COLUMN.widest * 1.4, room.width / picture.slots);
    const { inner, sizes, isTooLong } = fitValues(task, pitch, isLow);
    const values = valueRoom(inner);
    const labels = isLow ? lowLabelRoom(answers) : labelRoom(answers);
    // Pictures stand on the columns.
    const face = hasFaces(picture) ? faceSize(pitch, room.height - tag - values - labels) : 0;
    const faceRoom = face > 0 ? face + FACE.air : 0;
    const around = tag + values + faceRoom + labels;
    const height = Math.max(around + COLUMN.lowest, Math.min(COLUMN.tallest, room.height));
    const tall = height - around;
    const names = fitNames(inner, {
      largest: isLow ? SMALLEST_TEXT : LABEL,
      floor: SMALLEST_TEXT,
      width: () => pitch - 12,
      lines: () => (isLow ? 1 : 2),
    });
    const badgeLeft = badgesAt(task, pitch);
    const column = (top: number, at: number): Part[] => {
      const row = rows[at]!;
      const x = at * pitch;
      const shaft = place(
        x + (pitch * (1 - COLUMN.shaft)) / 2,
        top + tag + values + faceRoom,
        pitch * COLUMN.shaft,
        tall,
      );
      const label = place(x + 6, shaft.y + tall + LABEL_GAP, pitch - 12, names.text.lineHeight);
      const box = place(x + 14, top + 10, pitch - 28, height - 22);
      const framed = place(x + COLUMN.frame, top + 10, pitch - 2 * COLUMN.frame, height - 22);
      const radius = Math.min(theme.bar, pitch / 4);
      const badgeAt = badgeLeft[at];
      const named = namePart(names, at, label, inner, 'center');
      const columnTop = shaft.y + tall * (1 - row.length);
      const faceAt = (bottom: number) =>
        face > 0 ? [facePart(row, place(x + (pitch - face) / 2, bottom - faceRoom, face, face), task)] : [];
      if (!hasFigures(row, picture))
        return [
          ...frameParts(row, framed, 2 * COLUMN.frame, task),
          ...(isFramed(row, picture) ? [] : [trackPart(row, at, shaft, task)]),
          ...faceAt(shaft.y),
          named,
        ];
      // On the plate of its own color, a column is a shade of it.
      const fill = row.wins
        ? { color: `${inksOf(row, task).text}40`, pattern: undefined }
        : fillIn(row, task);
      const figures = new Figures(row, inner, sizes);
      let bottom = columnTop - faceRoom - 6;
      const written = [...figures.list].reverse().map(figure => {
        const line = figure.name === 'count' && inner.settings.values === 'both' ? 38 : sizes.big;
        bottom -= line;
        return figures.part(figure, place(x, bottom, pitch, line), 'center');
      });
      const shape = { kind: 'column', fill, radius } as const;
      return [
        ...grow(
          row,
          box,
          [
            ...winnerParts(row, box, task),
            rowPart(
              row,
              'bar',
              shape,
              { ...shaft, value: row.length },
              { order: order.bar, from: { value: 0 } },
            ),
            ...faceAt(columnTop),
            ...written,
            named,
            ...(badgeAt === undefined
              ? []
              : badgeParts(row, [badgeAt, top + TAG.height / 2 + 14], 'plate', task)),
          ],
          task,
        ),
      ];
    };
    return {
      height,
      isWhole: names.text.isWhole && !isTooLong && !isLow,
      isCut: names.text.isCut,
      answerSize: names.text.font.size,
      parts: top => [
        groundPart(top + tag + values + faceRoom + tall, picture.slots * pitch, task),
        ...rows.flatMap((_, at) => column(top, at)),
      ],
    };
  },
};

/** On which all columns stand. */
function groundPart(y: number, width: number, { theme }: Task): Part {
  const shape = { kind: 'box', fill: { color: theme.track, pattern: undefined }, radius: 0 } as const;
  return { key: 'ground', shape, at: place(0, y, width, 2.5), order: order.ground };
}
