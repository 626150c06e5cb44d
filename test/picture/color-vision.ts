/**
 * How colors look to people with a color-vision deficiency: Machado, Oliveira and Fernandes (2009), severity
 * 1.0, applied in linear light; and how far two colors are apart (Euclidean, in OKLab).
 */

type Triple = readonly [number, number, number];

const SIGHTS: Record<string, readonly [Triple, Triple, Triple]> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

export const sights = Object.keys(SIGHTS);

/** `#rrggbb` as linear light. */
export function toLinear(hex: string): Triple {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
}

export function seenAs(sight: string, linear: Triple): Triple {
  const matrix = SIGHTS[sight]!;
  const row = (at: 0 | 1 | 2) =>
    Math.min(
      1,
      Math.max(0, matrix[at][0] * linear[0] + matrix[at][1] * linear[1] + matrix[at][2] * linear[2]),
    );
  return [row(0), row(1), row(2)];
}

export function toOklab([r, g, b]: Triple): Triple {
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

/** Distance of two colors as one sight sees them; 0.02 is about a just noticeable difference. */
export function distance(sight: string, one: string, other: string): number {
  const a = toOklab(seenAs(sight, toLinear(one)));
  const b = toOklab(seenAs(sight, toLinear(other)));
  return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/** WCAG contrast ratio of two colors in linear light. */
export function contrast(one: Triple, other: Triple): number {
  const luminance = ([r, g, b]: Triple) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [high, low] = [luminance(one), luminance(other)].sort((a, b) => b - a) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

const WHITE = [0.95047, 1, 1.08883] as const;

/** CIELAB, D65. */
function toLab([r, g, b]: Triple): Triple {
  const xyz = [
    0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
    0.2126729 * r + 0.7151522 * g + 0.072175 * b,
    0.0193339 * r + 0.119192 * g + 0.9503041 * b,
  ];
  const [x, y, z] = xyz.map((value, at) => {
    const part = value / WHITE[at]!;
    return part > 216 / 24_389 ? Math.cbrt(part) : ((24_389 / 27) * part + 16) / 116;
  }) as [number, number, number];
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

const inDegrees = (radians: number) => ((radians * 180) / Math.PI + 360) % 360;
const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);
const sin = (degrees: number) => Math.sin((degrees * Math.PI) / 180);

/** CIEDE2000 (2005) of two colors in CIELAB. */
export function ciede2000([light1, a1, b1]: Triple, [light2, a2, b2]: Triple): number {
  const mean = (Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2;
  const g = 0.5 * (1 - Math.sqrt(mean ** 7 / (mean ** 7 + 25 ** 7)));
  const [chroma1, chroma2] = [Math.hypot(a1 * (1 + g), b1), Math.hypot(a2 * (1 + g), b2)];
  const [hue1, hue2] = [inDegrees(Math.atan2(b1, a1 * (1 + g))), inDegrees(Math.atan2(b2, a2 * (1 + g)))];
  const isGray = chroma1 * chroma2 === 0;
  const turn = isGray ? 0 : ((hue2 - hue1 + 540) % 360) - 180;
  const hue = isGray ? hue1 + hue2 : (hue1 + turn / 2 + 360) % 360;
  const [light, chroma] = [(light1 + light2) / 2, (chroma1 + chroma2) / 2];
  const t =
    1 - 0.17 * cos(hue - 30) + 0.24 * cos(2 * hue) + 0.32 * cos(3 * hue + 6) - 0.2 * cos(4 * hue - 63);
  const byLight = (light2 - light1) / (1 + (0.015 * (light - 50) ** 2) / Math.sqrt(20 + (light - 50) ** 2));
  const byChroma = (chroma2 - chroma1) / (1 + 0.045 * chroma);
  const byHue = (2 * Math.sqrt(chroma1 * chroma2) * sin(turn / 2)) / (1 + 0.015 * chroma * t);
  const rotation =
    -sin(60 * Math.exp(-(((hue - 275) / 25) ** 2))) * 2 * Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  return Math.sqrt(byLight ** 2 + byChroma ** 2 + byHue ** 2 + rotation * byChroma * byHue);
}

/** CIEDE2000 of two colors as one sight sees them. */
export function difference(sight: string, one: string, other: string): number {
  return ciede2000(toLab(seenAs(sight, toLinear(one))), toLab(seenAs(sight, toLinear(other))));
}
