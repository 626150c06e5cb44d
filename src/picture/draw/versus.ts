import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { hasFaces, isBlank, type Style, type Task } from './body.ts';
import { type Box, box, boxAt, order, type Part, part } from './part.ts';
import { Figures, figurePart, fitNames, KEYCAP, kitsOf, type RowKit, TAG } from './row-kit.ts';

const TEXT = { full: 56, roomy: 44, low: 36 };
const GAP = 48;
const TIGHT_BELOW = 960;
const LOW_BELOW = 340;
const BAR = { roomy: 64, low: 40, gap: 20 };
const FACE = { ratio: 0.6, below: 150, least: 110, tag: 14 };
const COUNT_LINE = 1.25 * 34;
const TAG_ROOM = TAG.height + 12;
const BIG = { full: 190, most: 108, tight: 76, least: 40, count: 34, line: 1.1 };

/** Between the two bars. */
const MEETING = 4;
const HALF = { width: 3, height: 10, air: 3 };

function aroundNames(bar: number, tag: number): number {
  return tag + BIG.line * BIG.least + BAR.gap + bar;
}

/** Two answers that push one bar, in the order of the poll. With more answers the bar has a gap and no mark at half. */
export const versus: Style = {
  answerSize: TEXT.roomy,
  preferredWidth: () => 1240,
  heights: answers => ({
    least: aroundNames(BAR.low, TAG_ROOM) + SMALLEST_TEXT * lineHeightOf(answers),
    preferred: LOW_BELOW,
  }),
  fit: () => 2,
  layOut(task) {
    const { theme, picture, room } = task;
    const rows = [...picture.rows].sort((one, other) => one.place - other.place);
    const kits = kitsOf(rows, task);
    // Names and figures stand on the panel, so a winner's are not written for a plate.
    const onPanel = kitsOf(
      rows.map(row => ({ ...row, wins: false })),
      task,
    );
    const sides = measureSides(task, onPanel);
    const { width, bar, face, names, figures, isOneLine, top, lines, values } = sides;
    const radius = Math.min(theme.bar * 2, bar / 2);
    const side = (kit: RowKit, at: number, bodyTop: number): Part[] => {
      const plain = onPanel[at]!;
      const [x, align] = at === 0 ? ([0, 'start'] as const) : ([width + GAP, 'end'] as const);
      const shown = names.text.lines[at]!.length;
      const nameTop = bodyTop + top.names + (isOneLine ? top.line : (lines - shown) * names.text.lineHeight);
      const track = boxAt(0, bodyTop + top.bar, room.width, bar);
      const value = at === 0 ? kit.row.share : -kit.row.share;
      const inset = face > 0 ? FACE.tag : 0;
      const badgeX = at === 0 ? x + inset : x + width - kit.badgeWidth - inset;
      const badgeTop = face > 0 ? face - TAG.height - inset : 0;
      return [
        ...kit.frame(boxAt(x, bodyTop, width, top.bar - BAR.gap), BAR.gap),
        ...(face > 0 ? [plain.face(boxAt(x, bodyTop, width, face))] : []),
        ...plain.keycap(
          at === 0 ? x : x + width - plain.keyRoom + KEYCAP.gap,
          nameTop + names.text.lineHeight / 2,
        ),
        plain.name(
          names,
          boxAt(at === 0 ? x + plain.keyRoom : x, nameTop, width - plain.keyRoom, names.text.lineHeight),
          align,
        ),
        ...(kit.hasFigures
          ? isOneLine
            ? duelFigures(
                plain,
                figures[at]!,
                boxAt(x, bodyTop + top.values, width, values),
                nameTop + names.text.lineHeight,
                align,
              )
            : sideFigures(plain, figures[at]!, { ...sides, x, top: bodyTop + top.values }, align)
          : []),
        ...kit.badgeAt(badgeX, bodyTop + badgeTop + TAG.height / 2, 'panel'),
        ...(kit.hasFigures
          ? [
              kit.part(
                'bar',
                { at: { ...track, value }, shape: { kind: 'bar', fill: kit.fill, radius, gap: MEETING / 2 } },
                { order: order.bar, from: { value: 0, alpha: kit.alpha } },
              ),
            ]
          : []),
      ];
    };
    return {
      height: top.bar + bar,
      ...names.body,
      isWhole: names.body.isWhole && room.height >= LOW_BELOW && room.width >= TIGHT_BELOW,
      parts: bodyTop => [
        trackPart(task, boxAt(0, bodyTop + top.bar, room.width, bar), radius),
        ...kits.flatMap((kit, at) => side(kit, at, bodyTop)),
        ...(picture.answers <= 2 ? halfParts(task, bodyTop + top.bar, bar) : []),
      ],
    };
  },
};

/** Sizes of both sides, and where their lines begin. */
function measureSides(task: Task, kits: readonly RowKit[]) {
  const { settings, picture, room } = task;
  const rows = kits.map(({ row }) => row);
  const isTight = room.width < TIGHT_BELOW;
  const isLow = room.height < LOW_BELOW;
  const bar = isLow ? BAR.low : BAR.roomy;
  const width = (room.width - GAP) / 2;
  const isDuel = room.isFull === true && hasFaces(picture);
  const underFace = isDuel ? BIG.line * BIG.most + 2 * BAR.gap + bar : aroundNames(bar, 0) + FACE.below;
  const face = hasFaces(picture) ? faceHeight(width, room.height - underFace) : 0;
  // Nothing moves for the word of a winner, which is on its picture.
  const tag = settings.winner && face === 0 ? TAG_ROOM : 0;
  const start = tag + (face > 0 ? face + BAR.gap : 0);
  const forNames =
    (room.height - start - aroundNames(bar, 0)) / lineHeightOf(rows.map(({ answer }) => answer));
  const figuresOf = (of: Task, size: number) =>
    rows.map(row => new Figures(row, of, { big: size, small: BIG.count, weight: 800 }));
  const stacked = fitNames(rows, task, {
    largest: isLow ? TEXT.low : room.isFull ? TEXT.full : TEXT.roomy,
    floor: SMALLEST_TEXT,
    width: at => width - kits[at]!.keyRoom,
    lines: size => Math.min(2, Math.floor(forNames / size)),
  });
  // Below large pictures, the largest figures are at the inner ends of the names.
  const percents = figuresOf(task, BIG.most).map(({ list }) => list.at(-1)!.width);
  const beside = fitNames(rows, task, {
    largest: TEXT.roomy,
    floor: SMALLEST_TEXT,
    width: at => width - kits[at]!.keyRoom - percents[at]! - BAR.gap,
  });
  const isOneLine = isDuel && face > 0 && !beside.text.isBroken;
  const names = isOneLine ? beside : stacked;
  const lines = Math.max(1, ...names.text.lines.map(made => made.length));
  const namesHeight = isOneLine ? 0 : lines * names.text.lineHeight;
  const free = (room.height - start - namesHeight - bar - BAR.gap) / BIG.line;
  const most = isTight ? BIG.tight : room.isFull && face === 0 ? BIG.full : BIG.most;
  const asked = Math.max(BIG.least, Math.min(most, free));
  // Decimals that tell the two apart have to fit beside each other, too.
  const widest = Math.max(...figuresOf(task, asked).map(({ list }) => list.at(-1)?.width ?? 0));
  const big = asked * Math.min(1, width / widest);
  const all = figuresOf(task, big);
  const hasBoth = settings.values === 'both';
  const isTooWide = !isOneLine && hasBoth && all.some(({ width: own }) => own > width);
  // A low picture has no room for counts below percentages.
  const figures =
    isTooWide && isLow ? figuresOf({ ...task, settings: { ...settings, values: 'percent' } }, big) : all;
  const stacks = isTooWide && !isLow;
  const values = big * BIG.line + (stacks ? COUNT_LINE : 0);
  const top = {
    names: start,
    line: (values - names.text.lineHeight - (hasBoth ? COUNT_LINE : 0)) / 2,
    values: start + namesHeight,
    bar: start + namesHeight + values + BAR.gap,
  };
  return { width, bar, face, names, lines, figures, big, stacks, isOneLine, values, top };
}

/** The height of the pictures above names and figures; 0 where they have no room. */
function faceHeight(width: number, most: number): number {
  const height = Math.min(width * FACE.ratio, most);
  return height < FACE.least ? 0 : height;
}

interface Side {
  readonly x: number;
  readonly width: number;
  readonly top: number;
  readonly big: number;
  readonly stacks: boolean;
}

/** The percentage at the outer edge, and the count beside or below it. */
function sideFigures(
  kit: RowKit,
  { list }: Figures,
  { x, width, top, big, stacks }: Side,
  align: 'start' | 'end',
): Part[] {
  const line = big * BIG.line;
  let taken = 0;
  return [...list].reverse().map((figure, at) => {
    const isBelow = stacks && at > 0;
    const left = isBelow || align === 'end' ? x : x + taken;
    const own = isBelow ? width : width - taken;
    const figureBox = isBelow ? boxAt(x, top + line, width, COUNT_LINE) : boxAt(left, top, own, line);
    taken += figure.width + 22;
    return figurePart(kit, figure, figureBox, align);
  });
}

/** The percentage at the inner end, and the count below the name. */
function duelFigures(
  kit: RowKit,
  { list }: Figures,
  at: Box,
  countTop: number,
  align: 'start' | 'end',
): Part[] {
  const inner = align === 'start' ? 'end' : 'start';
  return list.map((figure, index) =>
    index === list.length - 1
      ? figurePart(kit, figure, at, inner)
      : figurePart(kit, figure, boxAt(at.x, countTop, at.width, COUNT_LINE), align),
  );
}

function trackPart({ theme, picture }: Task, at: Box, radius: number): Part {
  const shape = { kind: 'track', color: theme.track, radius, isStriped: isBlank(picture) } as const;
  return part('track', { at, shape }, { order: order.track });
}

/** Marks above and below the bar, which they do not cover. */
function halfParts({ theme, room }: Task, top: number, height: number): Part[] {
  const mark = (name: string, y: number) => {
    const at = boxAt((room.width - HALF.width) / 2, y, HALF.width, HALF.height);
    return part(name, box(at, { color: theme.text }), { order: order.badge });
  };
  return [mark('half above', top - HALF.air - HALF.height), mark('half below', top + height + HALF.air)];
}
