import { fillOfRow } from '../fill.ts';
import { rowType } from '../row-look.ts';
import { lineHeightOf } from '../text.ts';
import { LOST_ALPHA, SMALLEST_TEXT } from '../themes.ts';
import { bars } from './bars.ts';
import { type Body, hasFaces, hasFigures, isBlank, type Room, type Style, type Task } from './body.ts';
import { type Box, box, boxAt, order, type Part, part, text } from './part.ts';
import { Figures, fitNames, kitsOf, RowKit, TAG, widthOfFigures } from './row-kit.ts';

const RING = { beside: 380, share: 0.36, stacked: 320, least: 150, gap: 48, thickness: 0.17 };
const ENTRY = { height: 66, swatch: 26, face: 56, gap: 18, text: rowType.answer.size as number, air: 6 };
const MOST_PARTS = 8;
/** In a full picture, entries are between these parts of their usual size, and a list may have two columns. */
const FULL = { least: 0.82, most: 1.5, mostStacked: 1.15, share: 0.42, column: 400, gap: 40 };
const STACKED_BELOW = 720;
/** A narrower list has no room for pictures. */
const NARROW = 420;
const SEAM = 4;
/** Opacity of the parts whose answers are on another page. */
const OTHER_PAGE_ALPHA = 0.35;

function isStacked({ width, isUpright }: Pick<Room, 'width' | 'isUpright'>): boolean {
  return isUpright === true || width < STACKED_BELOW;
}

/** All answers are on one page, as far as they have room. */
function isFree({ isFull, isUpright }: Room): boolean {
  return isFull === true || isUpright === true;
}

/** The ring's diameter; 0 where it has no room. @param columns of the list beside it */
function ringOf(room: Room, columns: number, entries: number): number {
  if (!isStacked(room)) {
    const share = columns > 1 ? 0 : isFree(room) ? FULL.share : RING.share;
    return Math.max(RING.least, Math.min(Math.max(RING.beside, share * room.width), room.height));
  }
  const list = isFree(room) ? entries * ENTRY.height * FULL.least : 2 * ENTRY.height;
  const size = Math.min(RING.stacked, room.height - RING.gap - list);
  return size < RING.least ? 0 : size;
}

/** The height for a list of so many entries; by default the most that it can have. */
function listRoom(room: Room, entries = Number.POSITIVE_INFINITY): number {
  if (!isStacked(room)) return room.height;
  const ring = entries === Number.POSITIVE_INFINITY && isFree(room) ? RING.least : ringOf(room, 1, entries);
  return room.height - (ring > 0 ? ring + RING.gap : 0);
}

/** In how many columns so many entries have room. */
function columnsFor(slots: number, room: Room): number {
  const width = room.width - RING.beside - RING.gap;
  const hasTwo = isFree(room) && !isStacked(room) && width >= 2 * FULL.column + FULL.gap;
  return hasTwo && slots * ENTRY.height * FULL.least > listRoom(room) ? 2 : 1;
}

/** How many answers have room beside or below the ring. */
function entriesIn(room: Room): number {
  const inColumn = Math.floor(listRoom(room) / (isFree(room) ? ENTRY.height * FULL.least : ENTRY.height));
  const columns = columnsFor(Number.POSITIVE_INFINITY, room);
  return Math.max(1, isFree(room) ? columns * inColumn : Math.min(MOST_PARTS, inColumn));
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
  fit: room => (room.isUpright ? Math.max(entriesIn(room), bars.fit(room)) : entriesIn(room)),
  layOut(task): Body {
    // An upright picture has rows where a ring would leave no room for all entries.
    if (task.picture.slots > entriesIn(task.room)) return bars.layOut(task);
    const body = layOutDonut(task);
    // Counts give way before a name is cut.
    return body.isCut && isFree(task.room) && task.settings.values === 'both'
      ? layOutDonut({ ...task, settings: { ...task.settings, values: 'percent' } })
      : body;
  },
};

function layOutDonut(task: Task): Body {
  const { theme, picture, room } = task;
  const { rows, slots } = picture;
  const stacked = isStacked(room);
  const columns = columnsFor(slots, room);
  const perColumn = Math.ceil(slots / columns);
  const ring = ringOf(room, columns, slots);
  const wanted = isFree(room) ? listRoom(room, slots) / (perColumn * ENTRY.height) : 1;
  const scale = Math.max(FULL.least, Math.min(stacked ? FULL.mostStacked : FULL.most, wanted));
  const high = ENTRY.height * scale;
  const list = perColumn * high;
  const from = stacked ? 0 : ring + RING.gap;
  const width = (room.width - from - (columns - 1) * FULL.gap) / columns;
  const kits = kitsOf(rows, task);
  const { best, count } = rowType;
  const [big, small] = [best, count].map(({ size }) => Math.max(SMALLEST_TEXT, size * scale));
  const figures = rows.map(row => new Figures(row, task, { big: big!, small: small!, weight: 700 }));
  const figuresWidth = widthOfFigures(figures);
  const hasFace = hasFaces(picture) && width >= NARROW;
  const swatchWidth = hasFace ? ENTRY.face * scale : ENTRY.swatch;
  // A keycap has the color of its answer.
  const keyRoom = Math.max(...kits.map(kit => kit.keyRoom));
  const swatchRoom = hasFace || keyRoom === 0 ? swatchWidth + ENTRY.gap : 0;
  const before = swatchRoom + keyRoom;
  const nameRoom = width - before - figuresWidth - ENTRY.gap;
  const em = lineHeightOf(rows.map(({ answer }) => answer));
  // Two lines may share the air between them.
  const lines = (size: number) => (2 * size * (em - 0.1) <= high ? 2 : 1);
  const largest = Math.max(SMALLEST_TEXT, ENTRY.text * scale);
  const names = fitNames(rows, task, { largest, floor: SMALLEST_TEXT, width: () => nameRoom, lines });
  const height = stacked ? (ring > 0 ? ring + RING.gap : 0) + list : Math.max(ring, list);
  const isBeside = ({ badgeWidth }: RowKit, at: number) =>
    names.widths[at]! + TAG.gap + badgeWidth <= nameRoom;
  const hasBadges = ring === 0 || kits.every((kit, at) => !kit.row.wins || isBeside(kit, at));
  const entry = (kit: RowKit, at: number, top: number): readonly Part[] => {
    const left = from + Math.floor(at / perColumn) * (width + FULL.gap);
    const y = top + (at % perColumn) * high;
    const entryBox = boxAt(left, y + ENTRY.air, width, high - 2 * ENTRY.air);
    const middle = y + high / 2;
    const x = left + before;
    const shown = names.text.lines[at]!.length;
    const nameTop = shown === 1 ? y : middle - (shown * names.text.lineHeight) / 2;
    const swatch = boxAt(left, middle - swatchWidth / 2, swatchWidth, swatchWidth);
    return kit.solid(entryBox, shown => [
      ...shown.frame(entryBox, 2 * ENTRY.air),
      // The key of its part of the ring.
      ...(swatchRoom > 0
        ? [
            hasFace
              ? shown.face(swatch, shown.row.wins ? undefined : kit.fill.color)
              : shown.part('swatch', box(swatch, kit.fill, theme.bar)),
          ]
        : []),
      ...shown.keycap(left + swatchRoom, middle),
      shown.name(names, boxAt(x, nameTop, nameRoom, high)),
      ...figures[at]!.line(shown, left + width, y, high, figures),
      ...(isBeside(kit, at) ? shown.badgeAt(x + names.widths[at]! + TAG.gap, middle, 'plate') : []),
    ]);
  };
  return {
    height,
    ...names.body,
    isWhole: names.body.isWhole && ring >= RING.stacked,
    parts(top) {
      const listTop = stacked ? top + height - list : top + (height - list) / 2;
      const ringTop = stacked ? top : top + (height - ring) / 2;
      const entries = kits.flatMap((kit, at) => entry(kit, at, listTop));
      if (ring === 0) return entries;
      const ringBox = boxAt(stacked ? (room.width - ring) / 2 : 0, ringTop, ring, ring);
      return [...ringParts(task, !hasBadges, ringBox), ...entries];
    },
  };
}

/** @param hasBadge the word of the winner is inside the ring, because its name needs the line */
function ringParts(task: Task, hasBadge: boolean, at: Box): Part[] {
  const { theme, settings, wording, picture, type } = task;
  const thickness = at.width * RING.thickness;
  const whole = { kind: 'ring', fill: { color: theme.track }, thickness, seam: 0 } as const;
  const parts = [
    part('ring', { at: { ...at, value: 1 }, shape: whole }, { order: order.track, from: { alpha: 0 } }),
  ];
  if (isBlank(picture)) return parts;
  let start = 0;
  const shown = new Set(picture.rows.map(({ id }) => id));
  const parted = picture.all.filter(row => hasFigures(row, picture));
  for (const row of parted.sort((one, other) => one.place - other.place)) {
    const { id, share, lost } = row;
    const fill = fillOfRow(row, settings, theme, picture.all);
    const alpha = !shown.has(id) ? OTHER_PAGE_ALPHA : lost ? LOST_ALPHA : 1;
    parts.push(
      part(
        `part ${id}`,
        { at: { ...at, value: share, start, alpha }, shape: { kind: 'ring', fill, thickness, seam: SEAM } },
        { order: order.bar, row: id, isOfRow: true, from: { value: 0, alpha: 1 } },
      ),
    );
    start += share;
  }
  const leader = picture.all.find(({ leads }) => leads);
  if (!leader || settings.values === 'count') return parts;
  const { id } = leader;
  const font = { size: at.width * 0.2, weight: rowType.best.weight };
  const line = font.size * 1.1;
  const inner = at.width - 2 * thickness - 24;
  const isAlone = picture.all.filter(({ leads }) => leads).length === 1;
  const name =
    isAlone && !hasBadge && at.width >= 300
      ? type.fitOne(leader.answer, {
          weight: 600,
          largest: SMALLEST_TEXT,
          floor: SMALLEST_TEXT,
          width: inner * 0.86,
          lines: () => 2,
        })
      : undefined;
  const shownName = name?.isCut ? undefined : name;
  const below = hasBadge ? TAG.height + 8 : (shownName?.height ?? 0);
  const top = at.y + (at.height - line - below) / 2;
  const format = (value: number) => wording.percent(value, leader.decimals);
  parts.push(
    part(
      'ring figure',
      {
        at: boxAt(at.x, top, at.width, line, { value: leader.percent }),
        shape: { kind: 'figure', font, color: theme.text, align: 'center', format },
      },
      { row: id, isOfRow: true, from: { alpha: 0, value: 0 } },
    ),
  );
  if (hasBadge) {
    const kit = new RowKit(leader, 0, task);
    const middle = top + line + 8 + TAG.height / 2;
    parts.push(...kit.badgeAt(at.x + (at.width - kit.badgeWidth) / 2, middle, 'panel'));
  } else if (shownName) {
    const written = text(boxAt(at.x, top + line, at.width, below), {
      ...shownName,
      color: theme.soft,
      align: 'center',
    });
    parts.push(part('ring name', written, { row: id, isOfRow: true }));
  }
  return parts;
}
