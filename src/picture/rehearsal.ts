import { drawWeighted } from '../poll/rehearsal.ts';
import type { HiddenMessage, ResultsBody } from '../protocol/messages.ts';
import type { Settings } from './parameters.ts';
import type { PollSnapshot } from './picture.ts';

/** Simulates the messages of a live stream, in the page only. */
export class Rehearsal {
  readonly #settings: Settings;
  readonly #random: () => number;
  readonly #title: string;
  readonly #answers: readonly string[];
  readonly #appeal: readonly number[];
  readonly #votes: number[];
  readonly #deadlineMs: number;
  #version = 1;

  constructor(settings: Settings, startMs: number, random: () => number) {
    this.#settings = settings;
    this.#random = random;
    const cast = CASTS[settings.cast];
    this.#title = cast.title;
    this.#answers = cast.answers;
    this.#appeal = cast.answers.map((_, at) => (0.4 + random()) / (1 + at * 0.35));
    this.#votes = cast.answers.map((_, at) => this.#startingVotes(at));
    this.#deadlineMs = startMs + ROUND_MS;
  }

  read(nowMs: number): PollSnapshot {
    const { moment } = this.#settings;
    const total = this.#votes.reduce((sum, votes) => sum + votes, 0);
    const closed = moment === 'closed' || moment === 'tie';
    const deadline = new Date(closed ? nowMs : this.#deadlineMs).toISOString();
    const answers = this.#answers.map((answer, at) => ({
      id: `${at + 1}`,
      answer,
      sorting: at + 1,
      type: 'text' as const,
    }));
    const poll = {
      id: 'rehearsal',
      title: this.#title,
      success: 1 as const,
      status: moment === 'upcoming' ? moment : closed ? ('closed' as const) : ('open' as const),
      deadline,
    };
    if (moment === 'hidden') {
      return {
        ...poll,
        type: 'hidden',
        poll_answers: answers,
        results_visibility: 'after_deadline',
      } satisfies HiddenMessage;
    }
    return {
      ...poll,
      poll_answers: answers.map((answer, at) => ({ ...answer, votes: this.#votes[at] ?? 0 })),
      total_votes: total,
      total_voters: total,
      ...(total > 0 && { by_source: { page: total - CHATTERS, twitch: CHATTERS }, voided_votes: VOIDED }),
      timestamp: Math.floor(nowMs / 1000),
      version: this.#version,
      position: `${this.#version}-rehearsal`,
      results_visibility: 'always',
    } satisfies ResultsBody;
  }

  step(): void {
    if (this.#settings.moment !== 'voting') return;
    this.#version += 1;
    const crowd = 1 + Math.floor(this.#random() * 24);
    for (let voter = 0; voter < crowd; voter++) {
      const at = drawWeighted(this.#appeal, this.#random);
      this.#votes[at] = (this.#votes[at] ?? 0) + 1;
    }
  }

  #startingVotes(at: number): number {
    const { moment, cast } = this.#settings;
    if (moment === 'waiting' || moment === 'upcoming') return 0;
    const scale = cast === 'long' ? TEN_DIGITS : 900;
    if (moment === 'tie' && at < 2) return Math.round(scale * TIED);
    return Math.round(scale * (this.#appeal[at] ?? 0));
  }
}

/** So that `voided=1` and `sources=1` show where the numbers will be. */
const VOIDED = 12;
const CHATTERS = 117;
const ROUND_MS = 15 * 60_000;
/** The longest counts that fit a picture. */
const TEN_DIGITS = 1_234_567_890;

/** More than any other answer has. */
const TIED = 1204 / 900;

const LONG_WORDS =
  'A question that goes on and on, as questions do when several people write them together, ';

const CASTS: Readonly<Record<Settings['cast'], { title: string; answers: readonly string[] }>> = {
  short: {
    title: 'Which song should close the show?',
    answers: ['Northern Lights', 'Paper Planes', 'Golden Hour', 'Midnight Train', 'Slow Motion'],
  },
  two: { title: 'Should the match go to extra time?', answers: ['Yes, play on', 'No, penalties now'] },
  many: {
    title: 'Where shall we go next season?',
    answers: Array.from({ length: 100 }, (_, at) => `Place number ${at + 1}`),
  },
  long: {
    title: LONG_WORDS.repeat(4).slice(0, 300),
    answers: Array.from({ length: 6 }, (_, at) =>
      `${at + 1} ${'An answer that says very much more than fits on one line 👩‍👩‍👧 é́ '.repeat(5)}`.slice(
        0,
        200,
      ),
    ),
  },
  rtl: {
    title: 'أي أغنية تختتم العرض؟',
    answers: ['أضواء الشمال', 'שעת הזהב', 'قطار منتصف الليل 🚂', 'Slow Motion'],
  },
};
