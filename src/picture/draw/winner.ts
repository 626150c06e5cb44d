import { composePicture, type Picture, type PictureRow, soleWinner } from '../picture.ts';
import { rowType } from '../row-look.ts';
import { groundOf, SMALLEST_TEXT } from '../themes.ts';
import { bars } from './bars.ts';
import { type Asked, hasFaces, type Task } from './body.ts';
import type { Bounds } from './canvas.ts';
import { layOutFoot } from './foot.ts';
import { layOutHead, layOutPill } from './head.ts';
import { box, boxAt, moved, order, type Part, part, text } from './part.ts';
import { Figures, figurePart, RowKit, TAG } from './row-kit.ts';

/**
 * The winner of a full picture: portrait, figure and name on the color of the answer, the others in
 * a column beside it, or below it where the picture is upright.
 */

/** In pixels of a picture of 1920 × 1080, or 1080 × 1920. */
const SIZE = { face: 480, name: 120, figure: 160, count: 48, gap: 44 };
/** Part of the picture that is the winner's. */
const SHARE = { wide: 0.6, upright: 0.48 };
const LEAST_PX = 0.1;
const WORD_SCALE = 1.4;
const GAP = 20;
const TITLE = { size: 36, lines: 6, mostLines: 6, answerSize: SMALLEST_TEXT };
/** More rows may have two columns in the table, and would cross on their way. */
const MOST_IN_ORDER = 8;

interface WinnerOf extends Asked {
  readonly free: Bounds;
  readonly unitPx: number;
}

/** Returns nothing without one winner. Parts begin at the left of the picture without its margins, and at its top. */
export function layOutWinner(asked: WinnerOf): { picture: Picture; parts: Part[] } | undefined {
  const { settings, free, unitPx } = asked;
  const picture = composePicture(asked.poll, settings, Number.POSITIVE_INFINITY, asked);
  const row = soleWinner(picture);
  if (!row || settings.answer !== null) return undefined;
  const { color: plate } = groundOf(asked.theme, settings.ground);
  const values = settings.values === 'both' ? 'percent' : settings.values;
  const of = { ...asked, picture, theme: { ...asked.theme, plate, padding: 0 } };
  const [width, height] = [asked.width / unitPx, asked.height / unitPx];
  const isUpright = height > width;
  const px = isUpright ? Math.min(width / 1080, height / 1920) : Math.min(width / 1920, height / 1080);
  const air = SIZE.gap * px;
  const own = isUpright
    ? boxAt(-free.x, 0, width, height * SHARE.upright)
    : boxAt(
        -free.x,
        0,
        Math.min(width * SHARE.wide, free.x + free.width - layOutPill(of).width - air),
        height,
      );
  const [right, bottom] = [own.x + own.width, own.y + own.height];
  const end = free.y + free.height;
  const [main, side] = isUpright
    ? [
        boxAt(0, free.y, free.width, bottom - air - free.y),
        boxAt(0, bottom + air, free.width, end - bottom - air),
      ]
    : [
        boxAt(0, free.y, right - air, free.height),
        boxAt(right + air, free.y, free.width - right - air, free.height),
      ];
  const others = layOutOthers({ ...of, settings: { ...settings, values } }, side);
  const isInOrder = settings.style === 'bars' && picture.answers <= MOST_IN_ORDER;
  return {
    picture: { ...picture, rows: [row, ...others.rows] },
    parts: [
      ...winnerParts({ ...of, room: { ...main, isCompact: false } }, row, own, main, px),
      ...others.around,
      // Rows whose order changes would cross, so they leave, and come back.
      ...others.parts.map(one => (isInOrder ? one : elsewhere(one))),
    ],
  };
}

/** Leaves the table, and comes back when the row has grown. */
function elsewhere(one: Part): Part {
  return { ...one, key: `beside ${one.key}` };
}

function winnerParts(task: Task, row: PictureRow, own: Bounds, main: Bounds, px: number): Part[] {
  const { type, picture, wording } = task;
  const kit = new RowKit(row, 0, task);
  const face = hasFaces(picture) ? SIZE.face * px : 0;
  const gap = SIZE.gap * px;
  const name = type.fitOne(row.answer, {
    weight: rowType.answer.weight,
    largest: SIZE.name * px,
    floor: SMALLEST_TEXT,
    width: main.width,
    lines: () => (face > 0 ? 2 : 3),
  });
  const start = face > 0 ? face + gap : 0;
  const sized = (big: number) => new Figures(row, task, { big, small: SIZE.count * px, weight: 800 });
  const { list: asked } = sized(SIZE.figure * px);
  const widest = asked.at(-1)?.width ?? 0;
  const { list } = sized(SIZE.figure * px * Math.min(1, (main.width - start) / widest));
  const figures = [...list].reverse();
  const word = TAG.height * WORD_SCALE;
  const lines = figures.map(({ font }) => font.size * 1.15);
  const beside = word + lines.reduce((sum, line) => sum + line, gap / 2);
  const total = face > 0 ? Math.max(face, beside) + gap + name.height : beside + gap / 2 + name.height;
  // In a low picture all of it is smaller.
  if (total > main.height && px > LEAST_PX) return winnerParts(task, row, own, main, 0.9 * px);
  const top = main.y + (main.height - total) / 2;
  const block = top + Math.max(0, face - beside);
  const nameTop = face > 0 ? top + total - name.height : block + word + gap / 2;
  let y = face > 0 ? block + word + gap / 2 : nameTop + name.height + gap / 2;
  const wordLeft = start + ((WORD_SCALE - 1) * kit.badgeWidth) / 2;
  const { color, edge } = kit.fill;
  const id = `winner ${row.id}`;
  const inside = { row: row.id, within: id, from: { alpha: 0 }, lagMs: 0 };
  const won = (one: Part): Part => ({ ...one, ...inside, key: `won ${one.key}` });
  const written = { ...name, color: kit.ink.text, isPlain: true };
  return [
    part(id, box(boxAt(own.x, own.y, own.width, own.height), { color, edge }), {
      order: order.winner,
      row: row.id,
      from: { y: own.y + own.height / 2, height: 0 },
    }),
    ...(face > 0 ? [won(kit.face(boxAt(0, top, face, face)))] : []),
    ...kit
      .badgeAt(wordLeft, block + word / 2, 'plate')
      .map(one => elsewhere({ ...one, ...inside, at: { ...one.at, scale: WORD_SCALE } })),
    // On its way it passes in front of the portrait.
    won(kit.part('name', text(boxAt(0, nameTop, main.width, name.height), written), { order: order.badge })),
    ...figures.map((figure, at) => {
      const line = boxAt(start, y, main.width - start, lines[at]!);
      y += line.height;
      const isShort = type.figureWidth(wording.votes(row.votes), figure.font) > line.width;
      const votes = (count: number) => wording.votes(Math.round(count), isShort);
      const format = at > 0 ? votes : figure.format;
      return elsewhere(won(figurePart(kit, { ...figure, format }, line, 'start')));
    }),
    part(
      `sweep ${row.id}`,
      { at: boxAt(own.x, own.y, own.width, own.height, { value: 1 }), shape: { kind: 'sweep', radius: 0 } },
      { order: order.light, row: row.id, from: { value: 1 } },
    ),
  ].map(one => ({ ...one, order: one.order + order.won }));
}

/** State, question, the other answers and the notes below each other. */
function layOutOthers(of: Omit<Task, 'room'>, { x, y, width, height }: Bounds) {
  const { picture } = of;
  const most = height / 2;
  const head = layOutHead(of, { ...TITLE, width, most, usual: most, isLow: false });
  const others = picture.rows.filter(({ wins }) => !wins);
  const footOf = (slots: number) =>
    layOutFoot({ ...of, picture: { ...picture, slots } }, { width, isCompact: true });
  const top = y + head.height + GAP;
  const free = y + height - top - GAP - (footOf(0)?.height ?? 0);
  const room = { width, height: free, isCompact: true, isTight: true };
  const rows = others.slice(0, bars.fit(room));
  const bodyOf = (shown: readonly PictureRow[]) =>
    bars.layOut({ ...of, picture: { ...picture, rows: shown, slots: rows.length }, room });
  const usual = bodyOf(rows);
  // Whole names come before portraits.
  const body = usual.isCut ? bodyOf(rows.map(row => ({ ...row, image: undefined }))) : usual;
  const foot = footOf(rows.length + 1);
  const around = [...head.parts(y), ...(foot?.parts(y + height - foot.height) ?? [])];
  return {
    rows,
    around: moved(around, x).map(one => (one.key === 'state' ? one : elsewhere(one))),
    parts: moved(body.parts(top), x),
  };
}
