import type { Canvas, Image, SKRSContext2D } from '@napi-rs/canvas';
import { LRUCache } from 'lru-cache';
import type { Faces } from '../picture/draw/paint.ts';
import type { Part } from '../picture/draw/part.ts';
import { ANSWER_SIDES, drawableSize, MAX_ANSWER_IMAGE_BYTES } from '../poll/image-size.ts';

/** Loaded on first use, because it is large. */
export type CanvasModule = Pick<typeof import('@napi-rs/canvas'), 'createCanvas' | 'loadImage'>;

export interface ImageFile {
  /** Ends with the hash of its bytes; a face has the path in results. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

const KEPT_BYTES = 64 * 1024 * 1024;
const WEBP_QUALITY = 85;
/** Frees up to 100 MB of a decoded image now, which a collection would do too late for the next one. */
const FREED = new Uint8Array(0);

/** Images in about the size in which they are drawn. Each is decoded once, also one that cannot be decoded. */
export class Images {
  readonly #module: CanvasModule;
  readonly #kept = new LRUCache<string, { readonly canvas: Canvas | undefined }>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ canvas }) => 1 + (canvas ? 4 * canvas.width * canvas.height : 0),
  });

  constructor(module: CanvasModule) {
    this.#module = module;
  }

  /** @param side of a square that it has to cover, in pixels @returns undefined if it cannot be decoded */
  async find({ file, bytes }: ImageFile, side: number): Promise<Canvas | undefined> {
    // Pictures of similar sizes share a step.
    const step = 2 ** Math.ceil(Math.log2(side));
    const key = `${step} ${file.slice(file.lastIndexOf('/') + 1)}`;
    const known = this.#kept.get(key);
    if (known) return known.canvas;
    const image = drawableSize(bytes) && (await this.#module.loadImage(bytes).catch(() => undefined));
    const canvas = image && this.#shrink(image, step / Math.min(image.width, image.height));
    if (image) image.src = FREED;
    this.#kept.set(key, { canvas });
    return canvas;
  }

  /**
   * Returns a WebP that an answer can have, upright and without the facts of a photo; empty if it
   * cannot be decoded.
   */
  async scale(photo: Uint8Array): Promise<Uint8Array> {
    const image = await this.#module.loadImage(photo).catch(() => undefined);
    let scaled: Uint8Array = FREED;
    if (!image) return scaled;
    for (const side of ANSWER_SIDES) {
      const canvas = this.#shrink(image, side / Math.max(image.width, image.height));
      scaled = await canvas.encode('webp', WEBP_QUALITY);
      if (scaled.length <= MAX_ANSWER_IMAGE_BYTES) break;
    }
    image.src = FREED;
    return scaled;
  }

  /**
   * Finds the pictures that these parts show; undefined after `endMs`. Those that cannot be decoded
   * are left out, as on the overlay.
   */
  async findFaces(
    parts: readonly Part[],
    unitPx: number,
    files: readonly ImageFile[],
    endMs: number,
  ): Promise<Faces | undefined> {
    const found = new Map<string, Canvas>();
    for (const { shape } of parts) {
      if (shape.kind !== 'face') continue;
      if (performance.now() > endMs) return undefined;
      const face = files.find(({ file }) => file === shape.path);
      const canvas = face && (await this.find(face, Math.max(...shape.size) * unitPx));
      if (canvas) found.set(face.file, canvas);
    }
    return (path, _width, _height, color) => {
      const canvas = found.get(path);
      if (!canvas) return undefined;
      const { width, height } = canvas;
      return {
        width,
        height,
        draw(context, ...sides) {
          const [, , , , ...box] = sides;
          context.fillStyle = color;
          context.fillRect(...box);
          (context as SKRSContext2D).drawImage(canvas, ...sides);
        },
      };
    };
  }

  /** @param scale is 1 for a larger one */
  #shrink(image: Image, scale: number): Canvas {
    const sides = [image.width, image.height].map(side => Math.max(1, Math.round(side * Math.min(1, scale))));
    const [width, height] = sides as [number, number];
    const canvas = this.#module.createCanvas(width, height);
    const context = canvas.getContext('2d');
    context.imageSmoothingQuality = 'high';
    context.drawImage(image, 0, 0, width, height);
    return canvas;
  }
}
