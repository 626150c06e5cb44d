import { SHOW_NAME } from '../../poll/poll.ts';

export interface PollResultsAttributes {
  /** Poll ID, or `rehearsal` for simulated votes. */
  readonly poll?: string | undefined;
  /** Name of a show, instead of `poll`. The widget follows the show's current poll. */
  readonly show?: string | undefined;
  /** URL of the relay, like `https://relay.example`. Default: the origin of the script. */
  readonly relay?: string | undefined;
  /** Shows hidden results to all readers of the page. Only use the poll's `view_key`. */
  readonly 'view-key'?: string | undefined;
  /** Order of the poll, or most votes first. Default: `order`. */
  readonly sort?: 'order' | 'votes' | undefined;
  /** Whether to link to the vote while the poll is open. Default: `link`. */
  readonly vote?: 'link' | 'none' | undefined;
  /** Default: `both`. */
  readonly values?: 'percent' | 'count' | 'both' | undefined;
  /** Whether to say how many votes the creator removed, if any. Default: `none`. */
  readonly voided?: 'show' | 'none' | undefined;
  /** Seconds that the page is behind, 0 to 60, beside a delayed video. Default: 0. */
  readonly delay?: number | string | undefined;
  /** Default: that of the page. */
  readonly theme?: 'light' | 'dark' | undefined;
  /** Language of texts and numbers (BCP 47). Default: that of the page. */
  readonly lang?: string | undefined;
}

export const ATTRIBUTES = [
  'poll',
  'show',
  'relay',
  'view-key',
  'sort',
  'values',
  'vote',
  'voided',
  'delay',
  'theme',
  'lang',
] as const;

type Given = Readonly<Partial<Record<(typeof ATTRIBUTES)[number], string>>>;

const DELAY = /^(?:[0-5]?\d(?:\.\d+)?|60)$/;
const POLL_ID = /^[\w-]{1,64}$/;
const CHOICES = {
  sort: ['order', 'votes'],
  values: ['percent', 'count', 'both'],
  vote: ['link', 'none'],
  voided: ['show', 'none'],
  theme: ['light', 'dark'],
};

/** Returns why nothing can be shown, or undefined. @param defaultRelay origin of the script, or empty */
export function attributeFault(given: Given, defaultRelay: string): string | undefined {
  const { poll, show, relay = defaultRelay, delay = '0' } = given;
  if (!poll && !show) return 'set poll to the id of a poll, or show to the name of a show';
  if (poll && !POLL_ID.test(poll)) return `poll="${poll}" is no id of a poll: it takes the id alone`;
  if (!poll && show && !SHOW_NAME.test(show)) return `show="${show}" is no name of a show`;
  if (!relay) return 'set relay to the address of the relay, such as https://relay.example';
  if (!isAddress(relay)) return `relay="${relay}" is no address like https://relay.example`;
  if (!DELAY.test(delay)) return `delay="${delay}" is no number of seconds from 0 to 60`;
  if (given['view-key']?.startsWith('admin_'))
    return 'view-key is an admin key: whoever reads this page could change the poll. Take its view_key';
  return undefined;
}

/** Returns mistakes that do not prevent the widget from working. */
export function attributeWarnings(given: Given): string[] {
  const mistyped = Object.entries(CHOICES).flatMap(([name, choices]) => {
    const value = given[name as keyof Given];
    return value === undefined || choices.includes(value)
      ? []
      : `${name}="${value}" is none of ${choices.join(', ')}`;
  });
  return given.poll && given.show ? ['poll and show are both set: poll counts', ...mistyped] : mistyped;
}

function isAddress(relay: string): boolean {
  try {
    return /^https?:$/.test(new URL(relay, globalThis.document?.baseURI).protocol);
  } catch {
    return false;
  }
}
