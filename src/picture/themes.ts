import { contrast, mix, type Rgb, toHex, toRgb } from './color.ts';
import { marks, type Tone } from './row-look.ts';

/** The type around the rows of a picture, in units. */
export const typeScale = {
  title: { size: 48, weight: 600 },
  note: { size: 28.5, weight: 600 },
} as const;

/** 2.6 % of the picture's height: still legible across a room. Text never shrinks below it. */
export const SMALLEST_TEXT = 28.5;

/**
 * Colors and lengths of a theme; each is also a URL parameter. Lengths are in units: pixels of a
 * 1080p picture. No theme blurs, because a browser source has no video behind it and blurring
 * halves the frame rate without a GPU.
 */
export interface Theme {
  readonly plate: string;
  readonly edge: string;
  readonly text: string;
  readonly soft: string;
  readonly track: string;
  readonly accent: string;
  readonly stroke: string;
  readonly strokewidth: number;
  readonly radius: number;
  readonly bar: number;
  readonly padding: number;
  readonly blur: number;
}

export const themeNames = ['dark', 'light', 'flat', 'outline'] as const;
export type ThemeName = (typeof themeNames)[number];

const dark: Theme = {
  plate: '#0b0f19eb',
  edge: '#ffffff1f',
  text: '#ffffff',
  soft: '#d3d8e3',
  track: '#ffffff24',
  accent: marks.dark.accent,
  stroke: '#080a10',
  strokewidth: 0,
  radius: 22,
  bar: 7,
  padding: 34,
  blur: 0,
};

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark,
  light: {
    ...dark,
    plate: '#fbfbfdf2',
    edge: '#0b0f1914',
    text: '#11141c',
    soft: '#414857',
    track: '#0b0f191f',
    accent: marks.light.accent,
    stroke: '#ffffff',
  },
  flat: {
    ...dark,
    plate: '#12161f',
    edge: '#00000000',
    soft: '#c2c8d4',
    track: '#2a303c',
    radius: 0,
    bar: 0,
  },
  outline: {
    ...dark,
    plate: '#080a1090',
    edge: '#00000000',
    soft: '#ffffff',
    track: '#0b0f1999',
    strokewidth: 2.5,
    radius: 0,
    // The plate of a winner reaches so far.
    padding: 12,
  },
};

/** Fills the screen instead of lying over video. */
export const offAirTheme: Theme = { ...dark, plate: '#0a0c12', edge: '#00000000', padding: 0, radius: 0 };

/** Which palette has enough contrast with the theme's background. */
export const themeTones: Readonly<Record<ThemeName, Tone>> = {
  dark: 'dark',
  light: 'light',
  flat: 'dark',
  outline: 'dark',
};

/** A theme, and the variables that replace its own. */
type ThemeChoice = { readonly theme: ThemeName } & { readonly [V in keyof Theme]: Theme[V] | null };

export function resolveTheme(choice: ThemeChoice): Theme {
  const theme = themes[choice.theme];
  const chosen = Object.entries(choice).filter(([name, value]) => name in theme && value !== null);
  return { ...theme, ...Object.fromEntries(chosen) };
}

/** Returns a dark or light text color for any accent, by its luminance. */
export function onAccent(accent: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    at => (Number.parseInt(accent.slice(at, at + 2), 16) / 255) ** 2.2,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#11141c' : '#ffffff';
}

/** Opacity of what did not win, which keeps a contrast of 3 : 1 in every theme. */
export const LOST_ALPHA = 0.62;
/** Least contrast of texts, and of those that did not win; with room for rounded colors. */
const LEAST = { contrast: 4.55, lost: 3.05 };
const STEPS = 50;

/**
 * Returns the ground of a full picture, and the opacity of a veil over its image. Both give texts a
 * contrast of at least 4.5 : 1, whatever the image is. Where texts have an outline, the ground lets
 * the video through.
 *
 * @param chosen mixed with black or white until it is legible
 */
export function groundOf({ text, soft, plate, strokewidth }: Theme, chosen: string | null) {
  const black = toRgb('#000000');
  const white = toRgb('#ffffff');
  const veil: Rgb = contrast(toRgb(text), black) > contrast(toRgb(text), white) ? black : white;
  const stepsFor = (color: Rgb): number => {
    const isLegible = (step: number) => {
      const ground = mix(color, veil, step / STEPS);
      return [text, soft].map(toRgb).every(ink => {
        const lost = mix(ground, ink, LOST_ALPHA);
        return contrast(ink, ground) >= LEAST.contrast && contrast(lost, ground) >= LEAST.lost;
      });
    };
    let step = 0;
    while (step < STEPS && !isLegible(step)) step += 1;
    return step / STEPS;
  };
  const asked = toRgb(chosen ?? plate);
  const worst = veil.map(part => 255 - part);
  return {
    color: chosen === null && strokewidth > 0 ? plate : toHex(mix(asked, veil, stepsFor(asked))),
    veil: toHex(veil),
    veilAlpha: stepsFor(worst),
  };
}
