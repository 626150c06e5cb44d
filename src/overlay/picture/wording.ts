import { directionOf, phrasesFor } from './phrases.ts';

/** Turns numbers and moments into the text of one language. Formatters are costly to make: one set an overlay. */
export interface Wording {
  readonly language: string;
  readonly direction: 'ltr' | 'rtl';
  count(votes: number): string;
  /** In three or four figures, where there is no room for all of them. */
  compactCount(votes: number): string;
  /** @param percent 0 to 100. */
  percent(percent: number): string;
  votes(total: number, short?: boolean): string;
  /** That `shown` of `all` answers are drawn. */
  top(shown: number, all: number): string;
  /** `Ada, Bo and Cy`. */
  list(names: readonly string[]): string;
  closesIn(milliseconds: number): string;
  /** `m:ss`, `h:mm:ss`, from a day on with the days before it; never negative. */
  timeLeft(milliseconds: number): string;
  hidden(revealMs: number | null, nowMs: number): string;
  readonly upcoming: string;
  readonly waiting: string;
  readonly closed: string;
  readonly winner: string;
  readonly tie: string;
}

const SECOND_MS = 1000;
const DAY_S = 86_400;
const MILLION = 1_000_000;

/** Whether a count is so long that room for it is short. */
export function isLongCount(votes: number): boolean {
  return votes >= MILLION;
}

export function createWording(language: string, decimals: number): Wording {
  const phrases = phrasesFor(language);
  const counts = new Intl.NumberFormat(language);
  const percents = new Intl.NumberFormat(language, {
    style: 'percent',
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
  const compact = new Intl.NumberFormat(language, { notation: 'compact', maximumSignificantDigits: 3 });
  const plural = new Intl.PluralRules(language);
  const lists = new Intl.ListFormat(language);
  const timeLeft = createTimeLeft(language);
  return {
    language,
    direction: directionOf(language),
    count: votes => counts.format(votes),
    compactCount: votes => compact.format(votes),
    percent: percent => percents.format(percent / 100),
    votes: (total, short = false) => {
      const form = phrases.votes[plural.select(total)] ?? phrases.votes.other;
      return form.replace('{n}', (short && isLongCount(total) ? compact : counts).format(total));
    },
    top: (shown, all) =>
      phrases.top.replace('{n}', counts.format(shown)).replace('{all}', counts.format(all)),
    list: names => lists.format(names),
    timeLeft,
    closesIn: milliseconds => phrases.closesIn.replace('{time}', timeLeft(milliseconds)),
    hidden: (revealMs, nowMs) =>
      revealMs === null || revealMs <= nowMs
        ? phrases.hidden
        : phrases.hiddenUntil.replace('{time}', formatMoment(language, revealMs, nowMs)),
    upcoming: phrases.upcoming,
    waiting: phrases.waiting,
    closed: phrases.closed,
    winner: phrases.winner,
    tie: phrases.tie,
  };
}

function createTimeLeft(language: string): (milliseconds: number) => string {
  const plain = new Intl.NumberFormat(language, { useGrouping: false });
  const padded = new Intl.NumberFormat(language, { useGrouping: false, minimumIntegerDigits: 2 });
  const days = new Intl.NumberFormat(language, { style: 'unit', unit: 'day', unitDisplay: 'narrow' });
  return milliseconds => {
    const left = Math.max(0, Math.ceil(milliseconds / SECOND_MS));
    const hours = Math.floor((left % DAY_S) / 3600);
    const rest = `${padded.format(Math.floor((left % 3600) / 60))}:${padded.format(left % 60)}`;
    if (left >= DAY_S) return `${days.format(Math.floor(left / DAY_S))} ${plain.format(hours)}:${rest}`;
    if (hours > 0) return `${plain.format(hours)}:${rest}`;
    return `${plain.format(Math.floor(left / 60))}:${padded.format(left % 60)}`;
  };
}

/** The hour alone on the day itself, with the date before it on any other. */
function formatMoment(language: string, momentMs: number, nowMs: number): string {
  const sameDay = new Date(momentMs).toDateString() === new Date(nowMs).toDateString();
  const hour = { hour: 'numeric', minute: '2-digit' } as const;
  const date = { day: 'numeric', month: 'short' } as const;
  return new Intl.DateTimeFormat(language, sameDay ? hour : { ...date, ...hour }).format(momentMs);
}
