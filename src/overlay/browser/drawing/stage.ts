import { ServerClock } from '../../../client/server-clock.ts';
import { resolveTheme, type Theme } from '../../look/themes.ts';
import type { DrawingStyle } from '../../parameter/parameters.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import { directionOfText } from '../../picture/phrases.ts';
import { composePicture, Ending, type Picture, type PollSnapshot } from '../../picture/picture.ts';
import { createWording, type Wording } from '../../picture/wording.ts';
import { createBars } from './bars.ts';
import { createBigNumber } from './big-number.ts';
import { applyTheme, type Canvas, measureCanvas, prefersStillness } from './canvas.ts';
import { createColumns } from './columns.ts';
import { createDonut } from './donut.ts';
import type { Drawing, DrawingFactory, Room } from './drawing.ts';
import { addElement, setStyle, setText } from './element.ts';
import { Figures } from './figures.ts';
import { forgetFits } from './fit-text.ts';
import { Panel } from './panel.ts';
import { createTicker } from './ticker.ts';
import { createVersus } from './versus.ts';

/** How long a change takes at speed 1. */
const CHANGE_MS = 350;
const SECOND_MS = 1000;
/** The footer and the two gaps of the panel, as `panel.css` has them. */
const FOOT_HEIGHT = 62;
/** In a narrow panel the footer may take a second line. */
const NARROW_PANEL = 700;
const SECOND_LINE = 36;
const TITLE_GAP = 24;
/** In units: what stood side by side stands on top of each other below this. */
const COLUMN_SHAPED_BELOW = 900;

const drawings: Readonly<Record<DrawingStyle, DrawingFactory>> = {
  bars: createBars,
  columns: createColumns,
  donut: createDonut,
  versus: createVersus,
  ticker: createTicker,
  'big-number': createBigNumber,
};

/** What there is to show. */
export interface Scene {
  /** Undefined until something was heard, and again when the poll is gone: nothing on air. */
  readonly poll: PollSnapshot | undefined;
  /** The relay is away, or has lost its engine: what is shown may be old. */
  readonly away: boolean;
}

/**
 * Draws the scenes of one overlay into `root`. States: empty until the first scene and whenever nothing is
 * known; on, drawn and moving; off, after `stop()` or some time after the end, faded out but kept up to date.
 * The first picture of a poll stands at once: an overlay that is loaded again must not play an entrance.
 */
export class Stage {
  readonly #element: HTMLElement;
  readonly #settings: Settings;
  readonly #theme: Theme;
  readonly #wording: Wording;
  readonly #figures = new Figures();
  readonly #panel: Panel;
  /** Says that the votes are simulated. */
  readonly #mark: HTMLElement;
  readonly #drawing: Drawing;
  readonly #clock = new ServerClock();
  readonly #ending = new Ending();
  readonly #resize: ResizeObserver;
  #canvas: Canvas;
  #scene: Scene = { poll: undefined, away: false };
  #picture: Picture | undefined;
  #room: Room = { width: 0, height: 0 };
  #laidOut = '';
  #timer: ReturnType<typeof setTimeout> | undefined;
  #playing = true;

  constructor(root: ParentNode, settings: Settings, language: string) {
    this.#settings = settings;
    this.#theme = resolveTheme(settings);
    this.#wording = createWording(settings.lang ?? language, settings.decimals);
    this.#element = addElement(
      root,
      'div',
      `tallycast style-${settings.style} theme-${settings.theme} empty still`,
    );
    this.#element.dir = this.#wording.direction;
    this.#element.lang = this.#wording.language;
    Object.assign(this.#element.dataset, { align: settings.align, valign: settings.valign });
    applyTheme(this.#element, this.#theme, settings);
    const durationMs = settings.speed === 0 || prefersStillness() ? 0 : CHANGE_MS / settings.speed;
    this.#figures.setDuration(durationMs);
    setStyle(this.#element, '--change', `${durationMs}ms`);
    this.#panel = new Panel(this.#element, settings, this.#wording, this.#figures);
    this.#drawing = drawings[settings.style](this.#panel.body, {
      settings,
      wording: this.#wording,
      figures: this.#figures,
    });
    this.#mark = addElement(this.#element, 'div', 'rehearsal');
    this.#canvas = measureCanvas(this.#element, settings);
    this.#resize = new ResizeObserver(() => this.#onResize());
    this.#resize.observe(this.#element);
    // What was fitted with the letters of another font is fitted again.
    document.fonts.addEventListener('loadingdone', this.#onFont);
  }

  show(scene: Scene): void {
    const before = this.#scene.poll;
    this.#scene = scene;
    const { poll } = scene;
    const isOther = poll?.id !== before?.id;
    if (poll && 'timestamp' in poll) this.#clock.observe(poll.timestamp * SECOND_MS);
    this.#element.classList.toggle('empty', poll === undefined);
    this.#element.classList.toggle('relay-away', scene.away);
    const isRehearsal = this.#settings.rehearsal || (poll && 'rehearsal' in poll);
    setText(this.#mark, isRehearsal ? 'REHEARSAL' : '');
    if (poll) this.#draw(poll, isOther);
    else this.#picture = undefined;
    this.#tick();
  }

  /** Fades in. An overlay plays by itself; a playout server may stop and play it. */
  play(still = false): void {
    this.#setPlaying(true, still);
  }

  /** Fades out, and stays out until `play()`. */
  stop(still = false): void {
    this.#setPlaying(false, still);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#resize.disconnect();
    document.fonts.removeEventListener('loadingdone', this.#onFont);
    this.#figures.close();
    this.#drawing.close?.();
    this.#element.remove();
  }

  #draw(poll: PollSnapshot, still: boolean): void {
    if (still) this.#element.classList.add('still');
    this.#layOut(poll);
    const picture = composePicture(poll, this.#settings, this.#drawing.fit(this.#room));
    this.#picture = picture;
    this.#panel.draw(picture, still);
    this.#panel.drawClock(picture, this.#clock.now());
    this.#drawing.draw(picture, this.#room, still);
    if (still) this.#allowMotion();
  }

  #setPlaying(playing: boolean, still: boolean): void {
    this.#playing = playing;
    if (still) this.#element.classList.add('still');
    this.#tick();
    if (still) this.#allowMotion();
  }

  #allowMotion(): void {
    // The browser has to take in the still picture first.
    this.#element.getBoundingClientRect();
    this.#element.classList.remove('still');
  }

  /** Measuring costs a layout, so it is done again only where something changed that matters to it. */
  #layOut(poll: PollSnapshot): void {
    const { width, height, unitPx } = this.#canvas;
    const key = [width, height, poll.poll_answers.length, poll.title].join(' ');
    if (key === this.#laidOut) return;
    this.#laidOut = key;
    // Whoever asks for a language gets its layout; else a poll is laid out as its title is read.
    const ownDirection = this.#settings.lang === null ? directionOfText(poll.title) : undefined;
    this.#element.dir = ownDirection ?? this.#wording.direction;
    this.#element.classList.toggle('column-shaped', width < COLUMN_SHAPED_BELOW);
    const answers = Math.min(poll.poll_answers.length, this.#settings.top ?? Number.POSITIVE_INFINITY);
    const asked = this.#settings.width;
    const panelWidth = asked === null ? this.#drawing.preferredWidth(answers) : (width * asked) / 100;
    const outer = Math.min(width, panelWidth);
    const titleHeight = this.#panel.layOut(poll.title, outer) / unitPx;
    const around = 2 * this.#theme.padding;
    const title = titleHeight > 0 ? titleHeight + TITLE_GAP : 0;
    const foot = outer < NARROW_PANEL ? FOOT_HEIGHT + SECOND_LINE : FOOT_HEIGHT;
    this.#room = { width: outer - around, height: height - around - title - foot };
  }

  readonly #onFont = (): void => {
    forgetFits(this.#element);
    this.#laidOut = '';
    if (this.#scene.poll) this.#draw(this.#scene.poll, true);
  };

  #onResize(): void {
    this.#canvas = measureCanvas(this.#element, this.#settings);
    if (this.#scene.poll) this.#draw(this.#scene.poll, true);
  }

  /** What changes with the time alone; asks for its own next call only while something does. */
  #tick(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#clock.now();
    const endedMs = this.#ending.observe(this.#scene.poll, nowMs);
    const leaveMs =
      endedMs === undefined || this.#settings.hide === 0
        ? undefined
        : endedMs + this.#settings.hide * SECOND_MS;
    this.#element.classList.toggle('off', !this.#playing || (leaveMs !== undefined && nowMs >= leaveMs));
    if (!this.#picture) return;
    this.#panel.drawClock(this.#picture, nowMs);
    const { deadlineMs, moment } = this.#picture;
    if (leaveMs !== undefined && leaveMs > nowMs) this.#callAgain(leaveMs - nowMs);
    else if (moment !== 'closed' && deadlineMs !== null && deadlineMs > nowMs) {
      this.#callAgain(((deadlineMs - nowMs) % SECOND_MS) + 1);
    }
  }

  #callAgain(inMs: number): void {
    this.#timer = setTimeout(() => this.#tick(), inMs);
  }
}
