import { ServerClock } from '../../../client/server-clock.ts';
import { resolveTheme } from '../../look/themes.ts';
import type { Settings } from '../../parameter/read-parameters.ts';
import { composePicture, Ending, type Picture, type PollSnapshot } from '../../picture/picture.ts';
import { OverlayWording } from '../../picture/wording.ts';
import { applyTheme, prefersStillness } from './canvas.ts';
import type { CodeCard, VoteCode } from './code-card.ts';
import type { Drawing } from './drawing.ts';
import { addElement, setText } from './element.ts';
import { Figures } from './figures.ts';
import { forgetFits } from './fit-text.ts';
import { Glide } from './glide.ts';
import { Layout } from './layout.ts';
import { change, entrance, entranceMs, type Motion, reveal, STILL, times } from './motion.ts';
import { Panel } from './panel.ts';
import { Scenery } from './scenery.ts';
import { createStyle } from './styles.ts';

const SECOND_MS = 1000;

/** What there is to show. */
export interface Scene {
  /** Undefined until something was heard, and again when the poll is gone: nothing on air. */
  readonly poll: PollSnapshot | undefined;
  /** The relay is away, or has lost its engine: what is shown may be old. */
  readonly away: boolean;
}

/**
 * Draws the scenes of one overlay into `root`. States: empty until the first scene and whenever nothing is known; on, drawn and
 * moving; off, after `stop()` or some time after the end, gone but kept up to date. The first picture stands at once: an overlay
 * that is loaded again plays no entrance. What comes on air later does, and what was hidden is revealed.
 */
export class Stage {
  readonly #element: HTMLElement;
  readonly #settings: Settings;
  /** 0 where nothing is to move. */
  readonly #speed: number;
  readonly #wording: OverlayWording;
  readonly #figures: Figures;
  readonly #panel: Panel;
  readonly #glide: Glide;
  /** Says that the votes are simulated. */
  readonly #mark: HTMLElement;
  readonly #drawing: Drawing;
  readonly #code: CodeCard | undefined;
  readonly #layout: Layout;
  readonly #clock = new ServerClock();
  readonly #ending = new Ending();
  readonly #resize: ResizeObserver;
  readonly #scenery: Scenery;
  #scene: Scene | undefined;
  #picture: Picture | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #playing = true;

  constructor(root: ParentNode, settings: Settings, language: string) {
    this.#settings = settings;
    const theme = resolveTheme(settings);
    this.#speed = prefersStillness() ? 0 : settings.speed;
    this.#wording = new OverlayWording(settings.lang ?? language, settings.decimals);
    const names = `tallycast style-${settings.style} theme-${settings.theme} empty still`;
    this.#element = addElement(root, 'div', names);
    this.#scenery = new Scenery(this.#element);
    this.#element.dir = this.#wording.direction;
    this.#element.lang = this.#wording.language;
    Object.assign(this.#element.dataset, { align: settings.align, valign: settings.valign });
    applyTheme(this.#element, theme, settings, this.#speed);
    this.#figures = new Figures(this.#speed);
    this.#panel = new Panel(this.#element, settings, this.#wording, this.#figures);
    this.#glide = new Glide(this.#panel.element);
    const tools = { settings, wording: this.#wording, figures: this.#figures };
    const { drawing, code } = createStyle(this.#element, this.#panel.body, tools);
    this.#drawing = drawing;
    this.#code = code;
    this.#mark = addElement(this.#element, 'div', 'rehearsal');
    const parts = { settings, theme, wording: this.#wording, panel: this.#panel, drawing, code };
    this.#layout = new Layout(this.#element, parts);
    this.#resize = new ResizeObserver(() => this.#drawAgain());
    this.#resize.observe(this.#element);
    // What was fitted with the letters of another font is fitted again.
    document.fonts.addEventListener('loadingdone', this.#onFont);
  }

  /** @param still at once, without motion */
  show(scene: Scene, still = false): void {
    const before = this.#scene;
    this.#scene = scene;
    const { poll } = scene;
    if (poll && 'timestamp' in poll) this.#clock.observe(poll.timestamp * SECOND_MS);
    this.#element.classList.toggle('empty', poll === undefined || this.#code?.isLacking === true);
    this.#element.classList.toggle('relay-away', scene.away);
    const isRehearsal = this.#settings.rehearsal || (poll && 'rehearsal' in poll);
    setText(this.#mark, isRehearsal ? this.#wording.phrases.rehearsal : '');
    this.#code?.judge(poll?.status);
    if (!poll) this.#picture = undefined;
    else if (still) this.#draw(poll, STILL);
    else if (!this.#scenery.leaves) this.#place(poll, before);
    this.#tick();
  }

  /** @param stays also when the poll is closed: it leads to whatever is voted on next */
  showCode(code: VoteCode, stays: boolean): void {
    this.#code?.show(code, stays);
    if (this.#scene) this.show(this.#scene);
    this.#drawAgain();
  }

  /** Comes on. An overlay plays by itself; a playout server may stop and play it. */
  play(still = false): void {
    const comes = !this.#playing && !still;
    this.#setPlaying(true, still);
    if (comes && this.#scene?.poll) this.#draw(this.#scene.poll, this.#entrance(), 'arriving');
  }

  /** Goes, and stays away until `play()`. */
  stop(still = false): void {
    this.#setPlaying(false, still);
    this.#scenery.wait(still || this.#speed === 0 ? 0 : times.leave / this.#speed);
  }

  /** Tells the results that are drawn once more, from the last place to the first. */
  reveal(): void {
    const { moment } = this.#picture ?? {};
    if ((moment !== 'open' && moment !== 'closed') || this.#settings.reveal !== 'rise') return;
    if (this.#speed > 0) this.#leaveFor(() => reveal(this.#speed));
  }

  /** Milliseconds until what was begun last stands, or is gone. */
  get restMs(): number {
    return this.#scenery.restMs;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#scenery.close();
    this.#resize.disconnect();
    document.fonts.removeEventListener('loadingdone', this.#onFont);
    this.#figures.close();
    this.#drawing.close?.();
    this.#element.remove();
  }

  /** Chooses how this picture takes the place of the one before. */
  #place(poll: PollSnapshot, before: Scene | undefined): void {
    const drawn = this.#picture;
    if (before === undefined || this.#speed === 0 || !this.#playing) {
      this.#draw(poll, drawn && before?.poll?.id === poll.id ? change(this.#speed) : STILL);
    } else if (!drawn) this.#draw(poll, this.#entrance(), 'arriving');
    else if (before.poll?.id !== poll.id) this.#leaveFor(() => this.#entrance());
    else if (drawn.moment !== 'hidden' || !('total_votes' in poll)) this.#draw(poll, change(this.#speed));
    else if (this.#settings.reveal === 'rise') this.#leaveFor(() => reveal(this.#speed));
    else this.#draw(poll, STILL);
  }

  #entrance(): Motion {
    return this.#speed === 0 ? STILL : entrance(this.#speed);
  }

  /** Title and answers go; the newest scene comes on the plate that stays. */
  #leaveFor(motion: () => Motion): void {
    this.#scenery.leave(times.leave / this.#speed, () => {
      if (this.#scene?.poll) this.#draw(this.#scene.poll, motion());
      this.#tick();
    });
  }

  #draw(poll: PollSnapshot, motion: Motion, arriving?: 'arriving'): void {
    const before = this.#picture?.moment;
    if (motion.kind !== 'change') this.#element.classList.add('still');
    const glideMs = motion.kind === 'still' || arriving ? 0 : times.change / this.#speed;
    this.#glide.during(glideMs, () => {
      while (this.#drawOnce(poll, motion));
    });
    if (motion.kind !== 'change') this.#allowMotion();
    if (motion.kind === 'enter') {
      const ms = entranceMs(motion, this.#picture?.rows.length ?? 0, this.#speed);
      this.#scenery.enter(ms, arriving !== undefined);
    }
    const isClosed = this.#picture?.moment === 'closed';
    // Not `remove`, which tells observers of a change where there is none.
    if (!isClosed) this.#element.classList.toggle('celebrating', false);
    else if (motion.kind === 'change' && before === 'open')
      this.#element.classList.toggle('celebrating', true);
  }

  /** Returns whether the layout has changed, so that all is to be drawn again. */
  #drawOnce(poll: PollSnapshot, motion: Motion): boolean {
    const room = this.#layout.layOut(poll);
    const picture = composePicture(poll, this.#settings, this.#drawing.fit(room));
    this.#picture = picture;
    this.#panel.draw(picture, room, motion);
    this.#panel.drawClock(picture, this.#clock.now());
    return this.#layout.makeRoom(this.#drawing.draw(picture, room, motion), picture);
  }

  #setPlaying(playing: boolean, still: boolean): void {
    this.#playing = playing;
    if (still) this.#element.classList.add('still');
    this.#tick();
    if (still) this.#allowMotion();
  }

  #allowMotion(): void {
    this.#element.classList.remove('entering', 'arriving', 'celebrating');
    // The browser has to take in the still picture first.
    this.#element.getBoundingClientRect();
    this.#element.classList.remove('still');
  }

  readonly #onFont = (): void => {
    forgetFits(this.#element);
    this.#drawAgain();
  };

  #drawAgain(): void {
    this.#layout.measure();
    if (this.#scene?.poll && !this.#scenery.leaves) this.#draw(this.#scene.poll, STILL);
  }

  /** What changes with the time alone; asks for its own next call only while something does. */
  #tick(): void {
    clearTimeout(this.#timer);
    const nowMs = this.#clock.now();
    const endedMs = this.#ending.observe(this.#scene?.poll, nowMs);
    const leaveMs = this.#leavesAt(endedMs);
    this.#element.classList.toggle('off', !this.#playing || (leaveMs !== undefined && nowMs >= leaveMs));
    if (!this.#picture) return;
    this.#panel.drawClock(this.#picture, nowMs);
    const { deadlineMs, moment } = this.#picture;
    if (leaveMs !== undefined && leaveMs > nowMs) this.#callAgain(leaveMs - nowMs);
    else if (moment !== 'closed' && deadlineMs !== null && deadlineMs > nowMs) {
      this.#callAgain(((deadlineMs - nowMs) % SECOND_MS) + 1);
    }
  }

  #leavesAt(endedMs: number | undefined): number | undefined {
    if (endedMs === undefined || this.#code?.isOver) return endedMs;
    const { hide } = this.#settings;
    return hide === 0 ? undefined : endedMs + hide * SECOND_MS;
  }

  #callAgain(inMs: number): void {
    this.#timer = setTimeout(() => this.#tick(), inMs);
  }
}
