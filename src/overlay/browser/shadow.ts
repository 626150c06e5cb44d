import { type Bounds, type Canvas2D, traceBox } from '../../picture/draw/canvas.ts';
import { castShadow, SHADOW, type ShadowedBox } from '../../picture/draw/paint.ts';
import { createKeptCanvas } from './kept-canvas.ts';

/** Room around a box in which its shadow is drawn, in units. */
export const REACH = 90;
const MOST_KEPT = 4;
/** Straight part of each side in the drawing. */
const SIDE = 8;

/**
 * Draws the shadow of a panel from a picture of it that is drawn once: blurring at each frame takes
 * more than a frame's time without a GPU. Corners are copied and sides are stretched, so one
 * picture serves a panel of any size.
 */
export class Shadow {
  readonly #onLost: () => void;
  /** A panel has one, and the rows that pass others in it. */
  readonly #drawn = new Map<string, { readonly canvas: HTMLCanvasElement; readonly corner: number }>();

  /** @param onLost a picture was lost, and is made again by the next `draw()` */
  constructor(onLost: () => void) {
    this.#onLost = onLost;
  }

  /** @param at in units */
  draw(context: Canvas2D, { x, y, width, height }: Bounds, box: ShadowedBox): void {
    const { color, unitPx } = box;
    const { canvas, corner } = this.#picture(box);
    const target = context as CanvasRenderingContext2D;
    const source = [0, corner, canvas.width - corner, canvas.width];
    // On whole pixels, so that the pieces meet without a seam.
    const slices = (from: number, length: number) => {
      const [start, end] = [
        Math.round((from - REACH) * unitPx),
        Math.round((from + length + REACH) * unitPx),
      ];
      return [start, start + corner, end - corner, end];
    };
    const across = slices(x, width);
    const down = slices(y, height);
    // The canvas begins where the picture does, not at the corner of the page.
    const { e: originX, f: originY } = target.getTransform();
    target.save();
    target.setTransform(1, 0, 0, 1, originX, originY);
    target.imageSmoothingEnabled = false;
    for (const column of [0, 1, 2])
      for (const row of [0, 1, 2]) {
        const sx = source[column]!;
        const sy = source[row]!;
        const dx = across[column]!;
        const dy = down[row]!;
        const dw = across[column + 1]! - dx;
        const dh = down[row + 1]! - dy;
        const isInside = column === 1 && row === 1;
        // Well inside, the shadow is even.
        if (isInside)
          for (const ink of [SHADOW.color, color]) {
            target.fillStyle = ink;
            target.fillRect(dx, dy, dw, dh);
          }
        else
          target.drawImage(canvas, sx, sy, source[column + 1]! - sx, source[row + 1]! - sy, dx, dy, dw, dh);
      }
    target.restore();
  }

  #picture({ radius, color, unitPx }: ShadowedBox) {
    const key = `${radius} ${color} ${unitPx}`;
    const known = this.#drawn.get(key);
    if (known) return known;
    if (this.#drawn.size >= MOST_KEPT) this.#drawn.clear();
    const corner = Math.ceil((REACH + radius + SIDE) * unitPx);
    const size = 2 * corner + Math.ceil(SIDE * unitPx);
    const canvas = createKeptCanvas(size, size, () => {
      this.#drawn.delete(key);
      this.#onLost();
    });
    const context = canvas.getContext('2d') as Canvas2D;
    context.scale(unitPx, unitPx);
    castShadow(context, unitPx);
    const inner = size / unitPx - 2 * REACH;
    traceBox(context, { x: REACH, y: REACH, width: inner, height: inner }, radius);
    context.fillStyle = color;
    context.fill();
    const drawn = { canvas, corner };
    this.#drawn.set(key, drawn);
    return drawn;
  }
}
