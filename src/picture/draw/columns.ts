import { fillOf } from '../fill.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import {
  badgeOf,
  badgeParts,
  badgeWidth,
  Figures,
  fitNames,
  grow,
  inksOf,
  isBlank,
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
const COLUMN = { narrowest: 165, widest: 230, narrowestInColumn: 100, tallest: 560, lowest: 24, shaft: 0.66 };
const LABEL = 34;
const LABEL_GAP = 14;
const VALUE = { big: 44, slim: 30, count: 30 };

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

/** The word of a winner may be wider than its column. Of columns that share it, one may carry it for its neighbours. */
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

/** Answers beside each other, each with a column above its name. */
export const columns: Style = {
  answerSize: LABEL,
  isWide: true,
  preferredWidth: answers => Math.max(640, answers * COLUMN.widest),
  heights: answers => ({ least: lowestHeight(answers), preferred: 420 }),
  fit: ({ width }) =>
    Math.max(1, Math.floor(width / (width < 640 ? COLUMN.narrowestInColumn : COLUMN.narrowest))),
  layOut(task) {
    const { type, theme, wording, picture, room } = task;
    const { rows } = picture;
    const answers = rows.map(({ answer }) => answer);
    const tag = rows.some(({ wins }) => wins) ? TAG.height + TAG_GAP : 0;
    const isLow = room.height < tag + valueRoom(task) + COLUMN.lowest + labelRoom(answers);
    const pitch = Math.min(COLUMN.widest * 1.4, room.width / picture.slots);
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
    const values = valueRoom(inner);
    const labels = isLow ? lowLabelRoom(answers) : labelRoom(answers);
    const around = tag + values + labels;
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
        top + tag + values,
        pitch * COLUMN.shaft,
        tall,
      );
      const label = place(x + 6, shaft.y + tall + LABEL_GAP, pitch - 12, names.text.lineHeight);
      const box = place(x + 14, top + 10, pitch - 28, height - 22);
      const radius = Math.min(theme.bar, pitch / 4);
      const badgeAt = badgeLeft[at];
      const named = namePart(names, at, label, inner, 'center');
      if (isBlank(picture)) {
        return [trackPart(row, at, shaft, task), named];
      }
      // On the plate of its own colour, a column is a shade of it.
      const fill = row.wins
        ? { color: `${inksOf(row, task).text}40`, pattern: undefined }
        : fillOf(row.place, settings);
      const figures = new Figures(row, inner, sizes);
      let bottom = shaft.y + tall * (1 - row.length) - 6;
      const written = [...figures.list].reverse().map(figure => {
        const line = figure.name === 'count' && settings.values === 'both' ? 38 : sizes.big;
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
    const ground = { kind: 'box', fill: { color: theme.track, pattern: undefined }, radius: 0 } as const;
    return {
      height,
      isWhole: names.text.isWhole && !isTooLong && !isLow,
      isCut: names.text.isCut,
      answerSize: names.text.font.size,
      parts: top => [
        {
          key: 'ground',
          shape: ground,
          at: place(0, top + tag + values + tall, picture.slots * pitch, 2.5),
          order: order.ground,
        },
        ...rows.flatMap((_, at) => column(top, at)),
      ],
    };
  },
};
