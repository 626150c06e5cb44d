import { SHOW_NAME } from '../../poll/name-rules.ts';

/** What stands on a `<poll-results>`: all of it text, as in HTML. */
export interface PollResultsAttributes {
  /** Id of the poll; `rehearsal` for simulated votes. */
  readonly poll?: string | undefined;
  /** In place of `poll`: the name of a show. The widget follows whatever poll it points to. */
  readonly show?: string | undefined;
  /** Where the relay is, such as `https://relay.example`; needed unless the script came from there. */
  readonly relay?: string | undefined;
  /** Opens hidden results, for all who can read the page: only ever the poll's `view_key`. */
  readonly 'view-key'?: string | undefined;
  /** As the poll has its answers, or most votes first. Default `order`. */
  readonly sort?: 'order' | 'votes' | undefined;
  /** Whether a link leads to the vote while it is open. Default `link`. */
  readonly vote?: 'link' | 'none' | undefined;
  /** Default: both. */
  readonly values?: 'percent' | 'count' | 'both' | undefined;
  /** Default: as the page around it. */
  readonly theme?: 'light' | 'dark' | undefined;
  /** Language of the few words and of figures (BCP 47). Default: that of the page. */
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
  'theme',
  'lang',
] as const;

type Given = Readonly<Partial<Record<(typeof ATTRIBUTES)[number], string>>>;

const POLL_ID = /^[\w-]{1,64}$/;
const CHOICES = {
  sort: ['order', 'votes'],
  values: ['percent', 'count', 'both'],
  vote: ['link', 'none'],
  theme: ['light', 'dark'],
};

/**
 * Why nothing can be shown, for the developer of the page; undefined where something can.
 *
 * @param defaultRelay where the script came from, if from a relay
 */
export function attributeFault(given: Given, defaultRelay: string): string | undefined {
  const { poll, show, relay = defaultRelay } = given;
  if (!poll && !show) return 'set poll to the id of a poll, or show to the name of a show';
  if (poll && !POLL_ID.test(poll)) return `poll="${poll}" is no id of a poll: it takes the id alone`;
  if (!poll && show && !SHOW_NAME.test(show)) return `show="${show}" is no name of a show`;
  if (!relay) return 'set relay to the address of the relay, such as https://relay.example';
  if (!isAddress(relay)) return `relay="${relay}" is no address like https://relay.example`;
  if (given['view-key']?.startsWith('admin_'))
    return 'view-key is an admin key: whoever reads this page could change the poll. Take its view_key';
  return undefined;
}

/** What is hardly meant, though something can be shown. */
export function attributeWarnings(given: Given): string[] {
  const mistyped = Object.entries(CHOICES).flatMap(([name, choices]) => {
    const value = given[name as keyof Given];
    return value === undefined || choices.includes(value)
      ? []
      : `${name}="${value}" is none of ${choices.join(', ')}`;
  });
  return given.poll && given.show ? ['poll and show are both set: poll counts', ...mistyped] : mistyped;
}

/** Relative to the page, as every address on it is. */
function isAddress(relay: string): boolean {
  try {
    return /^https?:$/.test(new URL(relay, globalThis.document?.baseURI).protocol);
  } catch {
    return false;
  }
}
