import { type Catalogue, catalogueFor } from '../locales/catalogues.ts';
import { fill, Wording } from '../locales/i18n.ts';
import { sourceTexts, type VotersBySource } from '../poll/chat-platform.ts';

const SECOND_MS = 1000;
const DAY_S = 86_400;
const MILLION = 1_000_000;
/** More choices are written as a range. */
const MOST_LISTED = 4;

export function isLongCount(votes: number): boolean {
  return votes >= MILLION;
}

/** Texts and numbers of overlay and widget in one language, with English texts where it has no catalogue. */
export class OverlayWording extends Wording {
  readonly phrases: Catalogue['overlay'];
  readonly #compact: Intl.NumberFormat;
  readonly #lists: Intl.ListFormat;
  readonly #choices: Intl.ListFormat;
  readonly #days: Intl.NumberFormat;
  /** By their decimals. */
  readonly #finer = new Map<number, Wording>();

  /** @param decimals of percentages */
  constructor(language: string, decimals: number) {
    super(language, decimals);
    this.phrases = catalogueFor(language).overlay;
    this.#compact = new Intl.NumberFormat(this.language, {
      notation: 'compact',
      maximumSignificantDigits: 3,
    });
    this.#lists = new Intl.ListFormat(this.language);
    this.#choices = new Intl.ListFormat(this.language, { type: 'disjunction' });
    this.#days = new Intl.NumberFormat(this.language, { style: 'unit', unit: 'day', unitDisplay: 'narrow' });
  }

  /** @param decimals if others than usual */
  override percent(percent: number, decimals?: number): string {
    if (decimals === undefined) return super.percent(percent);
    const finer = this.#finer.get(decimals) ?? new Wording(this.language, decimals);
    this.#finer.set(decimals, finer);
    return finer.percent(percent);
  }

  /** A rounded count. @param compact in three or four digits, like `1.23M` */
  count(votes: number, compact: boolean): string {
    const whole = Math.round(votes);
    return compact ? this.#compact.format(whole) : this.number(whole);
  }

  votes(total: number, compact = false): string {
    return this.plural(this.phrases, 'votes', total, this.count(total, compact && isLongCount(total)));
  }

  /** `3 votes removed`; empty for none. */
  voided(votes: number, compact = false): string {
    if (votes === 0) return '';
    return this.plural(this.phrases, 'voided', votes, this.count(votes, compact && isLongCount(votes)));
  }

  /** `Top 3 of 8`. */
  top(shown: number, all: number): string {
    return fill(this.phrases.top, { n: this.number(shown), all: this.number(all) });
  }

  /** `Hidden · 1 of 6 shown`. */
  shown(answers: readonly { readonly isPublic: boolean }[]): string {
    const n = this.number(answers.filter(({ isPublic }) => isPublic).length);
    return fill(this.phrases.hiddenShown, { n, all: this.number(answers.length) });
  }

  /** `and 12 more`. */
  more(left: number): string {
    return fill(this.phrases.more, { n: this.number(left) });
  }

  /** For the state, which is the only text in capitals. */
  upper(text: string): string {
    return text.toLocaleUpperCase(this.language);
  }

  /** Names are isolated from each other, because each has a direction of its own. */
  list(names: readonly string[]): string {
    return names.length === 1 ? names[0]! : this.#lists.format(names.map(name => `\u2068${name}\u2069`));
  }

  /** `Type 1, 2 or 3 in chat`; `Type 1–8 in chat` for many. @param labels at least two */
  inChat(labels: readonly string[]): string {
    const [first = '', last = ''] = [labels[0], labels.at(-1)];
    // Letters go on with A after Z.
    const isRange = labels.length > MOST_LISTED && (/\d/.test(first) || first < last);
    const range = this.direction === 'rtl' ? `\u2066${first}–${last}\u2069` : `${first}–${last}`;
    return fill(this.phrases.inChat, { choices: isRange ? range : this.#choices.format(labels) });
  }

  /** `Web page 41` and `Twitch 17`; empty without votes from chat. */
  sources(sources: VotersBySource | undefined, compact = false): string[] {
    const write = (voters: number) => this.count(voters, compact && isLongCount(voters));
    return sourceTexts(sources, this.phrases.webPage, write);
  }

  closesIn(ms: number): string {
    return fill(this.phrases.closesIn, { time: this.timeLeft(ms) });
  }

  lateVotes(ms: number): string {
    return fill(this.phrases.lateVotes, { time: this.timeLeft(ms) });
  }

  /** `m:ss`, `h:mm:ss` or `2d h:mm:ss`; never negative. */
  timeLeft(ms: number): string {
    const left = Math.max(0, Math.ceil(ms / SECOND_MS));
    const hours = Math.floor((left % DAY_S) / 3600);
    const minutes = Math.floor((left % 3600) / 60);
    const seconds = this.twoDigits(left % 60);
    if (left < 3600) return `${this.number(minutes)}:${seconds}`;
    const rest = `${this.number(hours)}:${this.twoDigits(minutes)}:${seconds}`;
    return left < DAY_S ? rest : `${this.#days.format(Math.floor(left / DAY_S))} ${rest}`;
  }

  /** Hidden until a time, with its date unless that is today. */
  hidden(revealMs: number | null, nowMs: number): string {
    if (revealMs === null || revealMs <= nowMs) return this.phrases.hidden;
    const sameDay = new Date(revealMs).toDateString() === new Date(nowMs).toDateString();
    const hour = { hour: 'numeric', minute: '2-digit' } as const;
    const date = { day: 'numeric', month: 'short' } as const;
    const format = new Intl.DateTimeFormat(this.language, sameDay ? hour : { ...date, ...hour });
    return fill(this.phrases.hiddenUntil, { time: format.format(revealMs) });
  }
}
