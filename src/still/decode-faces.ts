import type { Canvas, SKRSContext2D } from '@napi-rs/canvas';
import { coverOf } from '../picture/draw/cover.ts';
import type { Faces } from '../picture/draw/paint.ts';
import type { Part } from '../picture/draw/part.ts';
import { drawableSize } from '../poll/image-size.ts';

/** Loaded on first use, because it is large. */
export type CanvasModule = Pick<typeof import('@napi-rs/canvas'), 'createCanvas' | 'loadImage'>;

/** The picture of an answer. */
export interface FaceFile {
  /** As in results. */
  readonly path: string;
  readonly bytes: Uint8Array;
}

/**
 * Decodes the pictures that these parts show, one after the other, each in the size in which it is drawn. Those that cannot be decoded
 * are left out, as on the overlay.
 */
export async function decodeFaces(
  parts: readonly Part[],
  unitPx: number,
  files: readonly FaceFile[],
  module: CanvasModule,
): Promise<Faces> {
  const decoded = new Map<string, Canvas>();
  for (const { shape } of parts) {
    if (shape.kind !== 'face') continue;
    const file = files.find(({ path }) => path === shape.path);
    const [width, height] = shape.size.map(length => Math.round(length * unitPx)) as [number, number];
    const made =
      file && (await scale(file.bytes, { width, height, color: shape.color }, module).catch(() => undefined));
    if (made) decoded.set(file.path, made);
  }
  return path => {
    const canvas = decoded.get(path);
    return (
      canvas && {
        width: canvas.width,
        height: canvas.height,
        draw: (context, ...box) => (context as unknown as SKRSContext2D).drawImage(canvas, ...box),
      }
    );
  };
}

async function scale(
  bytes: Uint8Array,
  { width, height, color }: { readonly width: number; readonly height: number; readonly color: string },
  module: CanvasModule,
) {
  if (!drawableSize(bytes)) return undefined;
  const image = await module.loadImage(bytes);
  const canvas = module.createCanvas(width, height);
  const context = canvas.getContext('2d');
  context.fillStyle = color;
  context.fillRect(0, 0, width, height);
  context.drawImage(image, ...coverOf(image, canvas), 0, 0, width, height);
  // Frees up to 64 MB now, which a collection would do too late for the next one.
  image.src = new Uint8Array(0);
  return canvas;
}
