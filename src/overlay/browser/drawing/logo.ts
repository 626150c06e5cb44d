import type { Size } from './drawing.ts';
import { setHidden, setStyle, units } from './element.ts';

/** In units: little more than a line of the title, so that a logo costs the answers next to nothing. */
const MOST: Size = { width: 240, height: 72 };
/** Of the panel's width. */
const WIDEST = 0.22;
/** Between title and logo. */
const GAP = 28;

/** The logo of a show, at the head of the panel: beside the title, where no text can be. */
export class Logo {
  readonly #panel: HTMLElement;
  image: HTMLImageElement | undefined;

  constructor(panel: HTMLElement) {
    this.#panel = panel;
  }

  /** @param image decoded, so that its size is known; undefined for none */
  show(image: HTMLImageElement | undefined): void {
    this.image?.remove();
    this.image = image;
    if (image) {
      image.className = 'logo';
      image.alt = '';
      this.#panel.prepend(image);
    }
    this.fit(0, 0);
  }

  get isShown(): boolean {
    return this.image?.hidden === false;
  }

  /** Sizes the image for a panel, in units, and hides it where that is too low. The style sheet leaves its room beside the title. */
  fit(width: number, height: number): void {
    const { image } = this;
    const { naturalWidth = 1, naturalHeight = 1 } = image ?? {};
    const scale = Math.min(Math.min(MOST.width, width * WIDEST) / naturalWidth, MOST.height / naturalHeight);
    const isShown = image !== undefined && scale > 0 && height >= MOST.height;
    const size = { width: naturalWidth * scale, height: naturalHeight * scale };
    setStyle(this.#panel, '--logo-room', units(isShown ? (size.width + GAP).toFixed(2) : 0));
    setStyle(this.#panel, '--logo-height', units(isShown ? size.height.toFixed(2) : 0));
    if (!image) return;
    setHidden(image, !isShown);
    setStyle(image, 'width', units(size.width.toFixed(2)));
    setStyle(image, 'height', units(size.height.toFixed(2)));
  }
}
