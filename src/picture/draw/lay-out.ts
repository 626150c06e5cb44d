import { directionOfText } from '../../locales/i18n.ts';
import { fitLogo } from '../logo-size.ts';
import { effectiveSettings, type Settings } from '../parameters.ts';
import { composePicture, hasResults, type Picture, type PollSnapshot } from '../picture.ts';
import { type DrawingStyle, styleTraits } from '../styles.ts';
import { offAirTheme, resolveTheme, SMALLEST_TEXT, type Theme, themeTones, typeScale } from '../themes.ts';
import { isLongCount, type OverlayWording } from '../wording.ts';
import { bars } from './bars.ts';
import { bigNumber } from './big-number.ts';
import { type Around, type Body, NOTHING, order, type Style, type Task } from './body.ts';
import type { Image } from './canvas.ts';
import { type CodeCard, layOutCode, type VoteCode } from './code.ts';
import { columns } from './columns.ts';
import { donut } from './donut.ts';
import { type Head, layOutHead, layOutPill, logoPart, roomOfLogo, titlePart } from './head.ts';
import { host } from './host.ts';
import { notesOf } from './notes.ts';
import { type Part, place } from './part.ts';
import { stateOf } from './state.ts';
import { ticker } from './strip.ts';
import type { TypeSetter } from './type-setter.ts';
import { versus } from './versus.ts';

const FULL = { width: 1920, height: 1080 };
/** A narrow screen scales as if it were at least this wide, so that a line of text fits. */
const COLUMN_WIDTH = 640;
/** Keeps the smallest text at 12 CSS pixels. */
const SMALLEST_UNIT_PX = 12 / 28.5;
const FOOT = { height: 40, gap: 26 };
/** Between head, body and foot. */
const GAP = 28;
/** A narrower panel has no room for counts of ten digits. */
const NARROW_PANEL = 700;
/** A panel grows to this part of the picture before its text shrinks, and in steps to all of it before text is cut. */
const WIDEST_PANEL = 0.62;
const WIDER = 0.2;
const WIDEN_STEP = 60;
/** Question and answers are laid out until their sizes agree, at most so many times. */
const MOST_PASSES = 4;
/** From so many lines on, the question widens the panel. */
const LONG_QUESTION = 3;
/** A lower picture has no line for the state alone. */
const LOW_BELOW = 560;
/** In which answers take two columns. */
const TWO_COLUMNS = 1480;

/** Between the panel and a code beside it. */
const CODE_GAP = 28;
/** Below this width a code is above or below the panel instead of beside it. */
const COLUMN_SHAPED_BELOW = 900;
/** Least room for a panel beside or below a code. A code that leaves less gives way. */
const LEAST_PANEL = { width: 480, height: 430 };
/** A screen beside the air is read from further away, and has more room. */
const OFF_AIR_SCALE = 1.3;
const STRIP = { padding: 18, gap: 28, rest: 0.3 };
/** The title of a strip takes this part of its width, and more before it breaks words, and more lines before it is cut. */
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

/** Everything that a picture depends on beside its poll. */
export interface Look {
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly type: TypeSetter;
  /** In CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly logo: { readonly image: Image; readonly name: string } | undefined;
  readonly code: VoteCode | undefined;
  /** The code stays after the poll closes, because it leads to a show's next poll. */
  readonly isCodePermanent: boolean;
  readonly around: Around;
  readonly turn: number;
}

export interface Laid {
  readonly parts: readonly Part[];
  /** Undefined for a code alone. */
  readonly picture: Picture | undefined;
  readonly theme: Theme;
  readonly isRtl: boolean;
  /** CSS pixels of a unit. */
  readonly unitPx: number;
  /** Nothing had to shrink or to give way. */
  readonly isWhole: boolean;
  /** The panel is not larger than the safe area. */
  readonly fits: boolean;
  /** Names of texts that have lost letters: `title`, `answers`, `address`. */
  readonly cut: readonly string[];
  readonly turns: number;
  readonly hasCode: boolean;
}

interface Area {
  readonly width: number;
  readonly height: number;
}

/** Places the parts of a picture. @param nowMs server time, for what depends on the deadline @param scale of everything, for stills */
export function layOut(poll: PollSnapshot, look: Look, nowMs: number, scale = 1): Laid {
  const settings = effectiveSettings(look.settings);
  const { isOffAir } = styleTraits[settings.style];
  const theme = isOffAir ? offAirTheme : resolveTheme(settings);
  const unitPx = unitIn(look, isOffAir ? OFF_AIR_SCALE : 1) * (settings.size / 100) * scale;
  const margin = {
    x: (look.width * settings.margin) / 100 / unitPx,
    y: (look.height * settings.margin) / 100 / unitPx,
  };
  const safe = { width: look.width / unitPx - 2 * margin.x, height: look.height / unitPx - 2 * margin.y };
  // An explicit language sets the direction, else the question does.
  const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
  const isRtl = (ownDirection ?? look.wording.direction) === 'rtl';
  const common = { theme, isRtl, unitPx };
  // What is free before a panel, of what is free around it.
  const before = { left: 0, center: 0.5, right: 1 }[settings.align];
  const above = { top: 0, middle: 0.5, bottom: 1 }[settings.valign];
  const x = (width: number) => margin.x + before * (safe.width - width);
  const y = (height: number) => margin.y + above * (safe.height - height);
  if (settings.style === 'code') {
    const card =
      look.code &&
      layOutCode(look.code, look.type, { place: 'alone', ...safe, unitPx, radius: theme.radius });
    const parts = card?.parts(x(card.width), y(card.height)) ?? [];
    const cut = card?.isCut ? ['address'] : [];
    return {
      ...common,
      parts,
      picture: undefined,
      isWhole: true,
      fits: true,
      cut,
      turns: 1,
      hasCode: card !== undefined,
    };
  }
  const beside = codeBeside(look, settings, safe, unitPx, theme);
  const { card } = beside;
  const panel = fitPanel({ poll, look, settings, theme, free: beside.free, nowMs });
  const inner = panel.width - 2 * panel.padding;
  // The panel and its code are placed together.
  const whole = beside.isBeside
    ? { width: panel.width + beside.taken, height: Math.max(panel.height, card?.height ?? 0) }
    : { width: Math.max(panel.width, card?.width ?? 0), height: panel.height + beside.taken };
  const [left, top] = [isOffAir ? margin.x : x(whole.width), isOffAir ? margin.y : y(whole.height)];
  const codeFirst = card !== undefined && beside.isBeside && settings.qr === 'left';
  const panelLeft = left + (codeFirst ? beside.taken : 0);
  const panelTop = beside.isBeside ? top + above * (whole.height - panel.height) : top;
  const codeLeft = !beside.isBeside
    ? left + (whole.width - (card?.width ?? 0)) / 2
    : codeFirst
      ? left
      : left + panel.width + CODE_GAP;
  const codeTop = !beside.isBeside
    ? top + panel.height + CODE_GAP
    : top + above * (whole.height - (card?.height ?? 0));
  const canVote = ['vote', 'last'].includes(stateOf(panel.picture, nowMs));
  const isCodeShown = card !== undefined && (canVote || look.isCodePermanent);
  const parts = [
    ...(isOffAir
      ? [groundPart(look, unitPx, theme)]
      : [platePart(panelLeft, panelTop, panel, settings, theme)]),
    ...panel
      .parts(panelTop + panel.padding)
      .map(part => shift(part, panelLeft + panel.padding, inner, isRtl)),
    ...(isCodeShown ? card.parts(codeLeft, codeTop) : []),
    ...marks(look, settings, poll, safe, margin),
  ];
  const cut = [...panel.cut, ...(card?.isCut ? ['address'] : [])];
  return {
    ...common,
    parts,
    picture: panel.picture,
    isWhole: panel.isWhole,
    fits: panel.height <= beside.free.height + 1,
    cut,
    turns: panel.turns,
    hasCode: isCodeShown,
  };
}

interface Beside {
  readonly card: CodeCard | undefined;
  readonly isBeside: boolean;
  /** Width or height that code and gap take. */
  readonly taken: number;
  readonly free: Area;
}

/** What a code leaves of the safe area: beside the panel, or below it on a narrow screen. */
function codeBeside(
  { code, type }: Look,
  { qr, style }: Settings,
  safe: Area,
  unitPx: number,
  theme: Theme,
): Beside {
  const nothing = { card: undefined, isBeside: true, taken: 0, free: safe };
  if (!code || qr === 'none' || styleTraits[style].isOffAir) return nothing;
  const card = layOutCode(code, type, { place: 'beside', ...safe, unitPx, radius: theme.radius });
  const isBelow = safe.width < COLUMN_SHAPED_BELOW || styleTraits[style].isStrip === true;
  const taken = (isBelow ? card.height : card.width) + CODE_GAP;
  if (isBelow) {
    const free = { width: safe.width, height: safe.height - taken };
    return free.height >= LEAST_PANEL.height ? { card, isBeside: false, taken, free } : nothing;
  }
  const free = { width: safe.width - taken, height: safe.height };
  return free.width >= LEAST_PANEL.width && card.height <= safe.height
    ? { card, isBeside: true, taken, free }
    : nothing;
}

/** The mark of a rehearsal, and of a relay that is away. */
function marks(
  look: Look,
  settings: Settings,
  poll: PollSnapshot,
  safe: Area,
  margin: { x: number; y: number },
): Part[] {
  const away = look.around.away && settings.away ? [awayPart(safe, margin, resolveTheme(settings))] : [];
  const isRehearsal = settings.rehearsal || 'rehearsal' in poll;
  if (!isRehearsal) return away;
  const font = { size: SMALLEST_TEXT, weight: 700 };
  const text = look.wording.phrases.rehearsal;
  const [width, height] = [look.type.width(text, font) + 36, 48];
  const at = place(margin.x + safe.width - width, margin.y, width, height);
  const color = REHEARSAL.ground;
  return [
    ...away,
    {
      key: 'rehearsal',
      shape: { kind: 'box', fill: { color, pattern: undefined }, radius: 6 },
      at,
      order: order.mark,
    },
    {
      key: 'rehearsal text',
      shape: {
        kind: 'text',
        lines: [text],
        font,
        lineHeight: height,
        color: REHEARSAL.ink,
        align: 'center',
        isPlain: true,
      },
      at,
      order: order.mark + 0.1,
    },
  ];
}

/** A small mark in the other corner than the panel: the relay is away, and the last values stay. */
function awayPart(safe: Area, margin: { x: number; y: number }, { text }: Theme): Part {
  const size = 44;
  const at = place(margin.x + safe.width - size, margin.y + safe.height - size, size, size);
  return { key: 'away', shape: { kind: 'away', color: text }, at, order: order.mark };
}

/** Fills the screen of a style that is not on air. */
function groundPart({ width, height }: Look, unitPx: number, { plate }: Theme): Part {
  const shape = { kind: 'box', fill: { color: plate, pattern: undefined }, radius: 0 } as const;
  return { key: 'screen', shape, at: place(0, 0, width / unitPx, height / unitPx), order: -1 };
}

/** A low and wide screen scales by its width. */
function unitIn({ width, height }: Look, scale: number): number {
  const whole = scale * Math.max(height / FULL.height, width / FULL.width);
  return Math.max(SMALLEST_UNIT_PX, Math.min(whole, width / COLUMN_WIDTH));
}

/** Moves a part into its panel. Where lines start on the right, the panel is mirrored. */
function shift(part: Part, left: number, width: number, isRtl: boolean): Part {
  const mirrored = (x: number, own: number) => left + (isRtl ? width - x - own : x);
  const { at, from, pivot } = part;
  return {
    ...part,
    at: { ...at, x: mirrored(at.x, at.width) },
    ...(from?.x !== undefined && { from: { ...from, x: mirrored(from.x, from.width ?? at.width) } }),
    ...(pivot && { pivot: [mirrored(pivot[0], 0), pivot[1]] as const }),
  };
}

function platePart(
  x: number,
  y: number,
  { width, height }: Panel,
  { theme: name }: Settings,
  theme: Theme,
): Part {
  const { plate: color, edge, radius } = theme;
  const hasShadow = name === 'dark' || name === 'light';
  return {
    key: 'plate',
    shape: { kind: 'plate', color, edge, radius, hasShadow },
    at: place(x, y, width, height),
    order: order.plate,
    from: { alpha: 0 },
    ms: 300,
  };
}

interface PanelOf {
  readonly poll: PollSnapshot;
  readonly look: Look;
  readonly settings: Settings;
  readonly theme: Theme;
  readonly free: { readonly width: number; readonly height: number };
  readonly nowMs: number;
}

interface Panel {
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
function fitPanel(of: PanelOf): Panel {
  const { settings, free, theme, poll } = of;
  if (styleTraits[settings.style].isStrip && free.width >= COLUMN_SHAPED_BELOW) return layOutStrip(of);
  const answers = Math.min(settings.top ?? Number.POSITIVE_INFINITY, poll.poll_answers.length);
  const asked = settings.width === null ? undefined : (free.width * settings.width) / 100;
  const preferred = styleOf(settings).preferredWidth(answers) + 2 * theme.padding - 68;
  let width = Math.min(free.width, asked ?? preferred);
  const widest = asked === undefined ? Math.max(width, free.width * WIDEST_PANEL) : width;
  let [panel, shrunk, isCompact] = [layOutPanel(of, width, 0, false), 0, false];
  while (width < widest && (!panel.isWhole || panel.titleLines >= LONG_QUESTION)) {
    width = Math.min(widest, width + WIDEN_STEP);
    panel = layOutPanel(of, width, 0, false);
  }
  // Answers that are left out may have room beside the others.
  if (asked === undefined && panel.picture.rows.length < answers && width < free.width) {
    const wide = layOutPanel(of, Math.min(free.width, TWO_COLUMNS + 2 * theme.padding), 0, false);
    if (wide.picture.rows.length > panel.picture.rows.length) [panel, width] = [wide, wide.width];
  }
  if (!panel.isWhole && hasResults(poll) && poll.poll_answers.some(({ votes }) => isLongCount(votes))) {
    isCompact = true;
    panel = layOutPanel(of, width, 0, isCompact);
  }
  while (asked === undefined && panel.cut.length > 0 && width < free.width) {
    width = Math.min(free.width, width + free.width * WIDER);
    panel = layOutPanel(of, width, 0, isCompact);
  }
  while (panel.height > free.height + 1 && shrunk < free.height) {
    shrunk += Math.ceil(panel.height - free.height);
    panel = layOutPanel(of, width, shrunk, isCompact);
  }
  return panel;
}

function styleOf({ style }: Settings): Style {
  return styles[style as Exclude<DrawingStyle, 'code'>];
}

function layOutPanel(
  of: PanelOf,
  width: number,
  shrunk: number,
  isCompactAsked: boolean,
): Panel & { titleLines: number } {
  const { poll, look, settings, theme, free, nowMs } = of;
  const style = styleOf(settings);
  const inner = width - 2 * theme.padding;
  const rest = free.height - 2 * theme.padding - FOOT.height - 2 * GAP - shrunk;
  const answers = poll.poll_answers.slice(0, settings.top ?? undefined).map(({ answer }) => answer);
  const { least, preferred } = style.heights(answers, inner);
  const isCompact = isCompactAsked || width < NARROW_PANEL;
  const task = (picture: Picture, room: Task['room']): Task => ({
    type: look.type,
    theme,
    settings,
    wording: look.wording,
    picture,
    room,
    turn: look.turn,
    around: look.around,
  });
  const headOf = (picture: Picture, room: Task['room']) => ({
    task: task(picture, room),
    state: stateOf(picture, nowMs),
    leftMs: (picture.deadlineMs ?? nowMs) - nowMs,
    logo: settings.logo ? look.logo : undefined,
    title: settings.title ? poll.title : '',
  });
  const first = composePicture(poll, settings, Number.POSITIVE_INFINITY);
  const headRoom = {
    width: inner,
    most: rest - least,
    usual: rest - preferred,
    answerSize: style.answerSize,
    isLow: free.height < LOW_BELOW,
  };
  let head = layOutHead(headOf(first, { width: inner, height: 0, isCompact }), headRoom);
  let body: Body = NOTHING;
  let picture = first;
  // The size of the answers follows from the room that the question leaves, and limits the question.
  let { answerSize } = style;
  for (let pass = 1; pass <= MOST_PASSES; pass++) {
    const room = { width: inner, height: rest - head.height, isCompact };
    picture = composePicture(poll, settings, style.fit(room));
    body = picture.rows.length === 0 ? NOTHING : style.layOut(task(picture, room));
    if (body === NOTHING || body.answerSize === answerSize) break;
    // The last answers limit the question, which only leaves more room then.
    if (pass === MOST_PASSES && body.answerSize > answerSize) break;
    answerSize = body.answerSize;
    head = layOutHead(headOf(picture, room), { ...headRoom, answerSize });
  }
  const foot = layOutFoot(task(picture, { width: inner, height: 0, isCompact }), nowMs);
  const bodyTop = head.height + GAP;
  const footTop = bodyTop + body.height + (foot ? GAP : 0);
  const cut = [...(head.title?.isCut ? ['title'] : []), ...(body.isCut ? ['answers'] : [])];
  return {
    padding: theme.padding,
    turns: body.turns ?? 1,
    width,
    height: 2 * theme.padding + footTop + (foot ? foot.height : 0),
    picture,
    isWhole:
      body.isWhole &&
      isWholeHead(head, settings) &&
      picture.rows.length >= Math.min(answers.length, 1) &&
      free.height >= LOW_BELOW,
    cut,
    titleLines: head.title?.lines[0]?.length ?? 0,
    parts: top => [...head.parts(top), ...body.parts(top + bodyTop), ...(foot?.parts(top + footTop) ?? [])],
  };
}

/** Question, answers and state beside each other. */
function layOutStrip({ poll, look, settings, theme, free, nowMs }: PanelOf): Panel {
  const padding = Math.min(theme.padding, STRIP.padding);
  const width = settings.width === null ? free.width : (free.width * settings.width) / 100;
  const inner = width - 2 * padding;
  const picture = composePicture(poll, settings, Number.POSITIVE_INFINITY);
  const style = styleOf(settings);
  const shared = {
    type: look.type,
    theme,
    settings,
    wording: look.wording,
    picture,
    turn: look.turn,
    around: look.around,
  };
  const whole: Task = { ...shared, room: { width: inner, height: free.height, isCompact: true } };
  const leftMs = (picture.deadlineMs ?? nowMs) - nowMs;
  const pill = layOutPill({ task: whole, state: stateOf(picture, nowMs), leftMs });
  const foot = layOutFoot(
    { ...whole, room: { ...whole.room, width: Math.max(pill.width, inner * STRIP.rest) } },
    nowMs,
    true,
  );
  const endWidth = Math.max(pill.width, foot?.width ?? 0);
  const logo = look.logo && settings.logo ? fitLogo(look.logo.image, inner, free.height) : undefined;
  const start = roomOfLogo(logo);
  const titles = STRIP_TITLES.map(({ share, lines }) =>
    look.type.fit([poll.title], {
      weight: typeScale.title.weight,
      largest: style.answerSize,
      floor: SMALLEST_TEXT,
      width: () => inner * share,
      lines: () => lines,
      isBalanced: true,
    }),
  );
  const title = settings.title ? (titles.find(({ isBroken }) => !isBroken) ?? titles.at(-1)) : undefined;
  const titleWidth = title ? Math.ceil(look.type.widest(title.lines[0]!, title.font)) : 0;
  const titleHeight = title ? title.lines[0]!.length * title.lineHeight : 0;
  const bodyLeft = start + (titleWidth > 0 ? titleWidth + STRIP.gap : 0);
  const room = { width: inner - bodyLeft - endWidth - STRIP.gap, height: free.height, isCompact: true };
  const body = picture.rows.length === 0 ? NOTHING : style.layOut({ ...whole, room });
  const endHeight = pill.height + (foot ? foot.height : 0);
  const content = Math.max(body.height, titleHeight, endHeight, logo?.height ?? 0);
  return {
    padding,
    turns: body.turns ?? 1,
    width,
    height: content + 2 * padding,
    picture,
    isWhole: body.isWhole,
    cut: [...(title?.isCut ? ['title'] : []), ...(body.isCut ? ['answers'] : [])],
    parts(top) {
      const middle = top + content / 2;
      const endTop = middle - endHeight / 2;
      const moved = (parts: readonly Part[], x: number) =>
        parts.map(part => ({ ...part, at: { ...part.at, x: part.at.x + x } }));
      return [
        ...(logo && look.logo ? [logoPart(look.logo, logo, middle - logo.height / 2)] : []),
        ...(title
          ? [titlePart(title, place(start, middle - titleHeight / 2, titleWidth, titleHeight), whole)]
          : []),
        ...moved(body.parts(middle - body.height / 2), bodyLeft),
        ...pill.parts(inner - pill.width, endTop + pill.height / 2),
        ...moved(foot?.parts(endTop + pill.height) ?? [], inner - (foot?.width ?? 0)),
      ];
    },
  };
}

function isWholeHead({ title }: Head, settings: Settings): boolean {
  return title ? title.isWhole : !settings.title;
}

interface Foot {
  readonly width: number;
  readonly height: number;
  parts(top: number): Part[];
}

/** The notes of a picture, and how many answers are left out. */
function layOutFoot(task: Task, nowMs: number, isNarrow = false): Foot | undefined {
  const { type, theme, picture, settings, wording, room } = task;
  const { rows, answers } = picture;
  const colors = { waiting: theme.text, secret: theme.accent, hidden: theme.text };
  const notes = notesOf(picture, settings, wording, nowMs, room.isCompact);
  const isCut = rows.length < answers && !styleTraits[settings.style].showsFew;
  const more = isCut ? [{ key: 'more', text: wording.top(rows.length, answers) }] : [];
  const isClock = ({ key }: { readonly key: string }) => key === 'clock';
  const said = [...notes.filter(note => !isClock(note)), ...more, ...notes.filter(isClock)].map(note => ({
    ...note,
    color: colors[note.key as keyof typeof colors] ?? theme.soft,
  }));
  if (said.length === 0) return undefined;
  const font = typeScale.note;
  let [x, line] = [0, 0];
  const cells = said.map(cell => {
    const width = Math.min(room.width, type.figureWidth(cell.text, font) + 2);
    if (x > 0 && x + width > room.width) {
      x = 0;
      line += 1;
    }
    const at = { ...cell, width, line, x: cell.key === 'clock' && !isNarrow ? room.width - width : x };
    x += width + FOOT.gap;
    return at;
  });
  return {
    width: Math.max(...cells.map(cell => cell.x + cell.width)),
    height: FOOT.height * (line + 1),
    parts: top =>
      cells.map(({ key, text, color, x, width, line }) => ({
        // Total and clock change often, and must not flicker.
        key: key === 'total' || key === 'clock' ? `${key}` : `${key} ${text}`,
        shape:
          key === 'total' || key === 'clock'
            ? {
                kind: 'figure',
                font,
                color,
                align: key === 'clock' ? 'end' : 'start',
                format: formatOf(key, task, text),
              }
            : { kind: 'text', lines: [text], font, lineHeight: FOOT.height, color, align: 'start' },
        at: place(x, top + line * FOOT.height, width, FOOT.height, {
          value: key === 'total' ? picture.totalVotes : 0,
        }),
        order: order.text,
        from: { alpha: 0 },
      })),
  };
}

function formatOf(key: string, { wording, room }: Task, text: string): (value: number) => string {
  return key === 'total' ? value => wording.votes(Math.round(value), room.isCompact) : () => text;
}

const REHEARSAL = { ground: '#ffd25e', ink: '#11141c' };

/** Behind the panel of a still, where an overlay has video. */
export const BACKDROPS = { dark: '#1d2536', light: '#dfe4ee' };
export function backdropOf({ theme }: Settings): string {
  return BACKDROPS[themeTones[theme]];
}
