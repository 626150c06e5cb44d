import { ServerClock } from '../../../client/server-clock.ts';
import { effectiveSettings, type Settings } from '../../../picture/parameters.ts';
import { composePicture, Ending, type Picture, type PollSnapshot } from '../../../picture/picture.ts';
import { rowVariables } from '../../../picture/row-look.ts';
import { styleTraits } from '../../../picture/styles.ts';
import { offAirTheme, onAccent, resolveTheme, type Theme, typeScale } from '../../../picture/themes.ts';
import { OverlayWording } from '../../../picture/wording.ts';
import type { CodeCard, VoteCode } from './code-card.ts';
import type { Drawing, Surroundings } from './drawing.ts';
import { addElement, setStyle, setText, units } from './element.ts';
import { Figures } from './figures.ts';
import { forgetFits } from './fit-text.ts';
import { Layout } from './layout.ts';
import {
  change,
  entrance,
  entranceMs,
  HeightTransition,
  type Motion,
  reveal,
  SceneTransition,
  STILL,
  times,
} from './motion.ts';
import { Panel } from './panel.ts';
import { createStyle } from './styles.ts';

const SECOND_MS = 1000;
/** Texts that may be cut, as the desk names them. */
const CUT = { title: '.title.cut', answers: '.label.cut', address: '.address.cut' };
/** Variables of a theme that are lengths. */
const LENGTHS = ['strokewidth', 'radius', 'bar', 'padding', 'blur'];

export interface Scene extends Surroundings {
  /** Undefined before the first results, and after the poll was removed. */
  readonly poll: PollSnapshot | undefined;
}

/**
 * Draws the scenes of one overlay into `root`. The stage is empty without a poll, and off after `stop()` or some time after the
 * poll closed; it stays up to date meanwhile. The first picture appears without an entrance, so that a reload is not visible.
 */
export class Stage {
  readonly #element: HTMLElement;
  readonly #settings: Settings;
  readonly #speed: number;
  readonly #wording: OverlayWording;
  readonly #figures: Figures;
  readonly #panel: Panel;
  readonly #height: HeightTransition;
  readonly #rehearsalMark: HTMLElement;
  readonly #drawing: Drawing;
  readonly #code: CodeCard | undefined;
  readonly #layout: Layout;
  #clock = new ServerClock();
  #ending = new Ending();
  readonly #resize: ResizeObserver;
  readonly #transition: SceneTransition;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #playing = true;

  constructor(root: ParentNode, asked: Settings, language: string) {
    const settings = effectiveSettings(asked);
    this.#settings = settings;
    const { isOffAir } = styleTraits[settings.style];
    const theme = isOffAir ? offAirTheme : resolveTheme(settings);
    const isStill = isOffAir || matchMedia('(prefers-reduced-motion: reduce)').matches;
    this.#speed = isStill ? 0 : settings.speed;
    const wording = new OverlayWording(settings.lang ?? language, settings.decimals);
    this.#wording = wording;
    const names = `tallycast style-${settings.style} theme-${settings.theme} empty still`;
    this.#element = addElement(root, isOffAir ? 'main' : 'div', names);
    this.#transition = new SceneTransition(this.#element);
    this.#element.dir = wording.direction;
    this.#element.lang = wording.language;
    Object.assign(this.#element.dataset, { align: settings.align, valign: settings.valign });
    applyTheme(this.#element, theme, settings, this.#speed);
    this.#figures = new Figures(this.#speed);
    this.#panel = new Panel(this.#element, settings, wording, this.#figures);
    this.#height = new HeightTransition(this.#panel.element);
    const tools = { settings, wording, figures: this.#figures };
    const { drawing, code } = createStyle(this.#element, this.#panel.body, tools);
    this.#drawing = drawing;
    this.#code = code;
    this.#rehearsalMark = addElement(this.#element, 'div', 'rehearsal');
    this.#layout = new Layout(this.#element, {
      settings,
      theme,
      wording,
      drawing,
      code,
      panel: this.#panel,
    });
    this.#resize = new ResizeObserver(() => this.#drawAgain());
    this.#resize.observe(this.#element);
    document.fonts.addEventListener('loadingdone', this.#onFont);
  }

  /** @param still without motion */
  show(scene: Scene, still = false): void {
    const before = this.#scene;
    this.#scene = scene;
    const { poll } = scene;
    if (poll && 'timestamp' in poll) this.#clock.observe(poll.timestamp * SECOND_MS);
    this.#element.classList.toggle('empty', poll === undefined || this.#code?.isLacking === true);
    this.#element.classList.toggle('relay-away', scene.away);
    this.#element.classList.toggle('away-marked', scene.away && this.#settings.away);
    const isRehearsal = this.#settings.rehearsal || (poll && 'rehearsal' in poll);
    setText(this.#rehearsalMark, isRehearsal ? this.#wording.phrases.rehearsal : '');
    this.#element.classList.toggle('rehearsing', Boolean(isRehearsal));
    this.#code?.setStatus(poll?.status);
    this.#drawing.setSurroundings?.(scene);
    if (before?.away !== scene.away || before?.next !== scene.next) this.#layout.measure();
    if (!poll) this.#picture = undefined;
    else if (still) this.#draw(poll, STILL);
    else if (!this.#transition.isLeaving) this.#drawAfter(before, poll);
    this.#tick();
  }

  /** @param isPermanent stays after the poll closes, because it leads to a show's next poll */
  showCode(code: VoteCode, isPermanent: boolean): void {
    this.#code?.show(code, isPermanent);
    if (this.#scene) this.show(this.#scene);
    this.#drawAgain();
  }

  /** @param logo decoded; undefined for none */
  showLogo(logo: HTMLImageElement | undefined): void {
    this.#panel.showLogo(logo);
    this.#drawAgain();
  }

  /** Closes this stage and returns one with other settings in its place, still empty. One that is off stays off. */
  replaceBy(settings: Settings, language: string): Stage {
    const next = new Stage(this.#element.parentNode!, settings, language);
    next.#clock = this.#clock;
    next.#ending = this.#ending;
    next.#playing = this.#playing;
    next.#element.dataset['cut'] = this.#element.dataset['cut'] ?? '';
    this.#element.after(next.#element);
    next.#scene = this.#scene;
    next.#tick();
    next.#scene = undefined;
    next.#panel.showLogo(this.#panel.logo);
    this.close();
    return next;
  }

  /** Enters after `stop()`. A new stage is on already. */
  play(still = false): void {
    const enters = !this.#playing && !still;
    this.#setPlaying(true, still);
    if (enters && this.#scene?.poll) this.#draw(this.#scene.poll, entrance(this.#speed), 'arriving');
  }

  /** Leaves until `play()`. */
  stop(still = false): void {
    this.#setPlaying(false, still);
    this.#transition.extend(still || this.#speed === 0 ? 0 : times.leave / this.#speed);
  }

  /** Repeats the reveal of visible results, from the last place to the first. */
  reveal(): void {
    const { moment } = this.#picture ?? {};
    if ((moment !== 'open' && moment !== 'closed') || this.#settings.reveal !== 'rise') return;
    if (this.#speed > 0) this.#replace(this.#revealMotion());
  }

  get restMs(): number {
    return this.#transition.restMs;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#transition.close();
    this.#resize.disconnect();
    document.fonts.removeEventListener('loadingdone', this.#onFont);
    this.#figures.close();
    this.#drawing.close?.();
    this.#element.remove();
  }

  #drawAfter(before: Scene | undefined, poll: PollSnapshot): void {
    const drawn = this.#picture;
    if (before === undefined || this.#speed === 0 || !this.#playing) {
      this.#draw(poll, drawn && before?.poll?.id === poll.id ? change(this.#speed) : STILL);
    } else if (!drawn) this.#draw(poll, entrance(this.#speed), 'arriving');
    else if (before.poll?.id !== poll.id) this.#replace(entrance(this.#speed));
    else if (drawn.moment !== 'hidden' || !('total_votes' in poll)) this.#draw(poll, change(this.#speed));
    else if (this.#settings.reveal === 'rise') this.#replace(this.#revealMotion());
    else this.#draw(poll, STILL);
  }

  #revealMotion(): Motion {
    return reveal(this.#speed, this.#settings.reveal_pause * SECOND_MS);
  }

  /** Title and answers leave, then the latest scene enters on the same panel. */
  #replace(motion: Motion): void {
    this.#transition.leave(times.leave / this.#speed, () => {
      if (this.#scene?.poll) this.#draw(this.#scene.poll, motion);
      this.#tick();
    });
  }

  #draw(poll: PollSnapshot, motion: Motion, arriving?: 'arriving'): void {
    const before = this.#picture?.moment;
    const { classList } = this.#element;
    if (motion.kind !== 'change') classList.toggle('still', true);
    const heightMs = motion.kind === 'still' || arriving ? 0 : times.change / this.#speed;
    this.#height.during(heightMs, () => {
      while (this.#drawOnce(poll, motion));
    });
    if (motion.kind !== 'change') this.#allowMotion();
    if (motion.kind === 'enter') {
      const rows = styleTraits[this.#settings.style].showsFew ? [] : (this.#picture?.rows ?? []);
      const durationMs = entranceMs(motion, rows, this.#speed);
      this.#transition.enter(durationMs, arriving !== undefined);
    }
    this.#reportCuts();
    const isClosed = this.#picture?.moment === 'closed';
    // `remove` would notify mutation observers even without the class.
    if (!isClosed) classList.toggle('celebrating', false);
    else if (motion.kind === 'change' && before === 'open') classList.toggle('celebrating', true);
  }

  /** Returns whether the layout changed, so that everything has to be drawn again. */
  #drawOnce(poll: PollSnapshot, motion: Motion): boolean {
    const room = this.#layout.layOut(poll);
    const picture = composePicture(poll, this.#settings, this.#drawing.fit(room));
    this.#picture = picture;
    this.#panel.draw(picture, room, motion);
    this.#panel.drawClock(picture, this.#clock.now());
    return this.#layout.makeRoom(this.#drawing.draw(picture, room, motion), picture);
  }

  /** Writes which texts have lost letters into `data-cut`, and dispatches `tallycast-cut` when that changes. */
  #reportCuts(): void {
    const cut = Object.entries(CUT).filter(([, selector]) => this.#element.querySelector(selector));
    const names = cut.map(([name]) => name).join(' ');
    if (names === (this.#element.dataset['cut'] ?? '')) return;
    this.#element.dataset['cut'] = names;
    this.#element.dispatchEvent(
      new CustomEvent('tallycast-cut', { detail: names, bubbles: true, composed: true }),
    );
  }

  #setPlaying(playing: boolean, still: boolean): void {
    this.#playing = playing;
    if (still) this.#element.classList.add('still');
    this.#tick();
    if (still) this.#allowMotion();
  }

  #allowMotion(): void {
    if (this.#speed === 0) return;
    this.#element.classList.remove('entering', 'arriving', 'celebrating');
    // Forces a layout, so that the still picture is where motion starts.
    this.#element.getBoundingClientRect();
    this.#element.classList.remove('still');
  }

  readonly #onFont = (): void => {
    forgetFits(this.#element);
    this.#drawAgain();
  };

  #drawAgain(): void {
    this.#layout.measure();
    if (this.#scene?.poll && !this.#transition.isLeaving) this.#draw(this.#scene.poll, STILL);
  }

  /** Updates what depends on time, and runs again only while something does. */
  #tick(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#clock.now();
    const leaveMs = this.#leaveMs(nowMs);
    this.#element.classList.toggle('off', !this.#playing || (leaveMs !== undefined && nowMs >= leaveMs));
    if (!this.#picture) return;
    this.#panel.drawClock(this.#picture, nowMs);
    const { deadlineMs, moment } = this.#picture;
    const tickIn = (ms: number) => {
      this.#timer = setTimeout(() => this.#tick(), ms);
    };
    if (leaveMs !== undefined && leaveMs > nowMs) tickIn(leaveMs - nowMs);
    else if (moment !== 'closed' && deadlineMs !== null && deadlineMs > nowMs)
      tickIn(((deadlineMs - nowMs) % SECOND_MS) + 1);
  }

  /** Returns when the stage turns off: `hide` seconds after the end, or at the end where it is only a code. */
  #leaveMs(nowMs: number): number | undefined {
    const endedMs = this.#ending.observe(this.#scene?.poll, nowMs);
    if (endedMs === undefined || this.#code?.isOver) return endedMs;
    const { hide } = this.#settings;
    return hide === 0 ? undefined : endedMs + hide * SECOND_MS;
  }
}

/** Sets the CSS variables of theme, type and time. Each value was parsed by its kind, so none can inject CSS. */
function applyTheme(stage: HTMLElement, theme: Theme, settings: Settings, speed: number): void {
  for (const [name, value] of Object.entries(theme))
    setStyle(stage, `--${name}`, LENGTHS.includes(name) ? units(value) : `${value}`);
  setStyle(stage, '--on-accent', onAccent(theme.accent));
  for (const [name, value] of rowVariables('var(--u)')) setStyle(stage, name, value);
  for (const name of ['title', 'note'] as const) {
    setStyle(stage, `--${name}-size`, units(typeScale[name].size));
    setStyle(stage, `--${name}-weight`, `${typeScale[name].weight}`);
  }
  for (const [name, milliseconds] of Object.entries(times))
    setStyle(stage, `--${name}`, `${speed === 0 ? 0 : milliseconds / speed}ms`);
  setStyle(stage, '--decimals', `${settings.decimals}`);
  if (settings.font !== null) setStyle(stage, '--font', `"${settings.font}"`);
  stage.classList.toggle('stroked', theme.strokewidth > 0);
  stage.classList.toggle('blurred', theme.blur > 0);
}
