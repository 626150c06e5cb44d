import { styleTraits } from '../styles.ts';
import { typeScale } from '../themes.ts';
import type { Composed } from './body.ts';
import { notesOf } from './notes.ts';
import { boxAt, type Part, part, text } from './part.ts';

export const FOOT = { height: 40, gap: 26 };

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
  const colors = { lead: theme.text, waiting: theme.text, secret: theme.accent, hidden: theme.text };
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
  if (said.length === 0)
    return settings.total ? { width: 0, height: FOOT.height, isWhole: true, parts: () => [] } : undefined;
  const font = typeScale.note;
  let isWhole = true;
  let x = 0;
  let line = 0;
  const cells = said.map(cell => {
    const wanted = type.figureWidth(cell.text, font) + 2;
    const width = Math.min(room.width, wanted);
    isWhole &&= wanted <= room.width;
    if (x > 0 && x + width > room.width) {
      x = 0;
      line += 1;
    }
    const at = { ...cell, width, line, x };
    x += width + FOOT.gap;
    return at;
  });
  return {
    width: Math.max(...cells.map(cell => cell.x + cell.width)),
    height: FOOT.height * (line + 1),
    isWhole,
    parts: top =>
      cells.map(({ key, text: words, color, x, width, line }) => {
        const at = boxAt(x, top + line * FOOT.height, width, FOOT.height);
        const from = { alpha: 0 };
        if (key !== 'total')
          return part(`${key} ${words}`, text(at, { lines: [words], font, color }), { from });
        const format = (votes: number) => wording.votes(Math.round(votes), room.isCompact);
        const shape = { kind: 'figure', font, color, align: 'start', format } as const;
        return part(key, { at: { ...at, value: picture.totalVotes }, shape }, { from });
      }),
  };
}

/** Which answers are left out, and which page this is. */
function moreOf({ picture, settings, wording }: Composed): string[] {
  const { answers, slots, page: shownPage, pages } = picture;
  const shown = pages > 1 ? Math.min(settings.top ?? answers, answers) : slots;
  if (styleTraits[settings.style].showsFew) return [];
  const isAsked = shown === settings.top || styleTraits[settings.style].ignores.includes('top');
  const rest = shown === answers ? '' : isAsked ? wording.top(shown, answers) : wording.more(answers - shown);
  const page = pages > 1 ? `${wording.number(shownPage + 1)}/${wording.number(pages)}` : '';
  return [rest, page].filter(text => text !== '');
}
