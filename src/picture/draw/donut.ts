import type { PictureRow } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import {
  alphaOf,
  type Body,
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
  isBlank,
  namePart,
  order,
  type Room,
  rowPart,
  type Style,
  TAG,
  type Task,
  textPart,
  winnerParts,
} from './body.ts';
import { type Part, type Place, place } from './part.ts';

const RING = { beside: 380, share: 0.36, stacked: 320, least: 150, gap: 48, thickness: 0.17 };
const ENTRY = { height: 66, swatch: 26, face: 56, gap: 18, text: rowType.answer.size as number, air: 6 };
const MOST_PARTS = 8;
const STACKED_BELOW = 720;
/** A narrower list has no room for pictures. */
const NARROW = 420;
const SEAM = 4;
/** Opacity of the parts whose answers are on another page. */
const OTHER_PAGE_ALPHA = 0.35;

function isStacked({ width }: Pick<Room, 'width'>): boolean {
  return width < STACKED_BELOW;
}

/** The ring's diameter; 0 where it has no room. */
function ringOf(room: Room): number {
  if (!isStacked(room))
    return Math.max(RING.least, Math.min(Math.max(RING.beside, RING.share * room.width), room.height));
  const size = Math.min(RING.stacked, room.height - RING.gap - 2 * ENTRY.height);
  return size < RING.least ? 0 : size;
}

/** A ring of all votes, and the answers beside or below it. */
export const donut: Style = {
  answerSize: ENTRY.text,
  preferredWidth: () => 1120,
  heights(answers, width) {
    const list = Math.min(MOST_PARTS, answers.length) * ENTRY.height;
    return isStacked({ width })
      ? { least: 2 * ENTRY.height, preferred: RING.stacked + RING.gap + list }
      : { least: RING.least, preferred: Math.max(RING.beside, list) };
  },
  fit(room) {
    const forList = isStacked(room) ? room.height - ringOf(room) - RING.gap : room.height;
    return Math.max(1, Math.min(MOST_PARTS, Math.floor(forList / ENTRY.height)));
  },
  layOut(task): Body {
    const { type, theme, picture, room } = task;
    const { rows } = picture;
    const stacked = isStacked(room);
    const ring = ringOf(room);
    const list = picture.slots * ENTRY.height;
    const from = stacked ? 0 : ring + RING.gap;
    const width = room.width - from;
    const figures = rows.map(row => new Figures(row, task));
    const hasFace = hasFaces(picture);
    const isNarrow = width < NARROW;
    const swatchWidth = hasFace && !isNarrow ? ENTRY.face : ENTRY.swatch;
    const before = swatchWidth + ENTRY.gap;
    const nameRoom = (at: number) => width - before - figures[at]!.width - ENTRY.gap;
    const em = lineHeightOf(rows.map(({ answer }) => answer));
    // Two lines may share the air between them.
    const lines = (size: number) => (2 * size * (em - 0.1) <= ENTRY.height ? 2 : 1);
    const names = fitNames(task, { largest: ENTRY.text, floor: SMALLEST_TEXT, width: nameRoom, lines });
    const height = stacked ? (ring > 0 ? ring + RING.gap : 0) + list : Math.max(ring, list);
    const isBeside = (at: number) =>
      names.widths[at]! + TAG.gap + badgeWidth(badgeOf(rows[at]!, task), type) <= nameRoom(at);
    const hasBadges = ring === 0 || rows.every((row, at) => !row.wins || isBeside(at));
    const entry = (top: number, at: number): Part[] => {
      const row = rows[at]!;
      const y = top + at * ENTRY.height;
      const box = place(from, y + ENTRY.air, width, ENTRY.height - 2 * ENTRY.air);
      const middle = y + ENTRY.height / 2;
      const x = from + before;
      const shown = names.text.lines[at]!.length;
      const nameTop = shown === 1 ? y : middle - (shown * names.text.lineHeight) / 2;
      const swatch = place(from, middle - swatchWidth / 2, swatchWidth, swatchWidth);
      const swatchFill = row.wins ? { color: '#00000000', pattern: undefined } : fillIn(row, task);
      return [
        ...grow(
          row,
          box,
          [
            ...winnerParts(row, box, task),
            ...frameParts(row, box, 2 * ENTRY.air, task),
            hasFace && !isNarrow
              ? keyedFace(row, swatch, task)
              : rowPart(row, 'swatch', { kind: 'box', fill: swatchFill, radius: theme.bar }, swatch),
            namePart(names, at, place(x, nameTop, nameRoom(at), ENTRY.height), task),
            ...figures[at]!.line(room.width, y, ENTRY.height),
            ...(isBeside(at)
              ? badgeParts(row, [x + names.widths[at]! + TAG.gap, middle], 'plate', task)
              : []),
          ],
          task,
        ),
      ];
    };
    return {
      height,
      isWhole: names.text.isWhole && ring >= RING.stacked,
      isCut: names.text.isCut,
      answerSize: names.text.font.size,
      parts(top) {
        const listTop = stacked ? top + height - list : top + (height - list) / 2;
        const ringTop = stacked ? top : top + (height - ring) / 2;
        const entries = rows.flatMap((_, at) => entry(listTop, at));
        if (ring === 0) return entries;
        return [
          ...ringParts(task, !hasBadges, place(stacked ? (room.width - ring) / 2 : 0, ringTop, ring, ring)),
          ...entries,
        ];
      },
    };
  },
};

/** A picture that is the key of its part of the ring. */
function keyedFace(row: PictureRow, at: Place, task: Task): Part {
  const part = facePart(row, at, task);
  if (row.wins || part.shape.kind !== 'face') return part;
  return { ...part, shape: { ...part.shape, edge: fillIn(row, task).color } };
}

/** @param hasBadge the word of the winner is inside the ring, because its name needs the line */
function ringParts(task: Task, hasBadge: boolean, at: Place): Part[] {
  const { theme, settings, wording, picture, type } = task;
  const thickness = at.width * RING.thickness;
  const whole = {
    kind: 'ring',
    fill: { color: theme.track, pattern: undefined },
    thickness,
    seam: 0,
  } as const;
  const parts: Part[] = [
    { key: 'ring', shape: whole, at: { ...at, value: 1 }, order: order.track, from: { alpha: 0 } },
  ];
  if (isBlank(picture)) return parts;
  let start = 0;
  const isShown = (id: string) => picture.rows.some(row => row.id === id);
  const parted = picture.all.filter(row => hasFigures(row, picture));
  for (const row of parted.sort((one, other) => one.place - other.place)) {
    const shape = { kind: 'ring', fill: fillIn(row, task), thickness, seam: SEAM } as const;
    const where = {
      ...at,
      value: row.share,
      start,
      alpha: isShown(row.id) ? alphaOf(row) : OTHER_PAGE_ALPHA,
    };
    parts.push({
      key: `part ${row.id}`,
      shape,
      at: where,
      order: order.bar,
      row: row.id,
      isOfRow: true,
      from: { value: 0, alpha: 1 },
    });
    start += row.share;
  }
  const leader = picture.all.find(({ leads }) => leads);
  if (!leader || settings.values === 'count') return parts;
  const font = { size: at.width * 0.2, weight: rowType.best.weight };
  const line = font.size * 1.1;
  const inner = at.width - 2 * thickness - 24;
  const isAlone = picture.all.filter(({ leads }) => leads).length === 1;
  const named = isAlone && !hasBadge && at.width >= 300 ? [leader.answer] : [];
  const room = {
    weight: 600,
    largest: SMALLEST_TEXT,
    floor: SMALLEST_TEXT,
    width: () => inner * 0.86,
    lines: () => 2,
  };
  const name = type.fit(named, room);
  const isNamed = !name.isCut && name.lines.length > 0;
  const below = hasBadge ? TAG.height + 8 : isNamed ? name.lines[0]!.length * name.lineHeight : 0;
  const top = at.y + (at.height - line - below) / 2;
  const format = (value: number) => wording.percent(value);
  parts.push({
    key: 'ring figure',
    shape: { kind: 'figure', font, color: theme.text, align: 'center', format },
    at: place(at.x, top, at.width, line, { value: leader.percent }),
    order: order.text,
    row: leader.id,
    isOfRow: true,
    from: { alpha: 0, value: 0 },
  });
  const badge = badgeWidth(badgeOf(leader, task), type);
  if (hasBadge)
    parts.push(
      ...badgeParts(leader, [at.x + (at.width - badge) / 2, top + line + 8 + TAG.height / 2], 'panel', task),
    );
  else if (below > 0) {
    const { lines, font, lineHeight } = name;
    const text = { lines: lines[0]!, font, lineHeight, color: theme.soft, align: 'center' } as const;
    const where = place(at.x, top + line, at.width, below);
    parts.push(textPart('ring name', text, where, { row: leader.id, isOfRow: true }));
  }
  return parts;
}
