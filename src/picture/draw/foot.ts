import { styleTraits } from '../styles.ts';
import { type Theme, typeScale } from '../themes.ts';
import type { Composed } from './body.ts';
import { notesOf } from './notes.ts';
import { type Box, box, boxAt, order, type Part, part, text } from './part.ts';

export const FOOT = { height: 40, gap: 26 };
/** A dot for each page; all of them take so much of the line at most. */
const DOT = { size: 12, pitch: 28, share: 0.4 };

export interface Foot {
  readonly width: number;
  readonly height: number;
  /** Every note has room on a line. */
  readonly isWhole: boolean;
  parts(top: number): Part[];
}

interface FootRoom {
  readonly width: number;
  readonly isCompact: boolean;
}

/** The notes of a picture, and how many answers are left out. */
export function layOutFoot(of: Composed, room: FootRoom): Foot | undefined {
  const { type, theme, picture, wording, settings } = of;
  const colors = {
    lead: theme.text,
    waiting: theme.text,
    secret: theme.accent,
    hidden: theme.text,
    late: theme.text,
  };
  // The state has the time, and the call to vote in chat.
  const notes = notesOf({ ...of, isCompact: room.isCompact }).filter(
    ({ key }) => !/^(clock|chat)$/.test(key),
  );
  const more = moreOf(of).map(text => ({ key: 'more', text }));
  const said = [...notes, ...more].map(note => ({
    ...note,
    color: colors[note.key as keyof typeof colors] ?? theme.soft,
  }));
  // A hidden picture has the height of the revealed one.
  const { page, pages } = picture;
  const dotsAt = (top: number) =>
    pageDots(theme, page, pages, boxAt(0, top, room.width, FOOT.height), room.width * DOT.share);
  if (said.length === 0 && pages < 2)
    return settings.total ? { width: 0, height: FOOT.height, isWhole: true, parts: () => [] } : undefined;
  const font = typeScale.note;
  let isWhole = true;
  let x = 0;
  let line = 0;
  const cells = said.map(cell => {
    const wanted = type.figureWidth(cell.text, font) + 2;
    const width = Math.min(room.width, wanted);
    isWhole &&= wanted <= room.width;
    const free = room.width - (pages > 1 ? room.width * DOT.share : 0);
    if (x > 0 && x + width > free) {
      x = 0;
      line += 1;
    }
    const at = { ...cell, width, line, x };
    x += width + FOOT.gap;
    return at;
  });
  return {
    width: pages > 1 ? room.width : Math.max(...cells.map(cell => cell.x + cell.width)),
    height: FOOT.height * (line + 1),
    isWhole,
    parts: top => [
      ...dotsAt(top),
      ...cells.map(({ key, text: words, color, x, width, line }) => {
        const at = boxAt(x, top + line * FOOT.height, width, FOOT.height);
        const from = { alpha: 0 };
        if (key !== 'total')
          return part(`${key} ${words}`, text(at, { lines: [words], font, color }), { from });
        const format = (votes: number) => wording.votes(Math.round(votes), room.isCompact);
        const shape = { kind: 'figure', font, color, align: 'start', format } as const;
        return part(key, { at: { ...at, value: picture.totalVotes }, shape }, { from });
      }),
    ],
  };
}

/** A dot for each of several pages, which take so much of the end of a line at most. */
export function pageDots(
  { text: color, soft }: Theme,
  page: number,
  pages: number,
  at: Box,
  most: number,
): Part[] {
  if (pages < 2) return [];
  const pitch = Math.min(DOT.pitch, most / pages);
  const dot = (key: string, index: number, own: number, ink: string) => {
    const x = at.x + at.width - pitch * (pages - 1 - index) - DOT.size;
    const dotBox = boxAt(x, at.y + (at.height - DOT.size) / 2, DOT.size, DOT.size);
    return part(key, box(dotBox, { color: ink }, DOT.size / 2), { order: own });
  };
  const faint = `${soft.slice(0, 7)}66`;
  return [
    ...Array.from({ length: pages }, (_, index) => dot(`dot ${index}`, index, order.text, faint)),
    dot('page', page, order.badge, color),
  ];
}

/** Which answers are left out. */
function moreOf({ picture, settings, wording }: Composed): string[] {
  const { answers, slots, pages } = picture;
  const shown = pages > 1 ? Math.min(settings.top ?? answers, answers) : slots;
  if (styleTraits[settings.style].showsFew) return [];
  const isAsked = shown === settings.top || styleTraits[settings.style].ignores.includes('top');
  const rest = shown === answers ? '' : isAsked ? wording.top(shown, answers) : wording.more(answers - shown);
  return rest === '' ? [] : [rest];
}
