import { fetchBounded } from '../../client/bounded-reply.ts';
import type { Face as Drawable, Faces } from '../../picture/draw/paint.ts';
import { drawableSize, type ImageSize, MAX_SIDE } from '../../poll/image-size.ts';
import { createKeptCanvas } from './kept-canvas.ts';

const MOST_LOADING = 4;
/** A decoded image may take 64 MB until it has its size. */
const MOST_DECODING = 1;
/** Those of a few polls; the ones that were drawn last stay. */
const MOST_KEPT = 60;
/** A picture that did not come is tried again with what is drawn after this time. */
const RETRY_MS = 15_000;

interface Face {
  /** Holds every box that was asked for: a poll may draw one picture in several sizes. */
  box: FaceBox;
  image: Drawable | undefined;
  loaded: Promise<Loaded> | undefined;
  failedMs: number | undefined;
}

interface FaceBox {
  readonly width: number;
  readonly height: number;
  readonly color: string;
}

const NONE: FaceBox = { width: 0, height: 0, color: '' };

interface Loaded {
  readonly blob: Blob;
  readonly size: ImageSize;
}

/**
 * Loads the pictures of answers from a relay, and keeps them in the largest size in which they are
 * drawn. Errors leave the box as it is.
 */
export class FaceLoader {
  /** Called when a picture has come, or was lost and is made again by the next `find`. */
  onChange: () => void = () => {};
  readonly #relay: string;
  readonly #faces = new Map<string, Face>();
  readonly #abort = new AbortController();
  readonly #load = atMost(MOST_LOADING);
  readonly #decode = atMost(MOST_DECODING);

  constructor(relay: string) {
    this.#relay = relay;
  }

  /** Starts loading what is not there. While a larger size is made, the one before is drawn. */
  readonly find: Faces = (path, width, height, color) => {
    // Answers may share a picture.
    const key = `${path} ${color}`;
    const known = this.#faces.get(key);
    const isSpent = known?.failedMs !== undefined && performance.now() - known.failedMs > RETRY_MS;
    const face: Face =
      known && !isSpent ? known : { box: NONE, image: undefined, loaded: undefined, failedMs: undefined };
    this.#keep(key, face);
    const { width: wide, height: high } = face.box;
    if ((width > wide || height > high) && face.failedMs === undefined) {
      face.box = { width: Math.max(width, wide), height: Math.max(height, high), color };
      void this.#make(path, face);
    }
    return face.image;
  };

  close(): void {
    this.#abort.abort();
    this.#faces.clear();
  }

  #keep(key: string, face: Face): void {
    this.#faces.delete(key);
    this.#faces.set(key, face);
    if (this.#faces.size <= MOST_KEPT) return;
    for (const oldest of this.#faces.keys()) {
      this.#faces.delete(oldest);
      return;
    }
  }

  async #make(path: string, face: Face): Promise<void> {
    const { box } = face;
    try {
      face.loaded ??= this.#load(() => loadImage(`${this.#relay}${path}`, this.#abort.signal));
      const loaded = await face.loaded;
      const onLost = () => {
        Object.assign(face, { box: NONE, image: undefined });
        this.onChange();
      };
      const image = await this.#decode(() =>
        face.box === box && !this.#abort.signal.aborted ? scale(loaded, box, onLost) : undefined,
      );
      if (!image || face.box !== box) return;
      face.image = image;
      this.onChange();
    } catch {
      face.failedMs = performance.now();
    }
  }
}

/** @throws for what is no image, or too large to decode */
async function loadImage(url: string, signal: AbortSignal): Promise<Loaded> {
  const { ok, body } = await fetchBounded(url, signal);
  const bytes = new Uint8Array(await body.arrayBuffer());
  const size = ok ? drawableSize(bytes) : undefined;
  if (!size) throw new TypeError('no image');
  return { blob: body, size };
}

async function scale(
  { blob, size }: Loaded,
  { width, height, color }: FaceBox,
  onLost: () => void,
): Promise<Drawable> {
  // Large enough to cover the box, also where the file says that its image lies on its side.
  const sides = [size.width, size.height];
  const resizeWidth = Math.ceil((Math.max(width, height) * Math.max(...sides)) / Math.min(...sides));
  const options = { resizeWidth: Math.min(MAX_SIDE, resizeWidth), resizeQuality: 'high' } as const;
  const bitmap = await createImageBitmap(blob, options);
  const ratio = Math.min(1, Math.max(width / bitmap.width, height / bitmap.height));
  const [wide, high] = [bitmap.width, bitmap.height].map(side => Math.ceil(side * ratio)) as [number, number];
  const canvas = createKeptCanvas(wide, high, onLost);
  const context = canvas.getContext('2d')!;
  context.fillStyle = color;
  context.fillRect(0, 0, wide, high);
  context.drawImage(bitmap, 0, 0, wide, high);
  bitmap.close();
  return {
    width: wide,
    height: high,
    draw: (target, ...sides) => (target as CanvasRenderingContext2D).drawImage(canvas, ...sides),
  };
}

/** Returns a function that runs at most so many tasks at once. The others wait, in order. */
function atMost(most: number): <T>(task: () => T | Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async task => {
    if (running >= most) await new Promise<void>(resolve => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
