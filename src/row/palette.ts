/**
 * One palette, given in OKLCH so that no answer outshines another, and turned into sRGB here because the
 * browser inside OBS may be too old for `oklch()`. Hues and the small differences in lightness were searched
 * for the largest distance between any two under normal sight, protanopia, deuteranopia and tritanopia;
 * `test/overlay/palette.test.ts` holds them to it.
 */

export type Tone = 'dark' | 'light';
export type Rgb = readonly [red: number, green: number, blue: number];

interface Swatch {
  /** Added to the lightness of the tone. */
  readonly lift: number;
  readonly chroma: number;
  /** Degrees. */
  readonly hue: number;
}

/** Bars on a dark plate are lighter than bars on a light one: both keep 3 : 1 against their plate. */
const LIGHTNESS: Record<Tone, number> = { dark: 0.74, light: 0.57 };

const SWATCHES: readonly Swatch[] = [
  { lift: -0.07, chroma: 0.161, hue: 283 },
  { lift: 0.07, chroma: 0.164, hue: 73 },
  { lift: 0.07, chroma: 0.146, hue: 171 },
  { lift: -0.07, chroma: 0.17, hue: 36 },
  { lift: 0.058, chroma: 0.168, hue: 295 },
  { lift: -0.07, chroma: 0.077, hue: 343 },
];

/** The colours of the palette as `#rrggbb`, in the order in which answers take them. */
export function paletteColors(tone: Tone): string[] {
  return SWATCHES.map(({ lift, chroma, hue }) => toHex(oklchToRgb(LIGHTNESS[tone] + lift, chroma, hue)));
}

/** The mark of the winner, on a plate of this tone. */
export const marks: Readonly<Record<Tone, { accent: string; onAccent: string }>> = {
  dark: { accent: '#ffd25e', onAccent: '#11141c' },
  light: { accent: '#8a5a00', onAccent: '#ffffff' },
};

/** sRGB, each 0 to 1; chroma is reduced until the colour exists in sRGB. */
export function oklchToRgb(lightness: number, chroma: number, hue: number): Rgb {
  for (let c = chroma; c > 0; c -= 0.004) {
    const rgb = oklabToLinear(lightness, c * Math.cos(radians(hue)), c * Math.sin(radians(hue)));
    if (rgb.every(channel => channel >= -0.0005 && channel <= 1.0005)) return mapRgb(rgb, encodeGamma);
  }
  return mapRgb(oklabToLinear(lightness, 0, 0), encodeGamma);
}

function oklabToLinear(lightness: number, a: number, b: number): Rgb {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

function encodeGamma(linear: number): number {
  const value = Math.min(1, Math.max(0, linear));
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

function mapRgb(rgb: Rgb, change: (channel: number) => number): Rgb {
  return [change(rgb[0]), change(rgb[1]), change(rgb[2])];
}

function toHex(rgb: Rgb): string {
  return `#${rgb
    .map(channel =>
      Math.round(channel * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`;
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}
