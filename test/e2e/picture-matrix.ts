import { drawingStyles } from '../../src/overlay/look/styles.ts';
import { themeNames } from '../../src/overlay/look/themes.ts';
import { parameters } from '../../src/overlay/parameter/parameters.ts';

/** Everything that an overlay may have to draw: each style in each theme, moment, screen and kind of text. */

export const screens = {
  '1080p': { width: 1920, height: 1080 },
  '720p': { width: 1280, height: 720 },
  '400': { width: 400, height: 900 },
} as const;

export type ScreenName = keyof typeof screens;

/** Short and long texts, right-to-left ones, and a hundred answers. */
export const casts = ['short', 'long', 'rtl', 'many'] as const;

export const moments = parameters.moment.choices;

export interface Sheet {
  readonly name: string;
  readonly screen: ScreenName;
  readonly cells: readonly { readonly name: string; readonly query: string }[];
}

/** One sheet for each style, screen and cast, of all moments in all themes. */
export function allSheets(): Sheet[] {
  const screenNames = Object.keys(screens) as ScreenName[];
  return drawingStyles.flatMap(style =>
    screenNames.flatMap(screen =>
      casts.map(cast => ({
        name: `${style}-${screen}-${cast}`,
        screen,
        cells: moments.flatMap(moment =>
          themeNames.map(theme => ({
            name: `${moment} ${theme}`,
            query: new URLSearchParams({ style, theme, moment, cast }).toString(),
          })),
        ),
      })),
    ),
  );
}
