import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { bars } from './bars.ts';
import { type Body, hasFaces, type Style, type Task } from './body.ts';
import { box, boxAt, type Drawing, order, type Part, part } from './part.ts';
import { Figures, figurePart, fitNames, KEYCAP, kitsOf, type RowKit, TAG } from './row-kit.ts';

const TAG_GAP = 18;
const COLUMN = {
  frame: 20,
  narrowest: 165,
  widest: 230,
  narrowestInColumn: 100,
  narrowestFull: 86,
  tallest: 560,
  lineGap: 24,
  lowest: 24,
  shaft: 0.66,
};
const FACE = { most: 150, share: 0.22, least: 44, air: 10, column: 110 };
/** More columns may take two lines. */
const MOST_ON_LINE = 6;
const LABEL = 34;
const LABEL_GAP = 14;
const VALUE = { big: 44, slim: 30, count: 30 };

/** Width and height of a picture; 0 where it has no room. @param free height of a column without it */
function faceSize(pitch: number, height: number, free: number): number {
  const size = Math.min(pitch * COLUMN.shaft, FACE.most, height * FACE.share, free - FACE.column);
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
function badgesAt(kits: readonly RowKit[], perLine: number, pitch: number): (number | undefined)[] {
  let end = 0;
  return kits.map(({ badgeWidth }, at) => {
    if (at % perLine === 0) end = 0;
    const middle = ((at % perLine) + 0.5) * pitch - badgeWidth / 2;
    const left = Math.max(0, Math.min(perLine * pitch - badgeWidth, middle));
    if (badgeWidth === 0 || left < end) return undefined;
    end = left + badgeWidth;
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
  preferredWidth: answers => Math.max(640, answers * COLUMN.widest),
  heights: answers => ({ least: lowestHeight(answers), preferred: 420 }),
  fit(room) {
    const narrowest = room.width < 640 ? COLUMN.narrowestInColumn : COLUMN.narrowest;
    const inLine = Math.max(1, Math.floor(room.width / narrowest));
    return room.isFull ? bars.fit(room) : room.isUpright ? Math.max(inLine, bars.fit(room)) : inLine;
  },
  layOut(task) {
    const { room, picture } = task;
    if (!room.isFull && !room.isUpright) return layOutLine(task, picture.slots, 1);
    // Names that break on one line of columns may be whole on two, and else are in rows.
    const ways = (picture.slots > MOST_ON_LINE ? [1, 2] : [1]).filter(
      lines => Math.ceil(picture.slots / lines) * COLUMN.narrowestFull <= room.width,
    );
    const made = ways.map(lines => layOutLine(task, Math.ceil(picture.slots / lines), lines));
    return made.find(({ isBroken, height }) => !isBroken && height <= room.height) ?? bars.layOut(task);
  },
};

/** @param perLine columns on each of so many lines */
function layOutLine(task: Task, perLine: number, lines: number): Body {
  const { theme, picture } = task;
  const { rows } = picture;
  const room = { ...task.room, height: (task.room.height - (lines - 1) * COLUMN.lineGap) / lines };
  const answers = rows.map(({ answer }) => answer);
  // Nothing moves for the word of a winner.
  const tag = task.settings.winner ? TAG.height + TAG_GAP : 0;
  const isLow = room.height < tag + valueRoom(task) + COLUMN.lowest + labelRoom(answers);
  const pitch = Math.min(COLUMN.widest * 1.4, room.width / perLine);
  const { inner, sizes, isTooLong } = fitValues({ ...task, room }, pitch, isLow || lines > 1);
  const values = valueRoom(inner);
  // The room below a name, for what people type in chat.
  const keys = rows.some(({ key }) => key !== undefined) ? KEYCAP.size + LABEL_GAP / 2 : 0;
  const named = (isLow ? lowLabelRoom(answers) : labelRoom(answers)) + keys;
  // Pictures are below the base line, so that heights stay true.
  const face = hasFaces(picture) ? faceSize(pitch, room.height, room.height - tag - values - named) : 0;
  const faceRoom = face > 0 ? face + FACE.air : 0;
  const around = tag + values + named + faceRoom;
  const tallest = room.isFull ? room.height : COLUMN.tallest + faceRoom;
  const height = Math.max(around + COLUMN.lowest, Math.min(tallest, room.height));
  const tall = height - around;
  const names = fitNames(rows, task, {
    largest: isLow ? SMALLEST_TEXT : LABEL,
    floor: SMALLEST_TEXT,
    width: () => pitch - 12,
    lines: () => (isLow ? 1 : 2),
  });
  const kits = kitsOf(rows, task);
  const column = (kit: RowKit, at: number, bodyTop: number): readonly Part[] => {
    const { row } = kit;
    const x = (at % perLine) * pitch;
    const top = bodyTop + Math.floor(at / perLine) * (height + COLUMN.lineGap);
    const shaft = boxAt(x + (pitch * (1 - COLUMN.shaft)) / 2, top + tag + values, pitch * COLUMN.shaft, tall);
    const ground = shaft.y + tall;
    const below = (shown: RowKit) => [
      ...(face > 0 ? [shown.face(boxAt(x + (pitch - face) / 2, ground + FACE.air, face, face))] : []),
      ...shown.keycap(
        x + (pitch - kit.keyRoom + KEYCAP.gap) / 2,
        ground + faceRoom + LABEL_GAP / 2 + KEYCAP.size / 2,
      ),
      shown.name(
        names,
        boxAt(x + 6, ground + faceRoom + keys + LABEL_GAP, pitch - 12, names.text.lineHeight),
        'center',
      ),
    ];
    if (!kit.hasFigures) {
      const framed = boxAt(x + COLUMN.frame, top + 10, pitch - 2 * COLUMN.frame, height - 22);
      const track = kit.isFramed ? [] : [kit.track(shaft)];
      return kit.solid(framed, () => [...kit.frame(framed, 2 * COLUMN.frame), ...track, ...below(kit)]);
    }
    // On the plate of its own color, a column is a shade of it.
    const radius = Math.min(theme.bar, pitch / 4);
    const barOf = ({ row: { wins }, ink, fill: own }: RowKit): Drawing => {
      const fill = wins ? { color: `${ink.text}40` } : own;
      return { at: { ...shaft, value: row.length }, shape: { kind: 'column', fill, radius } };
    };
    const figures = new Figures(row, inner, sizes);
    const written = (shown: RowKit) => {
      let bottom = ground - tall * row.length - 6;
      return [...figures.list].reverse().map(figure => {
        const line = figure.name === 'count' && inner.settings.values === 'both' ? 38 : sizes.big;
        bottom -= line;
        return figurePart(shown, figure, boxAt(x, bottom, pitch, line), 'center');
      });
    };
    const badgeX = badgeLeft[at];
    return kit.solid(boxAt(x + 14, top + 8, pitch - 28, height - 16), shown => [
      shown.part('bar', barOf(shown), { order: order.bar, from: { value: 0 } }),
      ...written(shown),
      ...below(shown),
      ...(badgeX === undefined ? [] : shown.badgeAt(badgeX, top + TAG.height / 2 + 14, 'plate')),
    ]);
  };
  const badgeLeft = badgesAt(kits, perLine, pitch);
  return {
    height: lines * height + (lines - 1) * COLUMN.lineGap,
    ...names.body,
    isWhole: names.body.isWhole && !isTooLong && !isLow,
    parts: top => [
      ...Array.from({ length: lines }, (_, line) =>
        groundPart(top + line * (height + COLUMN.lineGap) + tag + values + tall, perLine * pitch, line, task),
      ),
      ...kits.flatMap((kit, at) => column(kit, at, top)),
    ],
  };
}

/** On which all columns of a line stand. */
function groundPart(y: number, width: number, line: number, { theme }: Task): Part {
  const key = line === 0 ? 'ground' : `ground ${line}`;
  return part(key, box(boxAt(0, y, width, 2.5), { color: theme.track }), { order: order.ground });
}
