import { directionOfText } from '../../locales/i18n.ts';
import { effectiveSettings, isFull, type Settings } from '../parameters.ts';
import { composePicture, type Picture, type PollSnapshot } from '../picture.ts';
import { styleTraits } from '../styles.ts';
import { groundOf, offAirTheme, resolveTheme, SMALLEST_TEXT, type Theme, themeTones } from '../themes.ts';
import { order, textPart } from './body.ts';
import { type CodeCard, layOutCode } from './code.ts';
import { layOutFull } from './full.ts';
import type { Area, Look } from './look.ts';
import { fitPanel, type Panel } from './panel.ts';
import { type Part, place } from './part.ts';
import { stateOf } from './state.ts';

const FULL = { width: 1920, height: 1080 };
/** A narrow screen scales as if it were at least this wide, so that a line of text fits. */
const COLUMN_WIDTH = 640;
/** Keeps the smallest text at 12 CSS pixels. */
const SMALLEST_UNIT_PX = 12 / 28.5;
/** Between the panel and a code beside it. */
const CODE_GAP = 28;
/** Below this width a code is above or below the panel instead of beside it. */
const COLUMN_SHAPED_BELOW = 900;
/** Least room for a panel beside or below a code. A code that leaves less gives way. */
const LEAST_PANEL = { width: 480, height: 430 };
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
  /** Names of texts that have lost letters: `title`, `answers`, `address`. */
  readonly cut: readonly string[];
  readonly turns: number;
  readonly hasCode: boolean;
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
  const unitPx = unitIn(look, isOffAir || isFull(settings) ? LARGE_SCALE : 1) * (settings.size / 100) * scale;
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
    return {
      ...common,
      parts: card?.parts(x(card.width), y(card.height)) ?? [],
      picture: undefined,
      isWhole: true,
      fits: true,
      cut: card?.isCut ? ['address'] : [],
      turns: 1,
      hasCode: card !== undefined,
    };
  }
  const of = { poll, look, settings, theme, free: safe, nowMs };
  if (isFull(settings)) {
    const isOpen = canVoteIn(composePicture(poll, settings, 1), nowMs);
    const full = layOutFull(of, unitPx, settings.qr !== 'none' && (isOpen || look.isCodePermanent));
    const parts = full.parts(margin.y).map(part => shift(part, margin.x, safe.width, isRtl));
    const ground = groundParts(look, unitPx, groundOf(theme, settings.ground));
    return {
      ...common,
      ...full,
      parts: [...ground, ...parts, ...marks(look, settings, poll, safe, margin)],
      fits: true,
    };
  }
  const beside = codeBeside(look, settings, safe, unitPx, theme);
  const { card } = beside;
  const panel = fitPanel({ ...of, free: beside.free });
  const inner = panel.width - 2 * panel.padding;
  // The panel and its code are placed together.
  const whole = beside.isBeside
    ? { width: panel.width + beside.taken, height: Math.max(panel.height, card?.height ?? 0) }
    : { width: Math.max(panel.width, card?.width ?? 0), height: panel.height + beside.taken };
  const left = isOffAir ? margin.x : x(whole.width);
  const top = isOffAir ? margin.y : y(whole.height);
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
  const isCodeShown = card !== undefined && (canVoteIn(panel.picture, nowMs) || look.isCodePermanent);
  const parts = [
    ...(isOffAir
      ? [screenPart(look, unitPx, theme.plate)]
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

/** Radius of the corners of a mark. */
const RADIUS = 6;

/** The mark of a rehearsal, and of a relay that is away. */
function marks(
  look: Look,
  settings: Settings,
  poll: PollSnapshot,
  safe: Area,
  margin: { x: number; y: number },
): Part[] {
  const away = look.around.away && settings.away ? [awayPart(safe, margin, resolveTheme(settings))] : [];
  const isRehearsal = settings.rehearsal || poll.rehearsal === true;
  if (!isRehearsal) return away;
  const font = { size: SMALLEST_TEXT, weight: 700 };
  const text = look.wording.phrases.rehearsal;
  const width = look.type.width(text, font) + 36;
  const height = 48;
  const after = safe.width - width;
  // The corners of a full picture have its state, so the mark hangs from the middle of its edge.
  const at = isFull(settings)
    ? place(margin.x + after / 2, -RADIUS, width, height)
    : place(margin.x + after, margin.y, width, height);
  const { ground: color, ink } = REHEARSAL;
  const written = {
    lines: [text],
    font,
    lineHeight: height,
    color: ink,
    align: 'center',
    isPlain: true,
  } as const;
  return [
    ...away,
    {
      key: 'rehearsal',
      shape: { kind: 'box', fill: { color, pattern: undefined }, radius: RADIUS },
      at,
      order: order.mark,
    },
    textPart('rehearsal text', written, at, { order: order.mark + 0.1 }),
  ];
}

/** A small mark in the other corner than the panel: the relay is away, and the last values stay. */
function awayPart(safe: Area, margin: { x: number; y: number }, { text }: Theme): Part {
  const size = 44;
  const at = place(margin.x + safe.width - size, margin.y + safe.height - size, size, size);
  return { key: 'away', shape: { kind: 'away', color: text }, at, order: order.mark };
}

function canVoteIn(picture: Picture, nowMs: number): boolean {
  return ['vote', 'last'].includes(stateOf(picture, nowMs));
}

function screenPart({ width, height }: Look, unitPx: number, color: string): Part {
  const shape = { kind: 'box', fill: { color, pattern: undefined }, radius: 0 } as const;
  return { key: 'screen', shape, at: place(0, 0, width / unitPx, height / unitPx), order: order.screen };
}

/** A color, and over it the image of the show, which covers the picture and is veiled until texts are legible. */
function groundParts(
  look: Look,
  unitPx: number,
  { color, veil, veilAlpha }: ReturnType<typeof groundOf>,
): Part[] {
  const screen = screenPart(look, unitPx, color);
  if (!look.ground) return [screen];
  const { image, name } = look.ground;
  const { width, height } = screen.at;
  const scale = Math.max(width / image.width, height / image.height);
  const wide = image.width * scale;
  const high = image.height * scale;
  const fill = { color: veil, pattern: undefined };
  return [
    screen,
    {
      key: 'ground image',
      shape: { kind: 'image', image, name },
      at: place((width - wide) / 2, (height - high) / 2, wide, high),
      order: order.image,
    },
    {
      key: 'veil',
      shape: { kind: 'box', fill, radius: 0 },
      at: place(0, 0, width, height, { alpha: veilAlpha }),
      order: order.image + 0.1,
    },
  ];
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

const REHEARSAL = { ground: '#ffd25e', ink: '#11141c' };

/** Behind the panel of a still, where an overlay has video. */
const BACKDROPS = { dark: '#1d2536', light: '#dfe4ee' };
export function backdropOf({ theme }: Settings): string {
  return BACKDROPS[themeTones[theme]];
}
