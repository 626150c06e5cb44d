/**
 * Phrases and numbers in one language, for the server and for browsers. The phrases themselves are
 * in `src/locales`.
 */

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
  return canonicalTag(tag) ?? 'en';
}

function canonicalTag(tag: string): string | undefined {
  try {
    return Intl.getCanonicalLocales(tag)[0];
  } catch {
    return undefined;
  }
}

/**
 * The reader's own variant of a language, such as `en-GB` for `en`. Skips what is no language tag:
 * browsers report `en-US@posix`, too.
 */
export function localeFor(language: string, preferred: readonly unknown[] = []): string {
  const tags = preferred.map(tag => canonicalTag(String(tag)));
  return tags.find(tag => tag?.split('-')[0] === language) ?? language;
}

/**
 * Creates a formatter of the browser. Where the browser refuses, returns `plain`: how a number
 * looks must not end a script.
 */
function formatter<Value>(
  create: () => { format(value: Value): string },
  plain: (value: Value) => string = String,
): (value: Value) => string {
  try {
    const created = create();
    return value => created.format(value);
  } catch {
    return plain;
  }
}

/** Writes moments, in the digits of codes and addresses; in ISO 8601 where the browser refuses the options. */
export function momentFormatter(locale: string, options: Intl.DateTimeFormatOptions): (ms: number) => string {
  return formatter<number>(
    () => new Intl.DateTimeFormat(locale, { numberingSystem: 'latn', ...options }),
    ms => new Date(ms).toISOString(),
  );
}

/**
 * Writes numbers and plurals in one language. Formatters are expensive to create: create one of
 * these for each language.
 */
export class Wording {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  readonly number: (number: number) => string;
  readonly twoDigits: (number: number) => string;
  readonly #percents: (fraction: number) => string;
  readonly #pluralForm: (count: number) => string;

  /** @param decimals of percentages */
  constructor(language: string, decimals = 0) {
    this.language = canonicalLanguage(language);
    this.direction = directionOf(this.language);
    this.number = formatter(() => new Intl.NumberFormat(this.language));
    this.twoDigits = formatter(
      () => new Intl.NumberFormat(this.language, { minimumIntegerDigits: 2 }),
      number => String(number).padStart(2, '0'),
    );
    this.#percents = formatter<number>(
      () =>
        new Intl.NumberFormat(this.language, {
          style: 'percent',
          minimumFractionDigits: decimals,
          maximumFractionDigits: decimals,
        }),
      fraction => `${Math.round(fraction * 100)}%`,
    );
    this.#pluralForm = formatter<number>(
      () => {
        const rules = new Intl.PluralRules(this.language);
        return { format: count => rules.select(count) };
      },
      () => 'other',
    );
  }

  /** @param percent 0 to 100 */
  percent(percent: number): string {
    return this.#percents(percent / 100);
  }

  /**
   * Picks the plural form of `key` for a count and fills in `{{count}}`.
   *
   * @param written the count, as `number` writes it
   */
  plural<Key extends string>(
    phrases: Readonly<Record<`${Key}_other`, string>>,
    key: Key,
    count: number,
    written: string = this.number(count),
  ): string {
    const forms: Readonly<Record<string, string>> = phrases;
    const form = forms[`${key}_${this.#pluralForm(count)}`] ?? phrases[`${key}_other`];
    return fill(form, { count: written });
  }
}

const MINUTE_S = 60;
const HOUR_S = 3_600;
const DAY_S = 86_400;

interface DateTimeStyle {
  /** Region for the format of dates; default: that of the language. */
  readonly locale?: string | undefined;
  /** Default: that of the reader. */
  readonly timeZone?: string | undefined;
}

/** Times in sentences; the overlay has times of a clock. */
export class PageWording extends Wording {
  /** Takes UNIX time in milliseconds. */
  readonly dateTime: (ms: number) => string;
  readonly days: (days: number) => string;
  readonly minutes: (minutes: number) => string;
  readonly seconds: (seconds: number) => string;
  readonly #hours: (hours: number) => string;
  readonly #together: (parts: readonly string[]) => string;

  constructor(language: string, { locale = language, timeZone }: DateTimeStyle = {}) {
    super(language);
    this.dateTime = momentFormatter(locale, { dateStyle: 'long', timeStyle: 'short', timeZone });
    const writeUnit = (unit: string, unitDisplay: 'long' | 'short') =>
      formatter<number>(
        () => new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay }),
        count => `${count} ${unit}`,
      );
    this.days = writeUnit('day', 'long');
    this.#hours = writeUnit('hour', 'short');
    this.minutes = writeUnit('minute', 'short');
    this.seconds = writeUnit('second', 'long');
    this.#together = formatter<readonly string[]>(
      () => new Intl.ListFormat(language, { type: 'unit', style: 'short' }),
      parts => parts.join(', '),
    );
  }

  /** `m:ss` in the last hour, two units before it. @param ms more than 0 */
  timeLeft(ms: number): string {
    const seconds = Math.ceil(ms / 1000);
    const days = Math.floor(seconds / DAY_S);
    const hours = Math.floor((seconds % DAY_S) / HOUR_S);
    const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
    if (days > 0) return this.#together([this.days(days), this.#hours(hours)]);
    if (hours > 0) return this.#together([this.#hours(hours), this.minutes(minutes)]);
    return `${this.number(minutes)}:${this.twoDigits(seconds % MINUTE_S)}`;
  }
}

const LETTER = /\p{L}/u;
const RIGHT_TO_LEFT_LETTER =
  /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;

const ISOLATED = /[\u2066-\u2068][^\u2069]*\u2069/g;

/** The direction of a text by its first letter that is not isolated; undefined without one. */
export function directionOfText(text: string): 'ltr' | 'rtl' | undefined {
  const letter = LETTER.exec(text.replace(ISOLATED, ''))?.[0];
  if (letter === undefined) return undefined;
  return RIGHT_TO_LEFT_LETTER.test(letter) ? 'rtl' : 'ltr';
}
