import type { Language } from './language.ts';

/** Plural forms as the language has them; what has none of its own takes the last. */
type Forms = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

/** A phrase around something that is no text, like a moment that a script rewrites. */
export type Parts<Thing> = readonly (string | Thing)[];

/** A number as it stands in a phrase: written in the language, and with the form of the word beside it. */
export class Count {
  readonly #text: string;
  readonly #form: Intl.LDMLPluralRule;

  constructor(text: string, form: Intl.LDMLPluralRule) {
    this.#text = text;
    this.#form = form;
  }

  pick(forms: Forms): string {
    return forms[this.#form] ?? forms.other;
  }

  toString(): string {
    return this.#text;
  }
}

interface MomentStyle {
  /** A region's own way of writing a day, where it is known; default the language's. */
  readonly locale?: string | undefined;
  /** Default the reader's. */
  readonly timeZone?: string | undefined;
}

const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400];

/** Writes numbers and moments in one language. Formatters are costly to make: one of these for each language. */
export class Wording {
  readonly #numbers: Intl.NumberFormat;
  readonly #twoDigits: Intl.NumberFormat;
  readonly #percents: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;
  readonly #moments: Intl.DateTimeFormat;
  readonly #units: Record<'day' | 'hour' | 'minute' | 'second', Intl.NumberFormat>;
  readonly #together: Intl.ListFormat;

  constructor(language: Language, { locale = language, timeZone }: MomentStyle = {}) {
    this.#numbers = new Intl.NumberFormat(language);
    this.#twoDigits = new Intl.NumberFormat(language, { minimumIntegerDigits: 2 });
    this.#percents = new Intl.NumberFormat(language, { style: 'percent' });
    this.#plurals = new Intl.PluralRules(language);
    this.#moments = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
    const unit = (name: string, unitDisplay: 'long' | 'short') =>
      new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay });
    this.#units = {
      day: unit('day', 'long'),
      hour: unit('hour', 'short'),
      minute: unit('minute', 'short'),
      second: unit('second', 'long'),
    };
    this.#together = new Intl.ListFormat(language, { type: 'unit', style: 'short' });
  }

  number(number: number): string {
    return this.#numbers.format(number);
  }

  count(number: number): Count {
    return new Count(this.#numbers.format(number), this.#plurals.select(number));
  }

  /** @param percent 0 to 100 */
  percent(percent: number): string {
    return this.#percents.format(percent / 100);
  }

  /** @param ms UNIX time in milliseconds */
  moment(ms: number): string {
    return this.#moments.format(ms);
  }

  seconds(seconds: number): string {
    return this.#units.second.format(seconds);
  }

  days(days: number): string {
    return this.#units.day.format(days);
  }

  minutes(minutes: number): string {
    return this.#units.minute.format(minutes);
  }

  /** `m:ss` in the last hour, two units before it. @param ms more than 0 */
  timeLeft(ms: number): string {
    const seconds = Math.ceil(ms / 1000);
    const [days, hours] = [Math.floor(seconds / DAY_S), Math.floor((seconds % DAY_S) / HOUR_S)];
    const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
    const { day, hour, minute } = this.#units;
    if (days > 0) return this.#together.format([day.format(days), hour.format(hours)]);
    if (hours > 0) return this.#together.format([hour.format(hours), minute.format(minutes)]);
    return `${this.#numbers.format(minutes)}:${this.#twoDigits.format(seconds % MINUTE_S)}`;
  }
}
