/** What drawing needs of a 2D canvas, as browsers and `@napi-rs/canvas` both have it. */
export interface Canvas2D {
  font: string;
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  lineJoin: unknown;
  lineCap: unknown;
  globalAlpha: number;
  direction: unknown;
  textAlign: unknown;
  shadowColor: string;
  shadowBlur: number;
  shadowOffsetY: number;
  save(): void;
  restore(): void;
  translate(x: number, y: number): void;
  scale(x: number, y: number): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  arc(x: number, y: number, radius: number, from: number, to: number, counterclockwise?: boolean): void;
  arcTo(x1: number, y1: number, x2: number, y2: number, radius: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  fill(): void;
  stroke(): void;
  clip(): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  fillText(text: string, x: number, y: number): void;
  strokeText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  createLinearGradient(x0: number, y0: number, x1: number, y1: number): Gradient;
  createRadialGradient(x0: number, y0: number, r0: number, x1: number, y1: number, r1: number): Gradient;
}

interface Gradient {
  addColorStop(offset: number, color: string): void;
}

/** A decoded image, and how to draw it: each platform draws its own kind only. */
export interface Image {
  readonly width: number;
  readonly height: number;
  draw(context: Canvas2D, x: number, y: number, width: number, height: number): void;
}

/** In units: pixels of a 1080p picture. */
export interface Bounds {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Traces a box with rounded corners, which Chromium before 99 cannot do by itself. */
export function traceBox(context: Canvas2D, { x, y, width, height }: Bounds, radius: number): void {
  const round = Math.max(0, Math.min(radius, width / 2, height / 2));
  context.beginPath();
  context.moveTo(x + round, y);
  context.arcTo(x + width, y, x + width, y + height, round);
  context.arcTo(x + width, y + height, x, y + height, round);
  context.arcTo(x, y + height, x, y, round);
  context.arcTo(x, y, x + width, y, round);
  context.closePath();
}
