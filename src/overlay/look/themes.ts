import { marks, type Tone } from '../../row/palette.ts';
import type { ThemeName } from '../parameter/parameters.ts';
import type { Settings } from '../parameter/read-parameters.ts';

/**
 * A theme is these variables; each can be set alone from the URL. Lengths are in pixels of a picture
 * that is 1080 high and grow with it. No theme blurs of itself: a browser source has nothing of the video
 * behind it that could be blurred, and drawing 1080 lines with a blur halved the frames where there is no GPU.
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

export type ThemeVariable = keyof Theme;

export const themes: Readonly<Record<ThemeName, Theme>> = {
  dark: {
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
  },
  light: {
    plate: '#fbfbfdf2',
    edge: '#0b0f1914',
    text: '#11141c',
    soft: '#414857',
    track: '#0b0f191f',
    accent: marks.light.accent,
    stroke: '#ffffff',
    strokewidth: 0,
    radius: 22,
    bar: 7,
    padding: 34,
    blur: 0,
  },
  flat: {
    plate: '#12161f',
    edge: '#00000000',
    text: '#ffffff',
    soft: '#c2c8d4',
    track: '#2a303c',
    accent: marks.dark.accent,
    stroke: '#080a10',
    strokewidth: 0,
    radius: 0,
    bar: 0,
    padding: 34,
    blur: 0,
  },
  outline: {
    plate: '#00000000',
    edge: '#00000000',
    text: '#ffffff',
    soft: '#ffffff',
    track: '#0b0f1999',
    accent: marks.dark.accent,
    stroke: '#080a10',
    strokewidth: 2.5,
    radius: 0,
    bar: 7,
    padding: 0,
    blur: 0,
  },
};

/** Which lightness of the palette stands out on the theme's plate. */
export const themeTones: Readonly<Record<ThemeName, Tone>> = {
  dark: 'dark',
  light: 'light',
  flat: 'dark',
  outline: 'dark',
};

/** The theme asked for, with every variable replaced that the URL sets. */
export function resolveTheme(settings: Settings): Theme {
  const theme: Record<string, string | number> = { ...themes[settings.theme] };
  for (const variable of Object.keys(theme)) {
    const asked = settings[variable as ThemeVariable];
    if (asked !== null) theme[variable] = asked;
  }
  return theme as unknown as Theme;
}

/** What is read on the accent, whichever colour was asked for: the darker or the lighter of two, by its luminance. */
export function onAccent(accent: string): string {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(
    at => (Number.parseInt(accent.slice(at, at + 2), 16) / 255) ** 2.2,
  );
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.18 ? '#11141c' : '#ffffff';
}
