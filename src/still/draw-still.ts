import type { Image } from '@napi-rs/canvas';
import { directionOfText } from '../locales/i18n.ts';
import { fitLogo, LOGO_GAP, type Size } from '../picture/logo-size.ts';
import type { Settings } from '../picture/parameters.ts';
import { composePicture, type Picture, type PollSnapshot } from '../picture/picture.ts';
import { styleTraits } from '../picture/styles.ts';
import { lineHeightOf } from '../picture/text.ts';
import { resolveTheme, type Theme, themeTones, typeScale } from '../picture/themes.ts';
import { isLongCount, OverlayWording } from '../picture/wording.ts';
import { type Body, type DrawnStyle, isBlank, type Room, styles } from './bodies.ts';
import { baselineIn, type CanvasModule, type FittedText, type Font, Pen } from './pen.ts';

/** Everything that a picture depends on. */
export interface Still {
  readonly poll: PollSnapshot;
  readonly settings: Settings;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Of the show that owns the poll. */
  readonly logo?: { readonly file: string; readonly bytes: Uint8Array } | undefined;
}

/** As in `browser/drawing/layout.ts`. */
const FULL = { width: 1920, height: 1080 };
const COLUMN_WIDTH = 640;
const SMALLEST_UNIT_PX = 12 / 28.5;
const FOOT = { height: 38, gap: 24, line: 35.6 };
const GAP = 28;
const NARROW_PANEL = 700;
const COLUMN_SHAPED_BELOW = 900;
const TITLE = { usual: 2, most: 4, air: 70, tracking: -0.02 };
const STRIP_SHARES = [
  { share: 0.22, lines: 2 },
  { share: 0.4, lines: 3 },
];
const STRIP_PADDING = 18;
const LOCK = { path: 'M7 11V7a5 5 0 0 1 10 0v4M5 11h14v10H5z', size: 36, taken: 50, inStrip: 30, gap: 10 };

/** Of the safe area, on each side. */
const MARGIN = 0.05;
/** A picture has few answers more often than not, and no other content: the panel grows while everything in it keeps its size. */
const LARGEST_SCALE = 2;
const SCALE_STEP = 0.125;
/** Behind the panel, where the overlay has video. */
const BACKDROPS = { dark: '#1d2536', light: '#dfe4ee' };
const SHADOW = { color: 'rgba(0,0,0,.4)', blur: 44, y: 8 };

interface Panel {
  readonly width: number;
  readonly height: number;
  /** Nothing had to shrink. */
  readonly isWhole: boolean;
  draw(left: number, top: number): void;
}

/**
 * Draws the panel of an overlay in the middle of a picture, as large as its content allows.
 *
 * @param logo decoded; undefined for none
 * @returns a PNG
 */
export function drawStill(
  { poll, settings, width, height }: Still,
  module: CanvasModule,
  logo?: Image,
): Buffer {
  const canvas = module.createCanvas(width, height);
  const context = canvas.getContext('2d');
  const theme = resolveTheme(settings);
  const wording = new OverlayWording(settings.lang ?? 'en', settings.decimals);
  const ownDirection = settings.lang === null ? directionOfText(poll.title) : undefined;
  const isRtl = (ownDirection ?? wording.direction) === 'rtl';
  context.fillStyle = BACKDROPS[themeTones[settings.theme]];
  context.fillRect(0, 0, width, height);
  const whole = Math.max(height / FULL.height, width / FULL.width);
  const basePx = Math.max(SMALLEST_UNIT_PX, Math.min(whole, width / COLUMN_WIDTH));
  const widths = new Map<string, number>();
  for (let scale = LARGEST_SCALE; ; scale -= SCALE_STEP) {
    const unitPx = basePx * scale;
    const pen = new Pen(context, { theme, isRtl, unitPx }, widths, module);
    const free = { width: (width * (1 - 2 * MARGIN)) / unitPx, height: (height * (1 - 2 * MARGIN)) / unitPx };
    const layOut = new PanelLayout(pen, { poll, settings, wording, logo });
    const panel = scale > 1 ? layOut.whole(free) : layOut.fitted(free);
    if (!panel) continue;
    context.scale(unitPx, unitPx);
    panel.draw((width / unitPx - panel.width) / 2, (height / unitPx - panel.height) / 2);
    if ('rehearsal' in poll) markRehearsal(pen, wording, width / unitPx, height / unitPx);
    return canvas.toBuffer('image/png');
  }
}

function markRehearsal(pen: Pen, wording: OverlayWording, width: number, height: number): void {
  const font = { size: 28.5, weight: 700, tracking: 0.08 };
  const text = wording.phrases.rehearsal;
  const box = { width: pen.width(text, font) + 36, height: font.size * 1.25 + 12 };
  pen.within(width * MARGIN, width * (1 - 2 * MARGIN), () => {
    const x = width * (1 - 2 * MARGIN) - box.width;
    pen.box(x, height * MARGIN, box.width, box.height, 6, '#ffd25e');
    const baseline = height * MARGIN + baselineIn(box.height, font.size);
    pen.write(text, x + 18, baseline, font, { color: '#11141c', isPlain: true });
  });
}

interface Content {
  readonly poll: PollSnapshot;
  readonly settings: Settings;
  readonly wording: OverlayWording;
  readonly logo: Image | undefined;
}

class PanelLayout {
  readonly #pen: Pen;
  readonly #poll: PollSnapshot;
  readonly #settings: Settings;
  readonly #wording: OverlayWording;
  readonly #style: (typeof styles)[DrawnStyle];
  readonly #theme: Theme;
  readonly #logo: Image | undefined;

  constructor(pen: Pen, { poll, settings, wording, logo }: Content) {
    this.#pen = pen;
    this.#poll = poll;
    this.#settings = settings;
    this.#wording = wording;
    this.#logo = logo;
    this.#theme = pen.theme;
    this.#style = styles[settings.style as DrawnStyle];
  }

  /** Returns the panel if nothing has to shrink or to give way. */
  whole(free: Size): Panel | undefined {
    const answers = Math.min(this.#settings.top ?? Number.POSITIVE_INFINITY, this.#poll.poll_answers.length);
    if (this.#style.preferredWidth(answers) > free.width) return undefined;
    const panel = this.#layOut(free, 0, false);
    return panel.isWhole && panel.height <= free.height ? panel : undefined;
  }

  /** Takes height from the body until the panel fits. */
  fitted(free: Size): Panel {
    let panel = this.#layOut(free, 0, false);
    if (!panel.isWhole) panel = this.#layOut(free, 0, true);
    for (let yielded = 0; panel.height > free.height + 1 && yielded < free.height; ) {
      yielded += Math.ceil(panel.height - free.height);
      panel = this.#layOut(free, yielded, true);
    }
    return panel;
  }

  #layOut(free: Size, yielded: number, mayBeCompact: boolean): Panel {
    const isStrip = styleTraits[this.#settings.style].isStrip === true;
    if (isStrip && free.width >= COLUMN_SHAPED_BELOW) return this.#layOutStrip(free);
    const { padding } = this.#theme;
    const { title: showsTitle, top } = this.#settings;
    const inner = free.width - 2 * padding;
    const rest = free.height - 2 * padding - FOOT.height - 32 - yielded;
    const answers = this.#poll.poll_answers.slice(0, top ?? undefined).map(({ answer }) => answer);
    const { least, preferred } = this.#style.heights(answers, inner);
    const { title, logo, height: head } = this.#layOutHead(free.width, rest - GAP, least, preferred);
    const titleHeight = head > 0 ? head + GAP : 0;
    const isCompact = isStrip || free.width < NARROW_PANEL || (mayBeCompact && this.#hasLongCounts());
    const room = { width: inner, height: rest - titleHeight, isCompact };
    const picture = composePicture(this.#poll, this.#settings, this.#style.fit(room));
    const body = this.#layOutBody(picture, room);
    const foot = this.#layOutFoot(picture, inner, isCompact);
    const bodyHeight = body.height > 0 ? body.height + (foot.height > 0 ? GAP : 0) : 0;
    const height =
      2 * padding + titleHeight + bodyHeight + foot.height - (bodyHeight + foot.height > 0 ? 0 : GAP);
    const most = this.#style.fit({ width: Number.MAX_VALUE, height: Number.MAX_VALUE, isCompact });
    const isCut =
      !styleTraits[this.#settings.style].showsFew && picture.rows.length < Math.min(answers.length, most);
    return {
      width: free.width,
      height,
      isWhole: body.isWhole && (title?.isWhole ?? !showsTitle) && !isCut,
      draw: (left, top) => {
        this.#drawPlate(left, top, free.width, height);
        this.#pen.within(left + padding, inner, () => {
          const ink = { color: this.#theme.text };
          const lower = title ? (head - heightOf(title)) / 2 : 0;
          if (title) this.#pen.writeLines(title, 0, 0, top + padding + lower, inner - roomOf(logo), ink);
          if (logo) this.#drawLogo(logo, inner - logo.width, top + padding);
          body.draw(top + padding + titleHeight);
          foot.draw(top + padding + titleHeight + bodyHeight);
        });
      },
    };
  }

  /** The title, and the logo at the end of its first lines. A title whose words would break gets the logo's room. */
  #layOutHead(panelWidth: number, rest: number, least: number, preferred: number) {
    const inner = panelWidth - 2 * this.#theme.padding;
    const fitTitle = (width: number) =>
      this.#settings.title ? this.#fitTitle(width, rest, least, preferred) : undefined;
    const logo = this.#logo && fitLogo(this.#logo, panelWidth, rest - least);
    const beside = fitTitle(inner - roomOf(logo));
    const isBroken = logo !== undefined && beside?.isBroken === true;
    const title = isBroken ? fitTitle(inner) : beside;
    const shown = isBroken ? undefined : logo;
    return { title, logo: shown, height: Math.max(title ? heightOf(title) : 0, shown?.height ?? 0) };
  }

  #drawLogo({ width, height }: Size, x: number, top: number): void {
    this.#pen.context.drawImage(this.#logo!, this.#pen.leftOf(x, width), top, width, height);
  }

  #hasLongCounts(): boolean {
    return 'total_votes' in this.#poll && this.#poll.poll_answers.some(({ votes }) => isLongCount(votes));
  }

  #fitTitle(width: number, rest: number, least: number, preferred: number): FittedText | undefined {
    const { title } = this.#poll;
    const floor = this.#style.answerSize;
    const linesIn = (height: number, size: number) => Math.floor(height / (size * lineHeightOf([title])));
    const lines = (size: number) =>
      Math.min(
        TITLE.most,
        linesIn(rest - least, size),
        Math.max(TITLE.usual, linesIn(rest - preferred - TITLE.air, size)),
      );
    if (lines(floor) < 1) return undefined;
    const { size, weight } = typeScale.title;
    const type = { weight, tracking: TITLE.tracking, largest: Math.max(floor, size), floor };
    return this.#pen.fit([title], { ...type, width: () => width, lines, balanced: true });
  }

  #layOutBody(picture: Picture, room: Room): Body {
    if (picture.rows.length === 0) return { height: 0, isWhole: true, draw() {} };
    const [pen, settings, wording] = [this.#pen, this.#settings, this.#wording];
    return this.#style.layOut({ pen, settings, wording, picture, room });
  }

  /** Title, answers and footer beside each other. */
  #layOutStrip(free: Size): Panel {
    const pen = this.#pen;
    const { padding } = this.#theme;
    // The logo comes first on the line.
    const logo = this.#logo && fitLogo(this.#logo, free.width, free.height);
    const inner = free.width - 2 * padding - roomOf(logo);
    const picture = composePicture(this.#poll, this.#settings, Number.POSITIVE_INFINITY);
    const type = { weight: typeScale.title.weight, tracking: TITLE.tracking, balanced: true };
    const floor = this.#style.answerSize;
    const fitTitle = ({ share, lines }: (typeof STRIP_SHARES)[number]) =>
      pen.fit([this.#poll.title], {
        ...type,
        largest: floor,
        floor,
        width: () => inner * share,
        lines: () => lines,
      });
    const first = fitTitle(STRIP_SHARES[0]!);
    const title = first.isWhole ? first : fitTitle(STRIP_SHARES[1]!);
    const widthOf = (lines: readonly string[], font: Font) =>
      Math.max(0, ...lines.map(line => pen.width(line, font)));
    const titleWidth = this.#settings.title ? Math.ceil(widthOf(title.lines[0]!, title.font)) + GAP : 0;
    const said = this.#cellsOf(picture, true).filter(({ text }) => text !== '');
    const lock = picture.moment === 'hidden' ? LOCK.inStrip + LOCK.gap : 0;
    const cells = said.map(cell => ({ ...cell, ...this.#fitCell(cell.text, inner * 0.24 - lock) }));
    const footWidth = cells.length === 0 ? 0 : Math.max(...cells.map(({ width }) => width)) + lock + GAP;
    const room = { width: inner - titleWidth - footWidth, height: free.height, isCompact: true };
    const body = this.#layOutBody(picture, room);
    const titleHeight = titleWidth > 0 ? heightOf(title) : 0;
    const content = Math.max(body.height, titleHeight, logo?.height ?? 0, cells.length * FOOT.line);
    const height = content + 2 * Math.min(padding, STRIP_PADDING);
    return {
      width: free.width,
      height,
      isWhole: body.isWhole && first.isWhole,
      draw: (left, top) => {
        this.#drawPlate(left, top, free.width, height);
        const middle = top + height / 2;
        if (logo)
          pen.within(left + padding, free.width - 2 * padding, () =>
            this.#drawLogo(logo, 0, middle - logo.height / 2),
          );
        const afterLogo = left + padding + (pen.isRtl ? 0 : roomOf(logo));
        pen.within(afterLogo, inner, () => {
          const ink = { color: this.#theme.text };
          if (titleWidth > 0)
            pen.writeLines(title, 0, 0, middle - heightOf(title) / 2, titleWidth - GAP, ink);
          for (const [at, { text, color }] of cells.entries()) {
            const y =
              middle + (at - cells.length / 2) * FOOT.line + baselineIn(FOOT.line, typeScale.note.size);
            pen.write(text, 0, y, typeScale.note, { color, align: 'end' }, inner);
          }
          const lockMiddle = middle + (0.5 - cells.length / 2) * FOOT.line;
          if (lock > 0) this.#drawLock(inner - cells[0]!.width - lock, lockMiddle, LOCK.inStrip);
        });
        const start = afterLogo + (pen.isRtl ? footWidth : titleWidth);
        pen.within(start, room.width, () => body.draw(middle - body.height / 2));
      },
    };
  }

  /** What the footer says: nothing that depends on time, because a picture is kept. */
  #cellsOf(picture: Picture, isCompact: boolean): { text: string; color: string; isLast?: true }[] {
    const { moment, tie, rows, answers } = picture;
    const { style, total, voided } = this.#settings;
    const [wording, { text, soft }] = [this.#wording, this.#theme];
    const { closed, tie: tied, hidden, upcoming, waiting } = wording.phrases;
    const blank = isBlank(picture);
    const isCut = rows.length < answers && !styleTraits[style].showsFew && !styleTraits[style].isStrip;
    return [
      { text: { hidden, upcoming, waiting, open: '', closed: '' }[moment], color: text },
      {
        text: total && !blank && moment !== 'waiting' ? wording.votes(picture.totalVotes, isCompact) : '',
        color: soft,
      },
      { text: voided && !blank ? wording.voided(picture.voidedVotes, isCompact) : '', color: soft },
      { text: isCut ? wording.top(rows.length, answers) : '', color: soft },
      { text: moment !== 'closed' ? '' : tie ? `${closed} · ${tied}` : closed, color: soft, isLast: true },
    ];
  }

  #fitCell(text: string, width: number): { text: string; width: number } {
    const { size, weight } = typeScale.note;
    const { lines } = this.#pen.fit([text], { weight, largest: size, floor: size, width: () => width });
    const shown = lines[0]?.[0] ?? '';
    return { text: shown, width: this.#pen.width(shown, typeScale.note) };
  }

  #layOutFoot(picture: Picture, inner: number, isCompact: boolean): Pick<Body, 'height' | 'draw'> {
    const lock = picture.moment === 'hidden' ? LOCK.taken : 0;
    const said = this.#cellsOf(picture, isCompact).filter(({ text }) => text !== '');
    let [x, line] = [lock, 0];
    const cells = said.map(cell => {
      const fitted = this.#fitCell(cell.text, inner - lock);
      if (x > lock && x + fitted.width > inner) {
        x = 0;
        line += 1;
      }
      const at = { ...cell, ...fitted, x: cell.isLast ? inner - fitted.width : x, line };
      x += fitted.width + FOOT.gap;
      return at;
    });
    return {
      height: cells.length === 0 ? 0 : Math.max(FOOT.height, (line + 1) * FOOT.line),
      draw: top => {
        const first = line === 0 ? FOOT.height : FOOT.line;
        if (lock > 0) this.#drawLock(0, top + first / 2, LOCK.size);
        for (const { text, color, x, line } of cells) {
          const baseline = top + line * FOOT.line + baselineIn(first, typeScale.note.size);
          this.#pen.write(text, x, baseline, typeScale.note, { color });
        }
      },
    };
  }

  #drawLock(x: number, middle: number, size: number): void {
    const { context, module } = this.#pen;
    context.save();
    context.translate(this.#pen.leftOf(x, size), middle - size / 2);
    context.scale(size / 24, size / 24);
    const stroke = { strokeStyle: this.#theme.accent, lineWidth: 2, lineCap: 'round', lineJoin: 'round' };
    Object.assign(context, stroke);
    context.stroke(new module.Path2D(LOCK.path));
    context.restore();
  }

  #drawPlate(left: number, top: number, width: number, height: number): void {
    const { context, unitPx } = this.#pen;
    const { plate, edge, radius } = this.#theme;
    const { theme } = this.#settings;
    const shadow = {
      shadowColor: SHADOW.color,
      shadowBlur: SHADOW.blur * unitPx,
      shadowOffsetY: SHADOW.y * unitPx,
    };
    context.save();
    if (theme === 'dark' || theme === 'light') Object.assign(context, shadow);
    context.fillStyle = plate;
    context.beginPath();
    context.roundRect(left, top, width, height, radius);
    context.fill();
    context.restore();
    Object.assign(context, { strokeStyle: edge, lineWidth: 1.5 });
    context.beginPath();
    context.roundRect(left + 0.75, top + 0.75, width - 1.5, height - 1.5, Math.max(0, radius - 0.75));
    context.stroke();
  }
}

/** What a logo takes of the line on which it is. */
function roomOf(logo: Size | undefined): number {
  return logo ? logo.width + LOGO_GAP : 0;
}

function heightOf({ font, lines, lineHeight }: FittedText): number {
  return (lines[0]?.length ?? 0) * font.size * lineHeight;
}
