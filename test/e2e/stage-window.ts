import { type Scene, Stage } from '../../src/overlay/browser/drawing/stage.ts';
import { adoptStyleSheet } from '../../src/overlay/browser/drawing/styles.ts';
import { readParameters, type Settings } from '../../src/picture/parameters.ts';
import type { PollSnapshot } from '../../src/picture/picture.ts';
import { Rehearsal } from '../../src/picture/rehearsal.ts';
import { seededRandom } from '../../src/poll/rehearsal.ts';
import { findLayoutFaults } from './layout-faults.ts';
import { type Script, scripts } from './picture-matrix.ts';

/** What the page of a stage offers to `page.evaluate`: the drawing code, for scenes that no live stream has. */
export interface StageWindow {
  /** Draws a scene on the whole page; the first one, or one with another query, on a new stage. */
  show(query: string, scene: Scene): void;
  /**
   * Draws what a rehearsal with this query shows first, on a new stage that fills `root`, and ends the one before there.
   * `script` in the query names other texts.
   */
  rehearse(query: string, root?: HTMLElement): void;
  /** What is wrong with the layout of the page's only stage. */
  faults(): string[];
}

const SEED = 41;
const CODE = { address: 'https://vote.example.org/show/friday-night', modules: 37, dark: 'M4 4h7v7H4z' };
const stages = new Map<HTMLElement, Stage>();
let drawn: string | undefined;

function open(settings: Settings, root: HTMLElement): Stage {
  stages.get(root)?.close();
  const stage = new Stage(root, settings, 'en');
  stage.showCode(CODE, true);
  stages.set(root, stage);
  return stage;
}

function settingsOf(query: string): Settings {
  return readParameters(new URLSearchParams(query)).settings;
}

function withTexts<P extends PollSnapshot>(poll: P, { title, answers }: (typeof scripts)[Script]): P {
  const poll_answers = poll.poll_answers.map((entry, at) => ({ ...entry, answer: answers[at] ?? '' }));
  return { ...poll, title, poll_answers };
}

const offered: StageWindow = {
  show(query, scene) {
    const stage = query === drawn ? stages.get(document.body) : undefined;
    drawn = query;
    (stage ?? open(settingsOf(query), document.body)).show(scene);
  },
  rehearse(query, root = document.body) {
    const settings = settingsOf(`rehearsal=1&speed=0&${query}`);
    const script = new URLSearchParams(query).get('script') as Script | null;
    const read = new Rehearsal(settings, Date.now(), seededRandom(SEED)).read(Date.now());
    const poll = script === null ? read : withTexts(read, scripts[script]);
    open(settings, root).show({ poll, away: settings.moment === 'away' });
  },
  faults: () => findLayoutFaults(document.querySelector<HTMLElement>('.tallycast')!),
};

adoptStyleSheet(document);
Object.assign(globalThis, offered);
