import { ServerClock } from '../../client/server-clock.ts';
import type { Bounds, Canvas2D, Image } from '../../picture/draw/canvas.ts';
import { addressParts } from '../../picture/draw/code.ts';
import { Film, type Motion, STILL, times } from '../../picture/draw/film.ts';
import { type Laid, layOut } from '../../picture/draw/lay-out.ts';
import type { Around, Look, VoteCode } from '../../picture/draw/look.ts';
import { type Brush, paint } from '../../picture/draw/paint.ts';
import { entranceDelays, revealMotion } from '../../picture/draw/timing.ts';
import { TypeSetter } from '../../picture/draw/type-setter.ts';
import { effectiveSettings, type Settings } from '../../picture/parameters.ts';
import {
  chatLabelsOf,
  countRevealed,
  Ending,
  hasResults,
  levelled,
  type PollSnapshot,
  soleWinner,
} from '../../picture/picture.ts';
import { styleTraits } from '../../picture/styles.ts';
import { OverlayWording } from '../../picture/wording.ts';
import { describePicture } from './alternative.ts';
import { FaceLoader } from './face-loader.ts';
import { createKeptCanvas } from './kept-canvas.ts';
import { REACH, Shadow } from './shadow.ts';

const SECOND_MS = 1000;
const FRAME_MS = 17;
/** Between two changes of order. */
const ORDER_STAYS_MS = 1_000;
/** How far ink may reach beyond the box of a part, in units: marks of letters, and the growth of a winner. */
const INK = 30;
const FONTS = 'Inter, "Segoe UI", Roboto, "Helvetica Neue", Arial, "Noto Sans", sans-serif';

export interface Scene extends Around {
  /** Undefined before the first results, and after the poll was removed. */
  readonly poll: PollSnapshot | undefined;
  /** Chats of its show count for the poll. */
  readonly takesChat?: boolean | undefined;
  /** Join code of the show, or of the poll without a show. */
  readonly joinCode?: string | undefined;
  /** The code is there before the opening, too. Alone it stays, because it leads to a show's next poll. */
  readonly isCodePermanent?: boolean | undefined;
  /** Milliseconds after which viewers see this picture. A countdown ends for them when the poll closes. */
  readonly delayMs?: number | undefined;
}

/** What follows from the settings alone. */
interface StageStyle {
  readonly settings: Settings;
  readonly speed: number;
  readonly wording: OverlayWording;
  readonly type: TypeSetter;
}

function styleOf(asked: Settings, language: string): StageStyle {
  const settings = effectiveSettings(asked);
  const { font, lang, decimals } = settings;
  const isStill = styleTraits[asked.style].isOffAir || matchMedia('(prefers-reduced-motion: reduce)').matches;
  return {
    settings,
    speed: isStill ? 0 : settings.speed,
    wording: new OverlayWording(lang ?? language, decimals),
    type: new TypeSetter(measuringContext(), font === null ? FONTS : `"${font}", ${FONTS}`),
  };
}

/**
 * Shows the scenes of one overlay on a canvas in `root`, with the same in words for readers of the
 * page. The stage is empty without a poll, and off after `stop()` or some time after the poll
 * closed; it stays up to date meanwhile. The first picture appears without an entrance, so that a
 * reload is not visible.
 */
export class Stage {
  readonly #element: HTMLElement;
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #words: HTMLElement;
  #style: StageStyle;
  readonly #film = new Film();
  readonly #shadows = new Shadow(() => this.#paintAgain());
  readonly #shadow: Brush['shadow'] = (...box) => this.#shadows.draw(...box);
  readonly #resize: ResizeObserver;
  readonly #closing = new AbortController();
  readonly #clock = new ServerClock();
  #observedS: number | undefined;
  readonly #ending = new Ending();
  #scene: Scene | undefined;
  #shown: PollSnapshot | undefined;
  #laid: Laid | undefined;
  /** The last one, while nothing is on air. */
  #before: Laid | undefined;
  #logo: Look['logo'];
  #ground: Look['ground'];
  readonly #faces: FaceLoader;
  #code: VoteCode | undefined;
  #turn = 0;
  /** Ids of the answers in the order on air, and until when it stays, by the page's clock. */
  #order: readonly string[] = [];
  #orderMs = 0;
  /** Until when the winner of a reveal is level with the second place, by the page's clock. */
  #levelMs = 0;
  /** When the marked winner takes all of a full picture, by the page's clock; undefined without one. */
  #winnerMs: number | undefined;
  /** When the last entrance, reveal or step of one ends, by the page's clock. */
  #enteredMs = 0;
  #isPlaying = true;
  #isOn = false;
  readonly #awaited = new WeakSet<FontFace>();
  #paintedMs = 0;
  /** The canvas, in device pixels from the corner of the stage. */
  #box = { key: '', left: 0, top: 0 };
  #frame: number | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #turnTimer: ReturnType<typeof setInterval> | undefined;

  /** @param relay from which the pictures of answers come */
  constructor(root: ParentNode, asked: Settings, language: string, relay: string) {
    this.#style = styleOf(asked, language);
    this.#faces = new FaceLoader(relay);
    this.#faces.onChange = () => this.#paintAgain();
    this.#element = document.createElement('main');
    this.#element.className = 'tallycast';
    this.#element.lang = this.#style.wording.language;
    this.#canvas = document.createElement('canvas');
    this.#canvas.setAttribute('aria-hidden', 'true');
    this.#words = document.createElement('div');
    this.#words.className = 'words';
    this.#element.append(this.#canvas, this.#words);
    root.append(this.#element);
    this.#context = this.#canvas.getContext('2d')!;
    this.#resize = new ResizeObserver(() => this.#drawAgain());
    this.#resize.observe(this.#element);
    const { signal } = this.#closing;
    document.fonts.addEventListener('loadingdone', this.#onFont, { signal });
    this.#canvas.addEventListener('contextrestored', () => this.#paintAgain(), { signal });
    // Timers wait in a page that is hidden, so its countdown is late.
    document.addEventListener('visibilitychange', () => this.#draw('change'), { signal });
    this.#watchScale();
  }

  /** @param still without motion */
  show(scene: Scene, still = false): void {
    const before = this.#scene;
    const { poll, away } = scene;
    // A scene that is drawn again, or was stored, does not tell the time.
    if (!away && poll && 'timestamp' in poll && poll.timestamp !== this.#observedS) {
      this.#observedS = poll.timestamp;
      this.#clock.observe(poll.timestamp * SECOND_MS);
    }
    this.#scene = { ...scene, poll: poll && this.#withStillFigures(poll, scene.delayMs ?? 0) };
    this.#draw(before === undefined || still ? 'still' : this.#kindTo(poll));
  }

  showCode(code: VoteCode): void {
    this.#code = code;
    this.#drawAgain();
  }

  /** @param image decoded; undefined for none */
  showLogo(image: HTMLImageElement | undefined): void {
    this.#logo = image && { image: drawable(image), name: image.src };
    this.#drawAgain();
  }

  /** @param image decoded; undefined for none */
  showGround(image: HTMLImageElement | undefined): void {
    this.#ground = image && { image: scaledOnce(image, () => this.#paintAgain()), name: image.src };
    this.#drawAgain();
  }

  /** Takes other settings, for the next picture. */
  restyle(asked: Settings, language: string): void {
    this.#style = styleOf(asked, language);
    this.#element.lang = this.#style.wording.language;
    this.#turn = 0;
    clearInterval(this.#turnTimer);
    this.#turnTimer = undefined;
  }

  /** Enters after `stop()`. A new stage is on already. */
  play(still = false): void {
    this.#isPlaying = true;
    this.#draw(still ? 'still' : 'enter');
  }

  /** Leaves until `play()`. */
  stop(still = false): void {
    this.#isPlaying = false;
    this.#draw(still ? 'still' : 'change');
  }

  /** Repeats the reveal of visible results, from the last place to the first. */
  reveal(): void {
    const moment = this.#laid?.picture?.moment;
    if ((moment === 'open' || moment === 'closed') && this.#style.settings.reveal === 'rise')
      this.#draw('reveal');
  }

  /** Milliseconds until nothing moves. */
  get restMs(): number {
    return Math.max(this.#revealRestMs, this.#film.endMs - performance.now());
  }

  /** Milliseconds until an entrance or a reveal is over, whatever else moves. */
  get #revealRestMs(): number {
    const nowMs = performance.now();
    // The winner of a reveal has yet to go on.
    const levelMs = this.#levelMs > 0 ? Math.max(1, this.#levelMs - nowMs) : 0;
    return Math.max(levelMs, (this.#winnerMs ?? 0) - nowMs, this.#enteredMs - nowMs);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#levelMs = 0;
    clearInterval(this.#turnTimer);
    this.#rest();
    this.#resize.disconnect();
    this.#faces.close();
    this.#closing.abort();
    this.#element.remove();
  }

  /** Late votes come with the final results: until then, figures stand as they did at the end on air. */
  #withStillFigures(poll: PollSnapshot, lateMs: number): PollSnapshot {
    const shown = this.#shown;
    const airMs = Date.parse(poll.deadline ?? '') - lateMs;
    const isLate = poll.status === 'open' && lateMs > 0 && airMs <= this.#clock.now();
    if (!isLate || shown?.id !== poll.id || shown.round !== poll.round) return poll;
    if (!hasResults(poll) || !hasResults(shown)) return poll;
    const { poll_answers, total_votes, total_voters, by_source, voided_votes } = shown;
    return { ...poll, poll_answers, total_votes, total_voters, by_source, voided_votes };
  }

  #kindTo(poll: PollSnapshot | undefined): Motion['kind'] {
    const shown = this.#shown;
    if (!poll || !shown || shown.id !== poll.id || shown.round !== poll.round) return 'enter';
    const isRevealed =
      !hasResults(shown) && shown.status !== 'upcoming' && countRevealed(poll) > countRevealed(shown);
    if (!isRevealed) return 'change';
    return this.#style.settings.reveal === 'rise' ? 'reveal' : 'still';
  }

  /** How the picture that is laid out replaces the one before. */
  #motionOf(kind: Motion['kind'], before: Laid | undefined): Motion {
    const speed = this.#style.speed;
    if (speed === 0 || kind === 'still') return STILL;
    const ms = this.#laid?.isWinner === before?.isWinner ? undefined : times.grow;
    if (kind === 'change' || kind === 'redraw') return { kind, speed, ms };
    const picture = this.#laid?.picture;
    if (kind === 'reveal') {
      const pauseMs = this.#style.settings.reveal_pause * SECOND_MS;
      const { motion, holdMs } = revealMotion(before?.picture, picture, speed, pauseMs);
      if (this.#levelMs > 0) this.#levelMs = performance.now() + holdMs;
      return motion;
    }
    const delays = entranceDelays(picture?.rows ?? [], speed);
    return { kind, speed, delayMs: row => delays.get(row) ?? 0 };
  }

  readonly #onFont = (): void => {
    this.#style.type.forget();
    this.#drawAgain();
  };

  /** WebKit has no event for a font that a canvas has made it load. */
  async #awaitFonts(): Promise<void> {
    const coming = [...document.fonts].filter(face => face.status === 'loading' && !this.#awaited.has(face));
    if (coming.length === 0) return;
    for (const face of coming) this.#awaited.add(face);
    await Promise.allSettled(coming.map(face => face.loaded));
    if (this.#element.isConnected) this.#onFont();
  }

  /** On a display of another scale the stage has other pixels, and may have the same size. */
  #watchScale(): void {
    const { signal } = this.#closing;
    const onOther = () => {
      this.#watchScale();
      this.#paint();
    };
    matchMedia(`(resolution: ${devicePixelRatio}dppx)`).addEventListener('change', onOther, {
      once: true,
      signal,
    });
  }

  /** What arrives late or changes its size interrupts no motion. */
  #drawAgain(): void {
    this.#draw('redraw');
  }

  /** Makes the canvas as large as what is drawn on it: a browser without a GPU copies all of it at each frame. */
  #fitCanvas(nowMs: number): boolean {
    const bounds = this.#film.boundsAt(nowMs);
    const ratio = devicePixelRatio;
    const unitPx = ((this.#laid ?? this.#before)?.unitPx ?? 1) * ratio;
    /** Where a side of the canvas is within the stage, in device pixels. */
    const edge = (at: number, stagePx: number) =>
      Math.max(0, Math.min(Math.round(stagePx * ratio), Math.round(at * unitPx)));
    const { clientWidth, clientHeight } = this.#element;
    const { x, y, width: wide, height: high } = bounds ?? { x: 0, y: 0, width: 0, height: 0 };
    const left = edge(x - REACH, clientWidth);
    const top = edge(y - REACH, clientHeight);
    const width = bounds ? edge(x + wide + REACH, clientWidth) - left : 0;
    const height = bounds ? edge(y + high + REACH, clientHeight) - top : 0;
    const key = `${left} ${top} ${width} ${height} ${ratio}`;
    if (key === this.#box.key) return false;
    this.#box = { key, left, top };
    Object.assign(this.#canvas, { width, height });
    const { style } = this.#canvas;
    for (const [name, px] of Object.entries({ left, top, width, height }))
      style.setProperty(name, `${px / ratio}px`);
    return true;
  }

  /** Lays out the latest scene, and moves to it. */
  #draw(kind: Motion['kind']): void {
    const { poll } = this.#scene ?? {};
    // What is new is on the first page, and a reveal begins there.
    if (kind === 'reveal' || poll?.id !== this.#shown?.id || poll?.status !== this.#shown?.status)
      this.#turn = 0;
    const nowMs = this.#clock.now();
    const seenMs = this.#seenMs(nowMs);
    const frameMs = performance.now();
    const leaveMs = this.#leaveMs(nowMs);
    const isLacking = this.#style.settings.style === 'code' && !this.#code;
    const isOn =
      this.#isPlaying && poll !== undefined && !isLacking && !(leaveMs !== undefined && nowMs >= leaveMs);
    const before = this.#laid;
    const look = this.#look();
    const goesOn = kind === 'change' || kind === 'redraw';
    const isReveal = kind === 'reveal' && this.#style.speed > 0;
    const isLevel = isReveal || (isOn && goesOn && frameMs < this.#levelMs);
    const level =
      poll && isLevel ? levelled(poll, isReveal ? this.#shown?.revealed_from : undefined) : undefined;
    if (!level) this.#levelMs = 0;
    else if (isReveal) this.#levelMs = Number.POSITIVE_INFINITY;
    // A change of order stands for a moment before the next one.
    const order = goesOn && poll?.status === 'open' && frameMs < this.#orderMs ? this.#order : undefined;
    const shown = level ?? poll;
    const isAtOnce = kind === 'still' || kind === 'enter' || this.#style.speed === 0;
    const winnerFills = isAtOnce || (goesOn && frameMs >= (this.#winnerMs ?? Number.POSITIVE_INFINITY));
    this.#laid = shown && !isLacking ? layOut(shown, { ...look, order, winnerFills }, seenMs) : undefined;
    this.#order = this.#laid?.picture?.rows.map(({ id }) => id) ?? [];
    const isOver = this.#isOn !== isOn && kind === 'change';
    const motion = this.#motionOf(isOver ? 'enter' : kind, before);
    this.#film.show(isOn ? (this.#laid?.parts ?? []) : [], frameMs, motion);
    if (kind === 'reveal' || motion.kind === 'enter') this.#enteredMs = this.#film.endMs;
    if (!this.#laid?.picture || !soleWinner(this.#laid.picture)) this.#winnerMs = undefined;
    else if (winnerFills) this.#winnerMs = frameMs;
    else if (isReveal) this.#winnerMs = this.#film.markedMs;
    else this.#winnerMs ??= this.#film.markedMs;
    if (this.#film.passedMs > frameMs) this.#orderMs = this.#film.passedMs + ORDER_STAYS_MS;
    this.#isOn = isOn;
    this.#shown = poll;
    this.#describe(isOn ? poll : undefined, look, seenMs);
    this.#reportCuts();
    this.#takeTurns();
    this.#paint(true);
    this.#awaitFonts().catch(() => {});
    this.#tick(nowMs, frameMs, leaveMs);
  }

  /** When viewers see what is drawn now, by the server's clock. */
  #seenMs(nowMs: number): number {
    return nowMs + (this.#scene?.delayMs ?? 0);
  }

  #look(): Look {
    const { clientWidth: width, clientHeight: height } = this.#element;
    const { away = false, next, takesChat, poll, joinCode, delayMs: lateMs } = this.#scene ?? {};
    const isCodePermanent = this.#scene?.isCodePermanent ?? false;
    const code = this.#code && { ...this.#code, joinCode };
    const canJoin = code?.joinCode !== undefined && (isCodePermanent || poll?.status !== 'closed');
    return {
      ...this.#style,
      width: width || 1920,
      height: height || 1080,
      logo: this.#logo,
      ground: this.#ground,
      code,
      isCodePermanent,
      around: {
        away,
        next,
        lateMs,
        chatLabels: takesChat && poll ? chatLabelsOf(poll) : undefined,
        joinWords: canJoin ? addressParts(code).join(' · ') : undefined,
      },
      turn: this.#turn,
    };
  }

  /** Draws what has come or was lost. A canvas may report its loss after another is restored. */
  #paintAgain(): void {
    if (!this.#closing.signal.aborted) this.#paint(true);
  }

  /**
   * Draws a frame now, and the next one while anything moves.
   *
   * @param isWhole a new picture, not only what moves in it
   */
  #paint(isWhole = false): void {
    this.#rest();
    const nowMs = performance.now();
    const isResized = this.#fitCanvas(nowMs);
    const moved = this.#film.movedBetween(this.#paintedMs, nowMs);
    this.#paintedMs = nowMs;
    // What leaves the air is drawn as it was.
    const laid = this.#laid ?? this.#before;
    this.#before = laid;
    if (laid && (isWhole || isResized)) this.#paintBox(laid, nowMs, undefined);
    else if (laid && moved) this.#paintBox(laid, nowMs, moved);
    const nextMs = this.#film.nextMs(nowMs);
    if (nextMs - nowMs < FRAME_MS) this.#frame = requestAnimationFrame(() => this.#paint());
    else if (nextMs < Number.POSITIVE_INFINITY) this.#pause = setTimeout(() => this.#paint(), nextMs - nowMs);
  }

  /** @param moved what to draw, in units; undefined for all */
  #paintBox({ unitPx: unit }: Laid, nowMs: number, moved: Bounds | undefined): void {
    const context = this.#context;
    const unitPx = unit * devicePixelRatio;
    const { left, top } = this.#box;
    const width = this.#canvas.width;
    const height = this.#canvas.height;
    context.save();
    if (moved) {
      const [x, y] = [
        Math.floor((moved.x - INK) * unitPx) - left,
        Math.floor((moved.y - INK) * unitPx) - top,
      ];
      context.beginPath();
      context.rect(
        x,
        y,
        Math.ceil((moved.width + 2 * INK) * unitPx) + 1,
        Math.ceil((moved.height + 2 * INK) * unitPx) + 1,
      );
      context.clip();
    }
    context.clearRect(0, 0, width, height);
    context.setTransform(unitPx, 0, 0, unitPx, -left, -top);
    const parts = this.#film
      .at(nowMs)
      .filter(({ at, part }) => !moved || part.shape.kind === 'plate' || isNear(at, moved));
    paint(context as Canvas2D, parts, {
      type: this.#style.type,
      unitPx,
      shadow: this.#shadow,
      faces: this.#faces.find,
    });
    context.restore();
  }

  #rest(): void {
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
    this.#frame = undefined;
    clearTimeout(this.#pause);
  }

  #describe(poll: PollSnapshot | undefined, { around, code }: Look, seenMs: number): void {
    const { style, theme } = this.#style.settings;
    const isOn = poll !== undefined;
    const nameIn = (key: string, image: Look['logo']) =>
      (isOn && this.#laid?.parts.some(part => part.key === key) && image?.name) || '';
    const logo = nameIn('logo', this.#logo);
    const ground = nameIn('ground image', this.#ground);
    Object.assign(this.#element.dataset, { style, theme, on: `${isOn}`, logo, ground });
    const shown = {
      picture: this.#laid?.picture,
      settings: this.#style.settings,
      wording: this.#style.wording,
      around,
      code: this.#laid?.hasCode ? code : undefined,
      nowMs: seenMs,
    };
    this.#words.replaceChildren(...(poll && this.#laid ? describePicture({ poll, ...shown }) : []));
  }

  /** Writes which texts have lost letters into `data-cut`, and dispatches `tallycast-cut` when that changes. */
  #reportCuts(): void {
    const names = (this.#laid?.cut ?? []).join(' ');
    if (names === (this.#element.dataset['cut'] ?? '')) return;
    this.#element.dataset['cut'] = names;
    const options = { detail: names, bubbles: true, composed: true };
    this.#element.dispatchEvent(new CustomEvent('tallycast-cut', options));
  }

  #takeTurns(): void {
    const isTurning = (this.#laid?.turns ?? 1) > 1;
    if (isTurning === (this.#turnTimer !== undefined)) return;
    clearInterval(this.#turnTimer);
    this.#turnTimer = undefined;
    if (!isTurning) return;
    this.#turnTimer = setInterval(() => {
      // Votes that come in move all the time.
      if (this.#revealRestMs > 0) return;
      this.#turn += 1;
      this.#draw('change');
    }, this.#style.settings.turn * SECOND_MS);
  }

  /** Draws again when something that depends on the time changes, and only then. */
  #tick(nowMs: number, frameMs: number, leaveMs: number | undefined): void {
    clearTimeout(this.#timer);
    // What this frame holds back may be due already: drawing takes time.
    const heldMs = [this.#levelMs, this.#winnerMs ?? 0, this.#orderMs].filter(untilMs => untilMs > frameMs);
    const delaysMs = heldMs.map(untilMs => Math.ceil(untilMs - performance.now()));
    const { deadlineMs, isOpen } = this.#laid?.picture ?? {};
    const leftMs = isOpen && typeof deadlineMs === 'number' ? deadlineMs - this.#seenMs(nowMs) : 0;
    /** Late votes are counted down after the end on air. */
    const untilMs = leftMs > 0 ? leftMs : leftMs + (this.#scene?.delayMs ?? 0);
    if (leaveMs !== undefined && leaveMs > nowMs) delaysMs.push(leaveMs - nowMs);
    else if (isOpen && typeof deadlineMs === 'number' && untilMs > 0)
      delaysMs.push((untilMs % SECOND_MS) + 1);
    const delayMs = Math.min(...delaysMs);
    if (delayMs < Number.POSITIVE_INFINITY) this.#timer = setTimeout(() => this.#draw('change'), delayMs);
  }

  /** Returns when the stage turns off: `hide` seconds after the end, or at the end where it is only a code. */
  #leaveMs(nowMs: number): number | undefined {
    const endedMs = this.#ending.observe(this.#scene?.poll, nowMs);
    const isSpent = this.#style.settings.style === 'code' && !this.#scene?.isCodePermanent;
    if (endedMs === undefined || isSpent) return endedMs;
    const { hide } = this.#style.settings;
    return hide === 0 ? undefined : endedMs + hide * SECOND_MS;
  }
}

function isNear(at: Bounds, { x, y, width, height }: Bounds): boolean {
  const near = INK * 2;
  return (
    at.x < x + width + near &&
    at.x + at.width > x - near &&
    at.y < y + height + near &&
    at.y + at.height > y - near
  );
}

function measuringContext(): Canvas2D {
  return document.createElement('canvas').getContext('2d') as Canvas2D;
}

/** Keeps the image in the size that was drawn last: scaling a photograph takes longer than a frame. */
function scaledOnce(image: HTMLImageElement, onLost: () => void): Image {
  let kept: HTMLCanvasElement | undefined;
  return {
    ...drawable(image),
    draw(context, x, y, width, height) {
      const { a: unitPx } = (context as CanvasRenderingContext2D).getTransform();
      const widePx = Math.round(width * unitPx);
      const highPx = Math.round(height * unitPx);
      if (kept?.width !== widePx || kept.height !== highPx) {
        kept = createKeptCanvas(widePx, highPx, () => {
          kept = undefined;
          onLost();
        });
        kept.getContext('2d')!.drawImage(image, 0, 0, widePx, highPx);
      }
      (context as CanvasRenderingContext2D).drawImage(kept, x, y, width, height);
    },
  };
}

function drawable(image: HTMLImageElement): Image {
  return {
    width: image.naturalWidth,
    height: image.naturalHeight,
    draw: (context, x, y, width, height) =>
      (context as CanvasRenderingContext2D).drawImage(image, x, y, width, height),
  };
}
