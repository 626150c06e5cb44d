import { directionOfText } from '../../locales/i18n.ts';
import type { Size } from '../logo-size.ts';
import { effectiveSettings, isFull, isStrap, type Settings } from '../parameters.ts';
import { composePicture, type Picture, type PollSnapshot } from '../picture.ts';
import { styleTraits } from '../styles.ts';
import { groundOf, offAirTheme, resolveTheme, SMALLEST_TEXT, type Theme, themeTones } from '../themes.ts';
import { type Asked, answersOf, isUpright } from './body.ts';
import type { Bounds } from './canvas.ts';
import { ALONE, BESIDE, type CodeCard, layOutCode } from './code.ts';
import { layOutFull } from './full.ts';
import type { Look } from './look.ts';
import { fitPanel } from './panel.ts';
import { box, boxAt, moved, order, type Part, part, platePart, text } from './part.ts';
import { hasCode } from './state.ts';
import { layOutWinner } from './winner.ts';

const FULL = { width: 1920, height: 1080 };
/** A narrow screen scales as if it were at least this wide, so that a line of text fits. */
const COLUMN_WIDTH = 640;
/** An upright one has smaller type from so many answers on, and shows so many without pages. */
const UPRIGHT = { from: 5, to: 20, width: 960 };
/** Keeps the smallest text at 12 CSS pixels. */
const SMALLEST_UNIT_PX = 12 / 28.5;
/** Between the panel and a code beside it. */
const CODE_GAP = 28;
/** The code at the end of a lower third, and below a panel. */
const LOW = { sizes: { ...BESIDE, code: 260 }, words: 'after', width: 510, height: 292 } as const;
/** Below this width a code is above or below the panel instead of beside it. */
const COLUMN_SHAPED_BELOW = 900;
/** Least room for a panel beside or below a code. A code that leaves less gives way. */
const LEAST_PANEL = { width: 480, height: 430, strip: 160 };
/** A picture with nothing but the poll has larger type. */
const LARGE_SCALE = 1.3;

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
  /** Names of texts that have lost letters: `title`, `answers`. */
  readonly cut: readonly string[];
  readonly turns: number;
  readonly hasCode: boolean;
  /** The winner has the picture. */
  readonly isWinner?: true;
}

/**
 * Places the parts of a picture.
 *
 * @param nowMs server time, for what depends on the deadline
 * @param scale of everything, for stills
 */
export function layOut(poll: PollSnapshot, look: Look, nowMs: number, scale = 1): Laid {
  const settings = effectiveSettings(look.settings);
  const { isOffAir } = styleTraits[settings.style];
  const theme = isOffAir ? offAirTheme : resolveTheme(settings);
  const large = isOffAir || isFull(settings) ? LARGE_SCALE : 1;
  const answers = styleTraits[settings.style].showsFew ? 1 : answersOf({ poll, settings }).length;
  const unitPx = unitIn(look, large, answers) * (settings.size / 100) * scale;
  const safe = safeArea(look, settings, unitPx);
  const taken = fills(settings) && isRehearsed(poll, settings) ? REHEARSAL.room : 0;
  const free = { ...safe, y: safe.y + taken, height: safe.height - taken };
  const of = { ...look, poll, settings, theme, free, nowMs, unitPx };
  // An explicit language sets the direction, else the question does.
  const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
  const isRtl = (ownDirection ?? look.wording.direction) === 'rtl';
  const laid =
    settings.style === 'code'
      ? codeAlone(of)
      : isFull(settings)
        ? fullPicture(of, isRtl)
        : panelPicture(of, isRtl);
  return { theme, isRtl, unitPx, ...laid, parts: laid.parts.map(one => ({ ...one, isRtl, theme })) };
}

type Placed = Omit<Laid, 'theme' | 'isRtl' | 'unitPx'>;

/** What is as large as its room. */
const FITTED = { isWhole: true, fits: true, cut: [], turns: 1, hasCode: false } as const;

interface LayOutOf extends Asked {
  /** The picture without its margins. */
  readonly free: Bounds;
  readonly unitPx: number;
}

function safeArea({ width, height }: Look, { margin }: Settings, unitPx: number): Bounds {
  const x = (width * margin) / 100 / unitPx;
  const y = (height * margin) / 100 / unitPx;
  return { x, y, width: width / unitPx - 2 * x, height: height / unitPx - 2 * y };
}

/** What is free before and above a panel, of what is free around it. */
function sharesOf({ align, valign }: Settings) {
  const before = { left: 0, center: 0.5, right: 1 }[align];
  const above = { top: 0, middle: 0.5, bottom: 1 }[valign];
  return { before, above };
}

/** Where a panel of this size begins. */
function cornerOf(settings: Settings, free: Bounds, { width, height }: Size) {
  const { before, above } = sharesOf(settings);
  return { x: free.x + before * (free.width - width), y: free.y + above * (free.height - height) };
}

function codeAlone(of: LayOutOf): Placed {
  const { code, settings, free, unitPx } = of;
  const room = { sizes: ALONE, words: 'within', ...free, unitPx } as const;
  const card = code && layOutCode(code, of, room);
  const corner = card && cornerOf(settings, free, card);
  return {
    parts: corner ? card.parts(corner.x, corner.y) : [],
    picture: undefined,
    ...FITTED,
    hasCode: card !== undefined,
  };
}

function fullPicture(of: LayOutOf, isRtl: boolean): Placed {
  const { settings, theme, free, unitPx } = of;
  const winner = of.winnerFills && of.poll.winner !== 'past' ? layOutWinner(of) : undefined;
  const full = winner ? { ...FITTED, ...winner, isWinner: true as const } : layOutTable(of, unitPx);
  const ground = groundParts(of, groundOf(theme, settings.ground));
  const parts = full.parts.map(one => shift(one, free.x, free.width, isRtl));
  return { ...full, parts: [...ground, ...parts, ...marks(of)] };
}

function layOutTable(of: LayOutOf, unitPx: number): Placed {
  const table = layOutFull(of, unitPx, of.settings.qr !== 'none' && showsCode(of));
  const { padding } = table;
  return { ...table, parts: moved(table.parts(of.free.y + padding), padding), fits: true };
}

/** The panel and its code are placed together. */
function panelPicture(of: LayOutOf, isRtl: boolean): Placed {
  const { settings, theme } = of;
  const { isOffAir } = styleTraits[settings.style];
  const { card, isBeside, taken, free } = codeBeside(of);
  const panel = fitPanel({ ...of, free });
  const code = card ?? { width: 0, height: 0 };
  const whole = isBeside
    ? { width: panel.width + taken, height: Math.max(panel.height, code.height) }
    : { width: Math.max(panel.width, code.width), height: panel.height + taken };
  const { x, y } = isOffAir ? of.free : cornerOf(settings, of.free, whole);
  const { above } = sharesOf(settings);
  const isFirst = card !== undefined && isBeside && settings.qr === 'left';
  const panelX = isFirst ? x + taken : x;
  const panelY = isBeside ? y + above * (whole.height - panel.height) : y;
  const codeX = !isBeside ? x + (whole.width - code.width) / 2 : isFirst ? x : x + panel.width + CODE_GAP;
  const isAsHigh = isStrap(settings) && isBeside;
  const codeY = isAsHigh
    ? y
    : isBeside
      ? y + above * (whole.height - code.height)
      : y + panel.height + CODE_GAP;
  const ground = isOffAir
    ? screenPart(of, theme.plate)
    : platePart('plate', boxAt(panelX, panelY, panel.width, panel.height), settings, theme);
  const inner = panel.width - 2 * panel.padding;
  const inPanel = panel.parts(panelY + panel.padding);
  return {
    parts: [
      ground,
      ...inPanel.map(one => ({ within: 'plate', ...shift(one, panelX + panel.padding, inner, isRtl) })),
      ...(card?.parts(codeX, codeY, isAsHigh ? whole.height : undefined) ?? []),
      ...marks(of),
    ],
    picture: panel.picture,
    isWhole: panel.isWhole,
    fits: panel.height <= free.height + 1,
    cut: panel.cut,
    turns: panel.turns,
    hasCode: card !== undefined,
  };
}

function showsCode({ poll, settings, nowMs, isCodePermanent }: LayOutOf): boolean {
  return hasCode(composePicture(poll, settings, 1), nowMs, isCodePermanent);
}

interface Beside {
  readonly card: CodeCard | undefined;
  readonly isBeside: boolean;
  /** Width or height that code and gap take. */
  readonly taken: number;
  readonly free: Size;
}

/** What a code leaves of the safe area: beside the panel, or below it on a narrow screen. */
function codeBeside(of: LayOutOf): Beside {
  const { code, settings, free: safe, unitPx } = of;
  const { isOffAir, isStrip } = styleTraits[settings.style];
  const nothing = { card: undefined, isBeside: true, taken: 0, free: safe };
  if (!code || settings.qr === 'none' || isOffAir) return nothing;
  if (!showsCode(of)) return nothing;
  const isBelow = safe.width < COLUMN_SHAPED_BELOW || isStrip === true || isUpright(of);
  const room = { sizes: BESIDE, words: 'within', ...safe, unitPx } as const;
  const low = { ...room, ...LOW, width: isUpright(of) ? safe.width : LOW.width };
  const card = layOutCode(code, of, isStrap(settings) || isBelow ? low : room);
  const taken = (isBelow ? card.height : card.width) + CODE_GAP;
  if (isBelow) {
    const free = { width: safe.width, height: safe.height - taken };
    return free.height >= (isStrip ? LEAST_PANEL.strip : LEAST_PANEL.height)
      ? { card, isBeside: false, taken, free }
      : nothing;
  }
  const free = { width: safe.width - taken, height: safe.height };
  return free.width >= LEAST_PANEL.width && card.height <= safe.height
    ? { card, isBeside: true, taken, free }
    : nothing;
}

/** Radius of the corners of a mark. */
const RADIUS = 6;
const AWAY_SIZE = 44;
const REHEARSAL = { ground: '#ffd25e', ink: '#11141c', height: 48, room: 60 };

function fills(settings: Settings): boolean {
  return isFull(settings) || styleTraits[settings.style].isOffAir === true;
}

function isRehearsed(poll: PollSnapshot, settings: Settings): boolean {
  return settings.rehearsal || poll.rehearsal === true;
}

/** The mark of a rehearsal; in the other corner than the panel that of a relay that is away. */
function marks(of: LayOutOf): Part[] {
  const { poll, settings, type, wording, around } = of;
  const { x, y, width, height } = of.free;
  const made: Part[] = [];
  if (around.away && settings.away) {
    const at = boxAt(x + width - AWAY_SIZE, y + height - AWAY_SIZE, AWAY_SIZE, AWAY_SIZE);
    const { text: color } = resolveTheme(settings);
    made.push(part('away', { at, shape: { kind: 'away', color } }, { order: order.mark }));
  }
  if (!isRehearsed(poll, settings)) return made;
  const font = { size: SMALLEST_TEXT, weight: 700 };
  const lines = [wording.phrases.rehearsal];
  const own = type.widest(lines, font) + 36;
  const after = width - own;
  // Above what fills the picture, or in another corner than the panel.
  const isLow = !fills(settings) && settings.valign === 'top';
  const isFirst = !fills(settings) && (isLow || settings.align === 'right');
  const markY = fills(settings) ? y - REHEARSAL.room : isLow ? y + height - REHEARSAL.height : y;
  const at = boxAt(isFirst ? x : x + after, markY, own, REHEARSAL.height);
  const written = { lines, font, color: REHEARSAL.ink, align: 'center', isPlain: true } as const;
  return [
    ...made,
    part('rehearsal', box(at, { color: REHEARSAL.ground }, RADIUS), { order: order.mark }),
    part('rehearsal text', text(at, written), { order: order.mark + 0.1 }),
  ];
}

function screenPart({ width, height, unitPx }: LayOutOf, color: string): Part {
  return part('screen', box(boxAt(0, 0, width / unitPx, height / unitPx), { color }), {
    order: order.screen,
  });
}

/** A color, and over it the image of the show, which covers the picture and is veiled until texts are legible. */
function groundParts(of: LayOutOf, { color, veil, veilAlpha }: ReturnType<typeof groundOf>): Part[] {
  const screen = screenPart(of, color);
  if (!of.ground) return [screen];
  const { image } = of.ground;
  const { width, height } = screen.at;
  const scale = Math.max(width / image.width, height / image.height);
  const wide = image.width * scale;
  const high = image.height * scale;
  const at = boxAt((width - wide) / 2, (height - high) / 2, wide, high);
  const veiled = box({ ...screen.at, alpha: veilAlpha }, { color: veil });
  return [
    screen,
    part('ground image', { at, shape: { kind: 'image', ...of.ground } }, { order: order.image }),
    part('veil', veiled, { order: order.image + 0.1 }),
  ];
}

/** A low and wide screen scales by its width, an upright one by what all answers need. */
function unitIn({ settings, ...size }: Look, scale: number, answers: number): number {
  const { width, height } = size;
  const { from, to } = UPRIGHT;
  // A code leaves half of the room.
  const needed = settings.qr === 'none' || answers <= from ? answers : 2 * answers;
  const many = isUpright(size) && needed > from ? (Math.min(to, needed) - from) / (to - from) : 0;
  const column = COLUMN_WIDTH + many * (UPRIGHT.width - COLUMN_WIDTH);
  const whole = scale * Math.max(height / FULL.height, width / FULL.width);
  return Math.max(SMALLEST_UNIT_PX, Math.min(whole, width / column));
}

/** Moves a part into its panel. Where lines start on the right, the panel is mirrored. */
function shift(part: Part, left: number, width: number, isRtl: boolean): Part {
  const mirrored = (x: number, own: number) => left + (isRtl ? width - x - own : x);
  const { at, from } = part;
  return {
    ...part,
    isContent: true,
    at: { ...at, x: mirrored(at.x, at.width) },
    ...(from?.x !== undefined && { from: { ...from, x: mirrored(from.x, from.width ?? at.width) } }),
  };
}

/** Behind the panel of a still, where an overlay has video. */
const BACKDROPS = { dark: '#1d2536', light: '#dfe4ee' };
export function backdropOf({ theme }: Settings): string {
  return BACKDROPS[themeTones[theme]];
}
