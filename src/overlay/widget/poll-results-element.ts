import { RelayLink } from '../../client/relay-link.ts';
import type { ResultsMessage, Watch, WatchState } from '../../client/watch-state.ts';
import { catalogueFor } from '../../locales/catalogues.ts';
import { canonicalLanguage } from '../../locales/i18n.ts';
import { OverlayWording } from '../../picture/wording.ts';
import { winnerStateOf } from '../../poll/aired-winner.ts';
import type { ShowMessage } from '../../protocol/messages.ts';
import { loadFont, toneAround, watchPageTone } from './page-around.ts';
import { ATTRIBUTES, attributeFault, attributeWarnings } from './widget-attributes.ts';
import { WidgetDrawing, type WidgetLook } from './widget-drawing.ts';
import { composeWidget, faultPicture, type WidgetWords } from './widget-picture.ts';

const NAME = 'poll-results';

/** Servers that render pages import this module without having `HTMLElement`. */
const BaseElement: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

const CONNECTING: readonly string[] = ['poll', 'show', 'relay', 'view-key', 'delay'];

/** Widgets of one relay share one socket. */
const links = new Map<string, RelayLink>();

/**
 * Live results on any page:
 *
 *     <script src="https://relay.example/widget.js" async></script>
 *     <poll-results poll="<id>"></poll-results>
 *
 * Attributes: `PollResultsAttributes`; mistakes are shown in the widget's place and on the console.
 * CSS variables and parts: README.md of `client-package/`. Bubbling events: `poll-results` with the
 * stream's results as `detail`, and `poll-state` with the `WatchState`.
 */
export class PollResultsElement extends BaseElement {
  static readonly observedAttributes: readonly string[] = ATTRIBUTES;
  /** Relay of widgets without `relay`: the origin of the script, if that is a relay. */
  static defaultRelay = '';

  readonly #drawing = new WidgetDrawing(this.attachShadow({ mode: 'open' }));
  #watch: Watch | undefined;
  #results: ResultsMessage | undefined;
  /** What the show says of it. */
  #winner: ShowMessage['aired_winner'];
  #state: WatchState = { state: 'connecting', attempts: 0 };
  #words: WidgetWords | undefined;
  #fault: string | undefined;
  /** Logged with the next picture, after all attributes that change together. */
  #advice: readonly string[] = [];
  #isDue = false;
  #stopWatching: (() => void) | undefined;
  /** Browsers report the attributes of a new element before they connect it. */
  #isStarted = false;

  connectedCallback(): void {
    this.#isStarted = true;
    this.#stopWatching = watchPageTone(() => this.#drawSoon());
    this.#restart();
  }

  disconnectedCallback(): void {
    this.#isStarted = false;
    this.#stopWatching?.();
    this.#watch?.close();
    this.#watch = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.#isStarted) return;
    this.#words = undefined;
    if (CONNECTING.includes(name)) this.#restart();
    else {
      this.#examine();
      this.#drawSoon();
    }
  }

  #restart(): void {
    const before = this.#watch;
    this.#winner = undefined;
    this.#forget();
    this.#examine();
    this.#watch = this.#open();
    // Closed last, because the socket closes with its last watch.
    before?.close();
  }

  #open(): Watch | undefined {
    if (this.#fault !== undefined) return undefined;
    const { poll, show = '', 'view-key': key, delay = 0 } = this.#given;
    const link = linkTo(this.#relay);
    const options = {
      key,
      delay: Number(delay),
      onResults: (results: ResultsMessage) => this.#take({ results }),
      onState: (state: WatchState) => this.#take({ state }),
      onShow: () => this.#forget(),
      onChange: (show: ShowMessage) => {
        this.#winner = show.aired_winner;
        this.#drawSoon();
      },
    };
    return poll ? link.watch(poll, options) : link.follow(show, options);
  }

  get #given(): { readonly [name in (typeof ATTRIBUTES)[number]]?: string } {
    const named = ATTRIBUTES.map(name => [name, this.getAttribute(name) ?? undefined]);
    return Object.fromEntries(named);
  }

  get #relay(): string {
    return new URL(this.#given.relay ?? PollResultsElement.defaultRelay, document.baseURI).href;
  }

  #examine(): void {
    const given = this.#given;
    this.#fault = attributeFault(given, PollResultsElement.defaultRelay);
    this.#advice = this.#fault === undefined ? attributeWarnings(given) : [this.#fault];
  }

  #forget(): void {
    this.#results = undefined;
    this.#state = { state: 'connecting', attempts: 0 };
    this.#drawSoon();
  }

  #take({ results, state }: { results?: ResultsMessage; state?: WatchState }): void {
    if (results) {
      this.#results = results;
      this.#dispatch('poll-results', results);
    }
    if (state) {
      this.#state = state;
      if (state.state === 'hidden') this.#results = undefined;
      this.#dispatch('poll-state', state);
    }
    this.#drawSoon();
  }

  #dispatch(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Draws once per animation frame, and not in the background. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.isConnected) this.#draw();
    });
  }

  #draw(): void {
    // biome-ignore lint/suspicious/noConsole: the page's developer reads it
    for (const words of this.#advice) console.warn(`<poll-results>: ${words}`, this);
    this.#advice = [];
    this.#words ??= this.#createWords();
    const results = this.#results && { ...this.#results, winner: winnerStateOf(this.#winner, this.#results) };
    const picture =
      this.#fault === undefined
        ? composeWidget(this.#state, results, this.#words, Date.now())
        : faultPicture(this.#fault);
    this.#drawing.draw(picture, this.#look(this.#words.wording.direction));
    const own = getComputedStyle(this).getPropertyValue('--poll-font');
    const letters = [picture.title, picture.note, ...picture.rows.map(row => row.answer)].join('');
    if (this.#fault === undefined && own === '') void loadFont(this.#relay, letters);
  }

  #look(direction: 'ltr' | 'rtl'): WidgetLook {
    const { theme, values, vote, poll, show } = this.#given;
    const relay = this.#fault === undefined ? this.#relay.replace(/\/$/, '') : '';
    return {
      direction,
      tone: theme === 'dark' || theme === 'light' ? theme : toneAround(this),
      values: values === 'percent' || values === 'count' ? values : 'both',
      voteUrl:
        this.#fault !== undefined || vote === 'none'
          ? undefined
          : `${relay}/vote/${poll ? poll : `show/${show}`}`,
      relay,
    };
  }

  #createWords(): WidgetWords {
    const language = languageOf(this);
    return {
      wording: new OverlayWording(language, 0),
      phrases: catalogueFor(language).widget,
      sort: this.getAttribute('sort') === 'votes' ? 'votes' : 'order',
      voided: this.getAttribute('voided') === 'show',
    };
  }
}

function linkTo(relay: string): RelayLink {
  const link = links.get(relay) ?? new RelayLink(relay);
  links.set(relay, link);
  return link;
}

/** Falls back to English where the page names no valid language. */
function languageOf(element: Element): string {
  return canonicalLanguage(element.closest('[lang]')?.getAttribute('lang') || navigator.language);
}

/** Does nothing on the second call, or without `customElements`. */
export function definePollResults(): void {
  const elements = globalThis.customElements;
  if (elements && !elements.get(NAME)) elements.define(NAME, PollResultsElement);
}
