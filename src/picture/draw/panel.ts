import type { Settings } from '../parameters.ts';
import { composePicture, hasResults, type Picture } from '../picture.ts';
import { type DrawingStyle, styleTraits } from '../styles.ts';
import { SMALLEST_TEXT, typeScale } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { bars } from './bars.ts';
import { bigNumber } from './big-number.ts';
import { type Asked, answersOf, type Body, NOTHING, type Room, type Style } from './body.ts';
import { columns } from './columns.ts';
import { donut } from './donut.ts';
import { FOOT, layOutFoot } from './foot.ts';
import {
  type Head,
  layOutHead,
  layOutLogo,
  layOutPill,
  SMALL_TITLE,
  titlePart,
  USUAL_TITLE,
  widestState,
} from './head.ts';
import { host } from './host.ts';
import { callOf } from './notes.ts';
import { boxAt, moved, type Part } from './part.ts';
import { ticker } from './strip.ts';
import { versus } from './versus.ts';

/** A panel: question, answers and notes on a plate of their own. */

/** Between head, body and foot. */
export const GAP = 28;
/** A narrower panel has no room for counts of ten digits. */
export const NARROW_PANEL = 700;
/** A panel grows to this part of the picture before its text shrinks, and in steps to all of it before text is cut. */
const WIDEST_PANEL = 0.62;
const WIDER = 0.2;
const WIDEN_STEP = 60;
/** Question and answers are laid out until their sizes agree, at most so many times. */
const MOST_PASSES = 4;
/** From so many lines on, the question widens the panel. */
const LONG_QUESTION = 3;
/** A lower picture has no line for the state alone. */
export const LOW_BELOW = 560;
/** In which answers take two columns. */
const TWO_COLUMNS = 1480;

/** A narrower strip is laid out as a panel. */
const NARROW_STRIP = 900;
const STRIP = { padding: 18, gap: 28, rest: 0.3 };
/**
 * The title of a strip takes this part of its width, and more before it breaks words, and more
 * lines before it is cut.
 */
const STRIP_TITLES = [
  { share: 0.22, lines: 2 },
  { share: 0.34, lines: 2 },
  { share: 0.34, lines: 3 },
];

const styles: Readonly<Record<Exclude<DrawingStyle, 'code'>, Style>> = {
  bars,
  columns,
  donut,
  versus,
  ticker,
  'big-number': bigNumber,
  host,
};

export interface Panel {
  readonly padding: number;
  readonly turns: number;
  readonly width: number;
  readonly height: number;
  readonly picture: Picture;
  readonly isWhole: boolean;
  readonly cut: readonly string[];
  parts(top: number): Part[];
}

/** Widens the panel until question and answers are whole, then shortens counts, then takes height from the body. */
export function fitPanel(of: Asked): Panel {
  const { settings, free, theme, poll } = of;
  if (styleTraits[settings.style].isStrip && free.width >= NARROW_STRIP) return layOutStrip(of);
  const answers = answersOf(of).length;
  const asked = settings.width === null ? undefined : (free.width * settings.width) / 100;
  const preferred = styleOf(settings).preferredWidth(answers) + 2 * theme.padding - 68;
  const width = Math.min(free.width, asked ?? preferred);
  const widest = asked === undefined ? Math.max(width, free.width * WIDEST_PANEL) : width;
  let way: Way = { width, shrunk: 0, isCompact: false, isTight: false };
  let panel = layOutPanel(of, way);
  const change = (changes: Partial<Way>) => {
    way = { ...way, ...changes };
    panel = layOutPanel(of, way);
  };
  while (way.width < widest && (!panel.isWhole || panel.titleLines >= LONG_QUESTION))
    change({ width: Math.min(widest, way.width + WIDEN_STEP) });
  // Answers that are left out may have room beside the others, and below a smaller question.
  const wide = { width: Math.min(free.width, Math.max(way.width, TWO_COLUMNS + 2 * theme.padding)) };
  const tight = { width: way.width, isTight: true };
  for (const changes of asked === undefined ? [wide, tight, { ...wide, isTight: true }] : [tight]) {
    if (panel.picture.slots >= answers) break;
    const before = way;
    const shown = panel;
    change(changes);
    if (!hasMore(panel, shown)) [way, panel] = [before, shown];
  }
  if (!panel.isWhole && hasResults(poll) && isLongCount(panel.picture.mostVotes)) change({ isCompact: true });
  while (asked === undefined && panel.cut.length > 0 && way.width < free.width)
    change({ width: Math.min(free.width, way.width + free.width * WIDER) });
  while (panel.height > free.height + 1 && way.shrunk < free.height)
    change({ shrunk: way.shrunk + Math.ceil(panel.height - free.height) });
  return panel;
}

/** Whole texts come before more answers. */
function hasMore(one: Panel, other: Panel): boolean {
  return one.picture.slots > other.picture.slots && one.cut.length <= other.cut.length;
}

interface Way {
  readonly width: number;
  /** Height that the body has to give. */
  readonly shrunk: number;
  readonly isCompact: boolean;
  readonly isTight: boolean;
}

export function styleOf({ style }: Settings): Style {
  return styles[style as Exclude<DrawingStyle, 'code'>];
}

/** Question and answers whose sizes agree. */
export interface Content<H> {
  readonly head: H;
  readonly body: Body;
  readonly picture: Picture;
}

/**
 * Lays out question and answers until their sizes agree: the size of the answers follows from the
 * room that the question leaves, and limits the question.
 */
export function settle<H>(
  of: Asked,
  headOf: (picture: Picture, answerSize: number) => H,
  roomOf: (head: H) => Room,
): Content<H> {
  const { poll, settings } = of;
  const style = styleOf(settings);
  let picture = composePicture(poll, settings, Number.POSITIVE_INFINITY, of);
  let head = headOf(picture, style.answerSize);
  let body: Body = NOTHING;
  let { answerSize } = style;
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    const room = roomOf(head);
    picture = composePicture(poll, settings, style.fit(room), of);
    // A presenter's screen has what comes next also where there is nothing else.
    const isEmpty = picture.rows.length === 0 && !styleTraits[settings.style].isOffAir;
    body = isEmpty ? NOTHING : style.layOut({ ...of, picture, room });
    if (body === NOTHING || body.answerSize === answerSize) break;
    // The last answers limit the question, which only leaves more room then.
    if (pass === MOST_PASSES && body.answerSize > answerSize) break;
    answerSize = body.answerSize;
    head = headOf(picture, answerSize);
  }
  return { head, body, picture };
}

/** Names of texts that have lost letters. */
export function cutNames(isCut: { readonly [text in 'title' | 'answers']: boolean | undefined }) {
  return (['title', 'answers'] as const).filter(text => isCut[text]);
}

function layOutPanel(of: Asked, { width, shrunk, isTight, ...asked }: Way): Panel & { titleLines: number } {
  const { settings, theme, free } = of;
  const style = styleOf(settings);
  const inner = width - 2 * theme.padding;
  const rest = free.height - 2 * theme.padding - FOOT.height - 2 * GAP - shrunk;
  const answers = answersOf(of);
  const { least, preferred } = style.heights(answers, inner);
  const isCompact = asked.isCompact || width < NARROW_PANEL;
  const headRoom = {
    ...(isTight ? SMALL_TITLE : USUAL_TITLE),
    width: inner,
    most: rest - least,
    usual: rest - preferred,
    isLow: free.height < LOW_BELOW,
  };
  const headOf = (picture: Picture, answerSize: number) =>
    layOutHead({ ...of, picture }, { ...headRoom, answerSize });
  const roomOf = (head: Head) => ({ width: inner, height: rest - head.height, isCompact, isTight });
  const { head, body, picture } = settle(of, headOf, roomOf);
  const foot = layOutFoot({ ...of, picture }, { width: inner, isCompact });
  const bodyTop = head.height + GAP;
  const footTop = bodyTop + body.height + (foot ? GAP : 0);
  return {
    padding: theme.padding,
    turns: Math.max(body.turns ?? 1, picture.pages),
    width,
    height: 2 * theme.padding + footTop + (foot ? foot.height : 0),
    picture,
    isWhole:
      body.isWhole &&
      (head.title?.isWhole ?? !settings.title) &&
      (foot?.isWhole ?? true) &&
      picture.rows.length >= Math.min(answers.length, 1) &&
      free.height >= LOW_BELOW,
    cut: cutNames({ title: head.title?.isCut, answers: body.isCut }),
    titleLines: head.title?.lines.length ?? 0,
    parts: top => [...head.parts(top), ...body.parts(top + bodyTop), ...(foot?.parts(top + footTop) ?? [])],
  };
}

/** Question, answers and state beside each other. */
function layOutStrip(of: Asked): Panel {
  const { poll, type, settings, theme, free } = of;
  const padding = Math.min(theme.padding, STRIP.padding);
  const width = settings.width === null ? free.width : (free.width * settings.width) / 100;
  const inner = width - 2 * padding;
  const picture = composePicture(poll, settings, Number.POSITIVE_INFINITY, of);
  const style = styleOf(settings);
  const composed = { ...of, picture, theme: { ...theme, padding } };
  const pill = layOutPill(composed);
  const footWidth = Math.max(pill.width, inner * STRIP.rest);
  // The call to vote in chat has the place of the total.
  const foot =
    callOf(composed) === '' ? layOutFoot(composed, { width: footWidth, isCompact: true }) : undefined;
  const ownWidth = Math.max(pill.width, foot?.width ?? 0);
  const logo = layOutLogo(of, inner, free.height);
  const start = logo?.taken ?? 0;
  const titles = STRIP_TITLES.map(({ share, lines }) =>
    type.fitOne(poll.title, {
      weight: typeScale.title.weight,
      largest: style.answerSize,
      floor: SMALLEST_TEXT,
      width: inner * share,
      lines: () => lines,
      isBalanced: true,
    }),
  );
  const title = settings.title ? (titles.find(({ isBroken }) => !isBroken) ?? titles.at(-1)) : undefined;
  const titleWidth = title ? Math.ceil(type.widest(title.lines, title.font)) : 0;
  const titleHeight = title?.height ?? 0;
  const bodyLeft = start + (titleWidth > 0 ? titleWidth + STRIP.gap : 0);
  const bodyBeside = (endWidth: number) => {
    const room = { width: inner - bodyLeft - endWidth - STRIP.gap, height: free.height, isCompact: true };
    return picture.rows.length === 0 ? NOTHING : style.layOut({ ...composed, room });
  };
  // Any state has room, so no answer moves for the next one, unless that would cut a name.
  const reserved = bodyBeside(Math.max(ownWidth, widestState(of)));
  const body = reserved.isCut ? bodyBeside(ownWidth) : reserved;
  const endHeight = pill.height + (foot ? foot.height : 0);
  const content = Math.max(body.height, titleHeight, endHeight, logo?.height ?? 0);
  return {
    padding,
    turns: body.turns ?? 1,
    width,
    height: content + 2 * padding,
    picture,
    isWhole: body.isWhole,
    cut: cutNames({ title: title?.isCut, answers: body.isCut }),
    parts(top) {
      const middle = top + content / 2;
      const endTop = middle - endHeight / 2;
      return [
        ...(logo ? [logo.part(middle - logo.height / 2)] : []),
        ...(title
          ? [titlePart(title, boxAt(start, middle - titleHeight / 2, titleWidth, titleHeight), theme)]
          : []),
        ...moved(body.parts(middle - body.height / 2), bodyLeft),
        ...pill.parts(inner - pill.width, endTop + pill.height / 2),
        ...moved(foot?.parts(endTop + pill.height) ?? [], inner - (foot?.width ?? 0)),
      ];
    },
  };
}
