import { isStrap } from '../parameters.ts';
import { composePicture, hasResults, type Picture } from '../picture.ts';
import { type DrawingStyle, styleTraits } from '../styles.ts';
import { SMALLEST_TEXT, typeScale } from '../themes.ts';
import { isLongCount } from '../wording.ts';
import { bars } from './bars.ts';
import { bigNumber } from './big-number.ts';
import { type Asked, answersOf, type Body, isUpright, NOTHING, type Room, type Style } from './body.ts';
import type { CodeCard } from './code.ts';
import { columns } from './columns.ts';
import { donut } from './donut.ts';
import { FOOT, layOutFoot, pageDots } from './foot.ts';
import {
  FULL_TITLE,
  type Head,
  type HeadRoom,
  LONG_TITLE,
  layOutHead,
  layOutLogo,
  layOutPill,
  SMALL_TITLE,
  titlePart,
  USUAL_TITLE,
  widestState,
} from './head.ts';
import { host } from './host.ts';
import type { Look } from './look.ts';
import { callOf } from './notes.ts';
import { boxAt, moved, type Part } from './part.ts';
import { strap } from './strap.ts';
import { ticker } from './strip.ts';
import { versus } from './versus.ts';

/** A panel: question, answers and notes on a plate of their own. */

/** Between head, body and foot; less where rows are low. */
const GAP = 28;
const LOW_GAP = 16;
/** Between the answers of a full picture and a code beside them. */
const GUTTER = 56;
/** A narrower panel has no room for counts of ten digits. */
const NARROW_PANEL = 700;
/** A panel grows to this part of the picture before its text shrinks, and in steps to all of it before text is cut. */
const WIDEST_PANEL = 0.62;
const WIDER = 0.2;
const WIDEN_STEP = 50;
/** Question and answers are laid out until their sizes agree, at most so many times. */
const MOST_PASSES = 4;
/** A question with more lines widens the panel. */
const LONG_QUESTION = 3;
/** A lower picture has no line for the state alone. */
const LOW_BELOW = 560;
/** In which answers take two columns. */
const TWO_COLUMNS = 1480;

/** A narrower strip is laid out as a panel. */
const NARROW_STRIP = 900;
/** A lower third is no higher. */
const MOST_STRAP = 300;
const STRIP = { padding: 18, gap: 28, rest: 0.3, dots: 64 };
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
  const isWide = !isUpright(of);
  if (isWide && styleTraits[settings.style].isStrip && free.width >= NARROW_STRIP) return layOutStrip(of);
  const answers = answersOf(of).length;
  const asked = settings.width === null ? undefined : (free.width * settings.width) / 100;
  if (isWide && isStrap(settings)) return layOutStrap(of, asked ?? free.width);
  const preferred = styleOf(of).preferredWidth(answers) + 2 * theme.padding - 68;
  const width = Math.min(free.width, asked ?? preferred);
  const widest = asked === undefined ? Math.max(width, free.width * WIDEST_PANEL) : width;
  const widestRows = Math.min(widest, Math.max(width, styleOf(of).widest ?? 0));
  let way: Way = { width, shrunk: 0, isCompact: false, isTight: false };
  let panel = layOutPanel(of, way);
  const change = (changes: Partial<Way>) => {
    way = { ...way, ...changes };
    panel = layOutPanel(of, way);
  };
  const wanted = () => (panel.isLongTitle ? widest : panel.isWhole ? 0 : widestRows);
  while (way.width < wanted()) change({ width: Math.min(wanted(), way.width + WIDEN_STEP) });
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
  return shrinkToFit(of, way, panel);
}

/** A lower third: as wide as the picture, with the answers side by side. */
function layOutStrap(of: Asked, width: number): LaidPanel {
  const { free, theme } = of;
  const low = {
    ...of,
    free: { width, height: width < NARROW_STRIP ? free.height : Math.min(free.height, MOST_STRAP) },
    theme: { ...theme, padding: Math.min(theme.padding, STRIP.padding) },
  };
  const way = { width, shrunk: 0, isCompact: true, isTight: false };
  return shrinkToFit(low, way, layOutPanel(low, way));
}

/** Takes height from the answers until all of it has room. */
export function shrinkToFit(of: Asked, way: Way, laid: LaidPanel): LaidPanel {
  let panel = laid;
  let { shrunk } = way;
  while (panel.height > of.free.height + 1 && shrunk < of.free.height) {
    shrunk += Math.ceil(panel.height - of.free.height);
    panel = layOutPanel(of, { ...way, shrunk });
  }
  return panel;
}

/** Whole texts come before more answers. */
function hasMore(one: Panel, other: Panel): boolean {
  return one.picture.slots > other.picture.slots && one.cut.length <= other.cut.length;
}

/** How a panel fills a picture. */
export interface Filling {
  readonly height: number;
  /** The code beside answers of this height. */
  cardIn(height: number): CodeCard | undefined;
  /** The least height of that. */
  readonly leastCard: number;
  readonly isCardFirst: boolean;
  /** The code below the answers. */
  readonly below: CodeCard | undefined;
}

export interface LaidPanel extends Panel {
  readonly isLongTitle: boolean;
  readonly answerSize: number;
  readonly hasCode: boolean;
}

export interface Way {
  readonly filling?: Filling | undefined;
  readonly width: number;
  /** Height that the body has to give. */
  readonly shrunk: number;
  readonly isCompact: boolean;
  readonly isTight: boolean;
}

/** What is low in a wide picture has rows in an upright one. */
export function styleOf({ settings, ...size }: Look): Style {
  if (isUpright(size) && (isStrap(settings) || styleTraits[settings.style].isStrip)) return bars;
  return isStrap(settings) ? strap : styles[settings.style as Exclude<DrawingStyle, 'code'>];
}

/** Question and answers whose sizes agree. */
interface Content<H> {
  readonly head: H;
  readonly body: Body;
  readonly picture: Picture;
}

/**
 * Lays out question and answers until their sizes agree: the size of the answers follows from the
 * room that the question leaves, and limits the question.
 */
function settle<H>(
  of: Asked,
  headOf: (picture: Picture, answerSize: number) => H,
  roomOf: (head: H) => Room,
): Content<H> {
  const { poll, settings } = of;
  const style = styleOf(of);
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
function cutNames(isCut: { readonly [text in 'title' | 'answers']: boolean | undefined }) {
  return (['title', 'answers'] as const).filter(text => isCut[text]);
}

export function layOutPanel(of: Asked, { width, shrunk, isTight, filling, ...asked }: Way): LaidPanel {
  const { settings, theme, free } = of;
  const style = styleOf(of);
  const isLow = free.height < LOW_BELOW;
  const gap = (filling ? isTight || isLow : isStrap(settings)) ? LOW_GAP : GAP;
  const inner = width - 2 * theme.padding;
  const below = filling?.below ? filling.below.height + gap : 0;
  const rest = free.height - 2 * theme.padding - FOOT.height - 2 * gap - shrunk - below;
  const answers = answersOf(of);
  const { least, preferred } = style.heights(answers, inner);
  const isCompact = asked.isCompact || width < NARROW_PANEL;
  const usualTitle = filling ? FULL_TITLE : USUAL_TITLE;
  const headRoom = {
    ...(isTight ? SMALL_TITLE : usualTitle),
    width: inner,
    most: rest - Math.max(least, filling?.leastCard ?? 0),
    usual: rest - preferred,
    isLow,
  };
  const headOf = (picture: Picture, answerSize: number) => {
    const headAs = (changes: Partial<HeadRoom>) =>
      layOutHead({ ...of, picture }, { ...headRoom, answerSize, ...changes });
    const head = headAs({});
    if (!filling || !head.title?.isCut) return head;
    // A question that would be cut takes room from the answers.
    const long = { ...LONG_TITLE, usual: headRoom.most };
    const smaller = headAs({ ...long, answerSize: Math.min(answerSize, style.answerSize) });
    return smaller.title?.isCut ? headAs({ ...long, answerSize: SMALLEST_TEXT }) : smaller;
  };
  let card: CodeCard | undefined;
  const roomOf = (head: Head) => {
    const height = rest - head.height;
    card = filling?.cardIn(height);
    const taken = card && answers.length > 0 ? card.width + GUTTER : 0;
    const mostText = filling || isStrap(settings) ? head.title?.font.size : undefined;
    const isFull = filling !== undefined;
    return { width: inner - taken, height, isCompact, isTight, isFull, isUpright: isUpright(of), mostText };
  };
  const { head, body, picture } = settle(of, headOf, roomOf);
  const foot = layOutFoot({ ...of, picture }, { width: inner, isCompact });
  const bodyTop = head.height + gap;
  const footHeight = foot ? foot.height : 0;
  const natural = bodyTop + Math.max(body.height, card?.height ?? 0) + (foot ? gap : 0) + footHeight + below;
  const height = Math.max(natural, (filling?.height ?? 0) - 2 * theme.padding);
  const footTop = height - below - footHeight;
  const area = footTop - (foot ? gap : 0) - bodyTop;
  const isAlone = body.height === 0;
  const cardLeft = isAlone
    ? (inner - (card?.width ?? 0)) / 2
    : filling?.isCardFirst
      ? 0
      : inner - (card?.width ?? 0);
  const bodyLeft = card && filling?.isCardFirst ? card.width + GUTTER : 0;
  return {
    padding: theme.padding,
    turns: Math.max(body.turns ?? 1, picture.pages),
    width,
    height: height + 2 * theme.padding,
    picture,
    isWhole:
      body.isWhole &&
      (head.title?.isWhole ?? !settings.title) &&
      (foot?.isWhole ?? true) &&
      picture.rows.length >= Math.min(answers.length, 1) &&
      !isLow,
    cut: cutNames({ title: head.title?.isCut, answers: body.isCut }),
    isLongTitle: head.title !== undefined && (!head.title.isWhole || head.title.lines.length > LONG_QUESTION),
    answerSize: body.answerSize,
    hasCode: (card ?? filling?.below) !== undefined,
    parts: top => [
      ...head.parts(top),
      ...moved(body.parts(top + bodyTop + (area - body.height) / 2), bodyLeft),
      ...(card?.parts(cardLeft, top + bodyTop, isAlone ? undefined : area) ?? []),
      ...(foot?.parts(top + footTop) ?? []),
      ...(filling?.below?.parts(0, top + height - filling.below.height) ?? []),
    ],
  };
}

/** Question, answers and state beside each other. */
function layOutStrip(of: Asked): Panel {
  const { poll, type, settings, theme, free } = of;
  const padding = Math.min(theme.padding, STRIP.padding);
  const width = settings.width === null ? free.width : (free.width * settings.width) / 100;
  const inner = width - 2 * padding;
  const picture = composePicture(poll, settings, Number.POSITIVE_INFINITY, of);
  const style = styleOf(of);
  const composed = { ...of, picture, theme: { ...theme, padding } };
  const pill = layOutPill(composed);
  const footWidth = Math.max(pill.width, inner * STRIP.rest);
  // The call to vote in chat has the place of the total.
  const foot =
    callOf(composed) === '' ? layOutFoot(composed, { width: footWidth, isCompact: true }) : undefined;
  // The dots of the groups are beside the total.
  const ownWidth = Math.max(pill.width, (foot?.width ?? pill.width) + STRIP.dots + LOW_GAP);
  const logo = layOutLogo(of, inner, free.height);
  const start = logo?.taken ?? 0;
  const titles = STRIP_TITLES.map(({ share, lines }) =>
    type.fitOne(poll.title, {
      weight: typeScale.title.weight,
      largest: style.answerSize,
      floor: SMALLEST_TEXT,
      width: inner * share,
      lines: () => lines,
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
  const { turn = 0, turns = 1 } = body;
  const endHeight = pill.height + (foot?.height ?? 0);
  const content = Math.max(body.height, titleHeight, endHeight, logo?.height ?? 0);
  return {
    padding,
    turns,
    width,
    height: content + 2 * padding,
    picture,
    isWhole: body.isWhole,
    cut: cutNames({ title: title?.isCut, answers: body.isCut }),
    parts(top) {
      const middle = top + content / 2;
      const endTop = middle - endHeight / 2;
      const dotsEnd = inner - (foot?.width ?? pill.width) - LOW_GAP;
      const dots = boxAt(0, endTop + endHeight - FOOT.height, dotsEnd, FOOT.height);
      return [
        ...(logo ? [logo.part(middle - logo.height / 2)] : []),
        ...(title
          ? [titlePart(title, boxAt(start, middle - titleHeight / 2, titleWidth, titleHeight), theme)]
          : []),
        ...moved(body.parts(middle - body.height / 2), bodyLeft),
        ...pill.parts(inner - pill.width, endTop + pill.height / 2),
        ...moved(foot?.parts(endTop + pill.height) ?? [], inner - (foot?.width ?? 0)),
        ...pageDots(theme, turn, turns, dots, STRIP.dots),
      ];
    },
  };
}
