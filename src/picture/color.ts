/** Red, green and blue, from 0 to 255. */
export type Rgb = readonly number[];

/** Returns the contrast of two colors by WCAG 2.2, from 1 to 21. */
export function contrast(one: Rgb, other: Rgb): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map(value => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Parses a color of a look, of 3, 4, 6 or 8 digits. Its opacity is left out. */
export function toRgb(color: string): Rgb {
  const digits = color.slice(1);
  const long = digits.length > 4 ? digits : digits.replace(/./g, '$&$&');
  return [0, 2, 4].map(at => Number.parseInt(long.slice(at, at + 2), 16));
}

/** Whole steps, so that the contrast is that of the color which is written. */
export function mix(one: Rgb, other: Rgb, part: number): Rgb {
  return one.map((value, at) => Math.round(value + (other[at]! - value) * part));
}

export function toHex(color: Rgb): string {
  return `#${color.map(value => value.toString(16).padStart(2, '0')).join('')}`;
}
