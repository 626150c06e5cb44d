/**
 * Creates a canvas that is drawn once and copied often.
 *
 * @param onLost its GPU has lost the drawing, which has to be made again
 */
export function createKeptCanvas(width: number, height: number, onLost: () => void): HTMLCanvasElement {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  canvas.addEventListener('contextlost', onLost, { once: true });
  return canvas;
}
