import { fitLogo, LOGO_GAP } from '../../../picture/logo-size.ts';
import { setHidden, setStyle, units } from './element.ts';

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
    const natural = image && { width: image.naturalWidth, height: image.naturalHeight };
    const size = natural && fitLogo(natural, width, height);
    setStyle(this.#panel, '--logo-room', units(size ? (size.width + LOGO_GAP).toFixed(2) : 0));
    setStyle(this.#panel, '--logo-height', units(size ? size.height.toFixed(2) : 0));
    if (!image) return;
    setHidden(image, !size);
    if (!size) return;
    setStyle(image, 'width', units(size.width.toFixed(2)));
    setStyle(image, 'height', units(size.height.toFixed(2)));
  }
}
