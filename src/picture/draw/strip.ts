import type { PictureRow } from '../picture.ts';
import { lineHeightOf } from '../text.ts';
import { SMALLEST_TEXT } from '../themes.ts';
import { type Body, hasFaces, isStepped, type Style, type Task } from './body.ts';
import { box, boxAt, type Part } from './part.ts';
import { Figures, fitNames, kitsOf, type RowKit } from './row-kit.ts';

/** Least width for an answer and its figures. */
const NARROWEST = { percent: 210, count: 230, both: 300 };
const TEXT = 34;
const ON_LINE = 0.88 * TEXT;
/** Answers of a group, as far as their words have room. */
const FEWEST = 3;
const HEIGHT = 84;
const CELL = { swatch: 10, face: 64, tall: 56, gap: 14, end: 26 };
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
    if (settings.values !== 'both' || (shown.turns === 1 && !shown.isCut)) return shown;
    // Counts give way to more answers, and to whole names.
    const short = layOutMost({ ...task, settings: { ...settings, values: 'percent' } });
    return short.turns! < shown.turns! || shown.isCut ? short : shown;
  },
};

/** As many answers as have whole names; up to three also where names of several words are shortened. */
function layOutMost(task: Task): Body {
  const { rows } = task.picture;
  const room = Math.floor(task.room.width / NARROWEST[task.settings.values]);
  const most = Math.max(1, Math.min(room, rows.length));
  for (let slots = most; slots > 1; slots--) {
    const made = layOutGroups(task, slots, slots <= FEWEST);
    if (made) return made;
  }
  return layOutGroups(task, 1, true, true)!;
}

/**
 * Lays out one of the groups that take turns. All of them have one size.
 *
 * @param mayShorten names between their words @param isLast names of any kind
 */
function layOutGroups(task: Task, slots: number, mayShorten: boolean, isLast = false): Body | undefined {
  const { theme, picture, room, type } = task;
  const { rows } = picture;
  const turns = Math.max(1, Math.ceil(rows.length / slots));
  // While a poll is revealed by steps, the newest place stays in view.
  const newest = isStepped(picture) ? rows.findIndex(row => row.isRevealed) : undefined;
  const now = newest === undefined ? (task.turn ?? 0) % turns : Math.floor(Math.max(0, newest) / slots);
  const widths = Array.from({ length: turns }, (_, turn) =>
    sharesOf(rows.slice(turn * slots, (turn + 1) * slots), slots).map(share => share * room.width),
  ).flat();
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
  const namesIn = (floor: number, lines: (size: number) => number) =>
    fitNames(rows, task, { largest: TEXT, floor, width: nameRoom, lines });
  // One base line comes before large type.
  const onLine = namesIn(ON_LINE, () => 1);
  const em = lineHeightOf(rows.map(({ answer }) => answer));
  const linesOf = (size: number) => Math.max(1, Math.floor(HEIGHT / (size * em)));
  const names = onLine.body.isBroken ? namesIn(SMALLEST_TEXT, linesOf) : onLine;
  const hasRoom = (word: string, at: number) => type.width(word, names.text.font) <= nameRoom(at);
  const hasWholeWords = () =>
    rows.every(({ answer }, at) => answer.split(' ').every(word => hasRoom(word, at)));
  if (!isLast && names.body.isBroken && !(mayShorten && linesOf(SMALLEST_TEXT) > 1 && hasWholeWords()))
    return undefined;
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
    const row = boxAt(x + 4, top + 6, taken - 4 + (hasBadge ? mark : 0), HEIGHT - 12);
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
    turn: now,
    parts(top) {
      let x = 0;
      return kits.slice(now * slots, (now + 1) * slots).flatMap((kit, index) => {
        const at = now * slots + index;
        const made = cell(kit, at, x, top);
        x += widths[at]!;
        return made;
      });
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
