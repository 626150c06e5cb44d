/** Phrases and numbers in one language, for the server and for browsers. The phrases themselves are in `src/locales`. */

const PLACEHOLDER = /\{\{(\w+)\}\}/;

/** Returns a phrase with its values in place of `{{name}}`. */
export function fill(phrase: string, values: Readonly<Record<string, string>>): string {
  return fillParts(phrase, values).join('');
}

/** Like `fill`, for markup or DOM nodes. */
export function fillParts<Value>(
  phrase: string,
  values: Readonly<Record<string, Value>>,
): readonly (string | Value)[] {
  // `split` puts each captured name between two texts.
  return phrase.split(PLACEHOLDER).map((part, index) => (index % 2 === 0 ? part : (values[part] ?? part)));
}

/** The direction of a language by its BCP 47 tag. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  return /^(?:ar|fa|he|ps|sd|ug|ur|yi)\b/i.test(language) ? 'rtl' : 'ltr';
}

/** Returns a language tag in its canonical form; English for an invalid one, such as `C` of WebKit without a locale. */
export function canonicalLanguage(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? 'en';
  } catch {
    return 'en';
  }
}

/** Writes numbers and plurals in one language. Formatters are expensive to create: create one of these for each language. */
export class Wording {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly #numbers: Intl.NumberFormat;
  readonly #twoDigits: Intl.NumberFormat;
  readonly #percents: Intl.NumberFormat;
  readonly #plurals: Intl.PluralRules;

  /** @param decimals of percentages */
  constructor(language: string, decimals = 0) {
    this.language = canonicalLanguage(language);
    this.direction = directionOf(this.language);
    this.#numbers = new Intl.NumberFormat(this.language);
    this.#twoDigits = new Intl.NumberFormat(this.language, { minimumIntegerDigits: 2 });
    this.#percents = new Intl.NumberFormat(this.language, {
      style: 'percent',
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
    this.#plurals = new Intl.PluralRules(this.language);
  }

  number(number: number): string {
    return this.#numbers.format(number);
  }

  twoDigits(number: number): string {
    return this.#twoDigits.format(number);
  }

  /** @param percent 0 to 100 */
  percent(percent: number): string {
    return this.#percents.format(percent / 100);
  }

  /** Picks the plural form of `key` for a count and fills in `{{count}}`. @param written the count, as `number` writes it */
  plural<Key extends string>(
    phrases: Readonly<Record<`${Key}_other`, string>>,
    key: Key,
    count: number,
    written: string = this.number(count),
  ): string {
    const forms: Readonly<Record<string, string>> = phrases;
    const form = forms[`${key}_${this.#plurals.select(count)}`] ?? phrases[`${key}_other`];
    return fill(form, { count: written });
  }
}

const [MINUTE_S, HOUR_S, DAY_S] = [60, 3_600, 86_400];

interface DateTimeStyle {
  /** Region for the format of dates; default: that of the language. */
  readonly locale?: string | undefined;
  /** Default: that of the reader. */
  readonly timeZone?: string | undefined;
}

/** Times in sentences; the overlay has times of a clock. */
export class PageWording extends Wording {
  readonly #moments: Intl.DateTimeFormat;
  readonly #units: Readonly<Record<'day' | 'hour' | 'minute' | 'second', Intl.NumberFormat>>;
  readonly #together: Intl.ListFormat;

  constructor(language: string, { locale = language, timeZone }: DateTimeStyle = {}) {
    super(language);
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

  /** @param ms UNIX time in milliseconds */
  dateTime(ms: number): string {
    return this.#moments.format(ms);
  }

  seconds(seconds: number): string {
    return this.#units.second.format(seconds);
  }

  minutes(minutes: number): string {
    return this.#units.minute.format(minutes);
  }

  days(days: number): string {
    return this.#units.day.format(days);
  }

  /** `m:ss` in the last hour, two units before it. @param ms more than 0 */
  timeLeft(ms: number): string {
    const seconds = Math.ceil(ms / 1000);
    const [days, hours] = [Math.floor(seconds / DAY_S), Math.floor((seconds % DAY_S) / HOUR_S)];
    const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
    const { day, hour, minute } = this.#units;
    if (days > 0) return this.#together.format([day.format(days), hour.format(hours)]);
    if (hours > 0) return this.#together.format([hour.format(hours), minute.format(minutes)]);
    return `${this.number(minutes)}:${this.twoDigits(seconds % MINUTE_S)}`;
  }
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

/** The direction of a text by its first letter; undefined without one. */
export function directionOfText(text: string): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(text)?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT_LETTER.test(letter) ? 'rtl' : 'ltr';
}
