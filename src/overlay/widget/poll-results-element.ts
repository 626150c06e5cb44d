import { RelayLink } from '../../client/relay-link.ts';
import type { ResultsMessage, Watch, WatchState } from '../../client/watch-state.ts';
import { createWording } from '../picture/wording.ts';
import { WidgetDrawing } from './widget-drawing.ts';
import { widgetPhrases } from './widget-phrases.ts';
import { composeWidget, type WidgetWords } from './widget-picture.ts';

/** All widgets of a page that belong to one relay share one socket. */
const links = new Map<string, RelayLink>();

/**
 * Live results on anybody's page:
 *
 *     <script src="https://relay.example/widget.js" async></script>
 *     <poll-results poll="<id>"></poll-results>
 *
 * | attribute | meaning |
 * |---|---|
 * | `poll` | id of the poll |
 * | `show` | instead of `poll`: the name of a show; the widget follows whatever poll it points to |
 * | `relay` | where the relay is; else where the script came from |
 * | `view-key` | opens hidden results, for all who can read the page: only ever the poll's `view_key` |
 * | `sort` | `order` (as the poll has them, the default) or `votes` |
 * | `values` | `percent` or `count`; else both |
 * | `theme` | `light` or `dark`; else what the reader's system asks for |
 * | `lang` | language of the few words; else that of the page |
 *
 * Variables: `--poll-font` (a whole `font`), `--poll-title-size`, `--poll-text`, `--poll-muted`, `--poll-background`,
 * `--poll-border`, `--poll-radius`, `--poll-padding`, `--poll-gap`, `--poll-bar`, `--poll-bar-leader`, `--poll-bar-height`,
 * `--poll-track`, `--poll-away` (the mark of a lost relay), `--poll-duration`. Parts: `frame`, `title`, `rows`, `row`,
 * `answer`, `badge`, `figures`, `percent`, `count`, `track`, `fill`, `foot`, `note`, `away`.
 *
 * Events, which bubble: `poll-results` (`detail`: the results as the live stream gives them) and `poll-state` (`detail`:
 * what is known about them).
 */
export class PollResultsElement extends HTMLElement {
  static readonly observedAttributes = ['poll', 'show', 'relay', 'view-key', 'sort', 'lang'];
  /** Where the script came from; set by the entry before the element is defined. */
  static defaultRelay = '';

  readonly #drawing = new WidgetDrawing(this.attachShadow({ mode: 'open' }));
  #watch: Watch | undefined;
  #results: ResultsMessage | undefined;
  #state: WatchState = { state: 'connecting', attempts: 0 };
  #words: WidgetWords | undefined;
  #isDue = false;
  /** A browser reports the attributes of a new element before it reports the element. */
  #isStarted = false;

  connectedCallback(): void {
    this.#isStarted = true;
    this.#restart();
  }

  disconnectedCallback(): void {
    this.#isStarted = false;
    this.#watch?.close();
    this.#watch = undefined;
  }

  attributeChangedCallback(name: string): void {
    if (!this.#isStarted) return;
    if (name === 'sort' || name === 'lang') {
      this.#words = undefined;
      this.#drawSoon();
    } else this.#restart();
  }

  #restart(): void {
    const before = this.#watch;
    this.#forget();
    this.#watch = this.#open();
    // Closed last: where it was the only one, the socket would close with it.
    before?.close();
  }

  #open(): Watch | undefined {
    const relay = new URL(this.getAttribute('relay') ?? PollResultsElement.defaultRelay, document.baseURI)
      .href;
    const poll = this.getAttribute('poll');
    const show = this.getAttribute('show');
    const options = {
      key: this.getAttribute('view-key') ?? undefined,
      onResults: (results: ResultsMessage) => this.#take({ results }),
      onState: (state: WatchState) => this.#take({ state }),
      onShow: () => this.#forget(),
    };
    if (poll) return linkTo(relay).watch(poll, options);
    return show ? linkTo(relay).follow(show, options) : undefined;
  }

  #forget(): void {
    this.#results = undefined;
    this.#state = { state: 'connecting', attempts: 0 };
    this.#drawSoon();
  }

  #take({ results, state }: { results?: ResultsMessage; state?: WatchState }): void {
    if (results) {
      this.#results = results;
      this.#tell('poll-results', results);
    }
    if (state) {
      this.#state = state;
      if (state.state === 'hidden') this.#results = undefined;
      this.#tell('poll-state', state);
    }
    this.#drawSoon();
  }

  #tell(type: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }

  /** Once for all that comes before the next picture; a page in the background draws nothing. */
  #drawSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      if (this.isConnected) this.#draw();
    });
  }

  #draw(): void {
    this.#words ??= this.#createWords();
    const picture = composeWidget(this.#state, this.#results, this.#words, Date.now());
    this.#drawing.draw(picture, this.#words.wording.direction);
  }

  #createWords(): WidgetWords {
    const language = languageOf(this);
    return {
      wording: createWording(language, 0),
      phrases: widgetPhrases(language),
      sort: this.getAttribute('sort') === 'votes' ? 'votes' : 'order',
    };
  }
}

function linkTo(relay: string): RelayLink {
  const link = links.get(relay) ?? new RelayLink(relay);
  links.set(relay, link);
  return link;
}

/** A page may name a language that is none. */
function languageOf(element: Element): string {
  const named = element.closest('[lang]')?.getAttribute('lang') || navigator.language;
  try {
    return Intl.getCanonicalLocales(named)[0] ?? 'en';
  } catch {
    return 'en';
  }
}
