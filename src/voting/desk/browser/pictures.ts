import { find } from '../../page/browser/dom.ts';

/** The canvas that an overlay is drawn for; it is shown smaller, and so looks as it does on air. */
const CANVAS_WIDTH = 1280;

/** The real overlay, small. */
export class DeskPicture {
  readonly #frame: HTMLElement;
  readonly #caption: HTMLElement;
  readonly #lamp: HTMLElement;
  readonly #title: string;
  #url: string | undefined;

  constructor(figure: HTMLElement) {
    this.#frame = find(figure, 'frame')!;
    this.#caption = find(figure, 'caption')!;
    this.#lamp = find(figure, 'lamp')!;
    this.#title = this.#lamp.textContent ?? '';
    new ResizeObserver(() => this.#scale()).observe(this.#frame);
  }

  /** @param url an overlay, or undefined for none */
  show(url: string | undefined, caption: string, label = this.#title): void {
    this.#caption.textContent = caption;
    this.#lamp.textContent = label;
    if (url === this.#url) return;
    this.#url = url;
    // A frame of its own for each address: a new address in an old frame would be a step back in the history of the page.
    this.#frame.replaceChildren(...(url === undefined ? [] : [frameOf(url, this.#title)]));
    this.#scale();
  }

  #scale(): void {
    const frame = this.#frame.querySelector('iframe');
    frame?.style.setProperty('transform', `scale(${this.#frame.clientWidth / CANVAS_WIDTH})`);
  }
}

function frameOf(url: string, title: string): HTMLIFrameElement {
  const frame = document.createElement('iframe');
  frame.title = title;
  frame.tabIndex = -1;
  frame.src = url;
  return frame;
}
