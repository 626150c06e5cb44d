import type { PictureRow } from '../picture.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { type Body, hasFaces, isStepped, type Style, type Task } from './body.ts';
import { pageDots } from './foot.ts';
import { box, boxAt, type Part } from './part.ts';
import { Figures, fitNames, kitsOf, type RowKit } from './row-kit.ts';

/** Least width for an answer and its figures. */
const NARROWEST = { percent: 210, count: 230, both: 300 };
const TEXT = 34;
const HEIGHT = 84;
const CELL = { swatch: 10, face: 64, tall: 56, gap: 14, end: 26 };
const TURNS = { width: 64, gap: 16 };
const FIGURES = { big: 38, small: 28.5, weight: 700 };
/** In letters: what is around a name, the word of a winner, and the length from which names get no more room. */
const AROUND = 14;
const MARK = 9;
const LONGEST = 40;
/** Letters as wide as two. */
const WIDE = /[\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g;

/** One line across the screen. Answers that do not fit take turns in groups. */
export const ticker: Style = {
  answerSize: TEXT,
  preferredWidth: () => Number.POSITIVE_INFINITY,
  heights: () => ({ least: HEIGHT, preferred: HEIGHT }),
  fit: () => Number.POSITIVE_INFINITY,
  layOut(task) {
    const { settings } = task;
    const shown = layOutMost(task);
    if (settings.values !== 'both' || shown.turns === 1) return shown;
    // Counts give way to more answers.
    const short = layOutMost({ ...task, settings: { ...settings, values: 'percent' } });
    return short.turns! < shown.turns! ? short : shown;
  },
};

/** As many answers as have whole names. */
function layOutMost(task: Task): Body {
  const { rows } = task.picture;
  const { width } = task.room;
  const slotsIn = (room: number) => Math.max(1, Math.floor(room / NARROWEST[task.settings.values]));
  const most = slotsIn(width) >= rows.length ? rows.length : slotsIn(width - TURNS.width - TURNS.gap);
  let best = layOutGroup(task, Math.max(1, Math.min(most, rows.length)));
  for (let slots = most - 1; slots > 0 && (best.isCut || best.isBroken); slots--)
    best = layOutGroup(task, slots);
  return best;
}

function layOutGroup(task: Task, slots: number): Body {
  const { theme, picture, room } = task;
  const turns = Math.max(1, Math.ceil(picture.rows.length / slots));
  // While a poll is revealed by steps, the newest place stays in view.
  const newest = isStepped(picture) ? picture.rows.findIndex(row => row.isRevealed) : undefined;
  const now = newest === undefined ? (task.turn ?? 0) % turns : Math.floor(Math.max(0, newest) / slots);
  const rows = picture.rows.slice(now * slots, (now + 1) * slots);
  const lane = room.width - (turns > 1 ? TURNS.width + TURNS.gap : 0);
  const widths = sharesOf(rows, slots).map(share => share * lane);
  const kits = kitsOf(rows, task);
  const figures = rows.map(row => new Figures(row, task, FIGURES));
  const hasFace = hasFaces(picture);
  // A keycap has the color of its answer.
  const keyRoom = Math.max(0, ...kits.map(kit => kit.keyRoom));
  const swatchRoom = hasFace ? CELL.face + CELL.gap : keyRoom > 0 ? 0 : CELL.swatch + CELL.gap;
  const before = swatchRoom + keyRoom;
  const markRoom = (at: number) => (kits[at]!.badgeWidth > 0 ? kits[at]!.badgeWidth + CELL.gap : 0);
  const nameRoom = (at: number) =>
    widths[at]! - before - figures[at]!.width - markRoom(at) - CELL.gap - CELL.end;
  const lines = (size: number) =>
    Math.max(1, Math.floor(HEIGHT / (size * lineHeightOf(rows.map(({ answer }) => answer)))));
  const names = fitNames(rows, task, { largest: TEXT, floor: SMALLEST_TEXT, width: nameRoom, lines });
  const cell = (kit: RowKit, at: number, x: number, top: number): Part[] => {
    const shown = names.text.lines[at]!.length;
    const height = shown === 1 ? HEIGHT : names.text.lineHeight;
    const y = shown === 1 ? top : top + (HEIGHT - shown * names.text.lineHeight) / 2;
    const taken = before + names.widths[at]! + CELL.gap + figures[at]!.width;
    const swatch = boxAt(x, top + (HEIGHT - CELL.tall) / 2, CELL.swatch, CELL.tall);
    const face = boxAt(x, top + (HEIGHT - CELL.face) / 2, CELL.face, CELL.face);
    // Beside the figures, else above them.
    const mark = markRoom(at);
    const hasBadge = mark > 0 && taken + mark + CELL.gap <= widths[at]!;
    const row = boxAt(x + 4, top + 6, taken + 8 + (hasBadge ? mark : 0), HEIGHT - 12);
    return kit.solid(row, shown => {
      const color = shown.row.wins ? { color: '#00000000' } : kit.fill;
      return [
        ...shown.frame(row, CELL.end),
        ...(hasFace
          ? [shown.face(face)]
          : swatchRoom > 0
            ? [shown.part('swatch', box(swatch, color, Math.min(5, theme.bar)))]
            : []),
        ...shown.keycap(x + swatchRoom, top + HEIGHT / 2),
        shown.name(names, boxAt(x + before, y, nameRoom(at), height)),
        ...figures[at]!.line(shown, x + taken, top, HEIGHT),
        ...(hasBadge
          ? shown.badgeAt(x + taken + CELL.gap, top + HEIGHT / 2, 'plate')
          : shown.badgeAt(x + taken + 12 - kit.badgeWidth, top + 3, 'panel')),
      ];
    });
  };
  return {
    height: HEIGHT,
    ...names.body,
    turns,
    parts(top) {
      let x = 0;
      const cells = kits.flatMap((kit, at) => {
        const made = cell(kit, at, x, top);
        x += widths[at]!;
        return made;
      });
      if (turns === 1) return cells;
      return [...cells, ...pageDots(theme, now, turns, boxAt(0, top, room.width, HEIGHT), TURNS.width)];
    },
  };
}

/**
 * Parts of the line. Longer names get more. The last group may be short of answers, which get no
 * more room for that.
 */
function sharesOf(rows: readonly PictureRow[], slots: number): number[] {
  const lengths = rows.map(
    ({ answer, wins }) => AROUND + (wins ? MARK : 0) + Math.min(LONGEST, answer.replace(WIDE, '$&$&').length),
  );
  const sum = lengths.reduce((all, length) => all + length, 0);
  const whole = (sum / Math.max(1, lengths.length)) * slots;
  return lengths.map(length => length / whole);
}
