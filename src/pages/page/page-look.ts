import { hash } from 'node:crypto';
import { contrast, mix, type Rgb, toHex, toRgb } from '../../picture/color.ts';
import { objectPosition } from '../../picture/draw/cover.ts';
import { IMAGE_FOCUS, type ImageFocus, type Poll } from '../../poll/poll.ts';
import type { PageLook } from './messages.ts';

interface Scheme {
  /** What text stands on, and the text itself, as in `tokens.css`. */
  readonly grounds: readonly [ground: string, plate: string];
  readonly text: string;
  /** On the accent, which has the contrast of text with the grounds. */
  readonly onAccent: string;
}

/** The page follows the visitor's system, whatever the theme of the overlays. */
export const schemes: Readonly<Record<'light' | 'dark', Scheme>> = {
  light: { grounds: ['#f6f7f9', '#ffffff'], text: '#14181f', onAccent: '#ffffff' },
  dark: { grounds: ['#101318', '#191d25'], text: '#eceff4', onAccent: '#101318' },
};
/** The least contrast of text, and of a bar, by WCAG 2.2. */
const TEXT_CONTRAST = 4.5;
const BAR_CONTRAST = 3;
const STEPS = 10;
const TINT = 0.12;
const MARK_LENGTH = 10;

/** The part of a show's look that pages use: the rest is for screens. */
interface Look {
  readonly accent?: string | undefined;
  readonly colors?: readonly string[] | undefined;
}

interface PublicLook {
  readonly look?: Look | undefined;
  /** Path on the relay. */
  readonly logo?: string | undefined;
}

/** @param relayUrl without a slash at the end */
export function pageLook({ look, logo }: PublicLook, relayUrl: string): PageLook {
  const css = look ? inBothSchemes(scheme => writeScheme(look, scheme)) : '';
  const url = logo === undefined ? null : `${relayUrl}${logo}`;
  const mark = css || url ? hash('sha256', `${css} ${url}`).slice(0, MARK_LENGTH) : '';
  return { mark, css, logo: url };
}

function inBothSchemes(write: (scheme: Scheme) => string): string {
  const light = write(schemes.light);
  return light && `${light}@media (prefers-color-scheme:dark){${write(schemes.dark)}}`;
}

function writeScheme({ accent, colors }: Look, scheme: Scheme): string {
  const { grounds, onAccent } = scheme;
  const rules: string[] = [];
  if (accent) {
    const shown = legible(accent, scheme, TEXT_CONTRAST);
    const tint = toHex(mix(toRgb(grounds[1]), shown, TINT));
    rules.push(`:root,.rows{--accent:${toHex(shown)};--on-accent:${onAccent};--tint:${tint}}`);
  }
  for (const [at, color] of (colors ?? []).entries()) {
    const fill = toHex(legible(color, scheme, BAR_CONTRAST));
    rules.push(`.rows>:nth-child(${colors!.length}n+${at + 1}){--fill:${fill}}`);
  }
  return rules.join('');
}

/** The crops of a poll's images, and the colors of its answers: in each scheme with the contrast of a bar. */
export function pollSheet({ image, imageFocus = IMAGE_FOCUS, answers }: Poll): string {
  const crop = (selector: string, focus: ImageFocus) =>
    `${selector}{object-position:${objectPosition(focus)}}`;
  const crops = answers.map(
    answer => answer.imageFocus && crop(`.face .focus-${answer.id}`, answer.imageFocus),
  );
  const colors = inBothSchemes(scheme =>
    answers
      .map(({ color }, at) =>
        color === undefined
          ? ''
          : `.rows>:nth-child(${at + 1}),.color-${at + 1}{--fill:${toHex(legible(color, scheme, BAR_CONTRAST))}}`,
      )
      .join(''),
  );
  return [image !== null && crop('.picture', imageFocus), ...crops, colors].filter(Boolean).join('');
}

/** A color without enough contrast is mixed with that of the text until it has. */
function legible(color: string, { grounds, text }: Scheme, least: number): Rgb {
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(toRgb(color), toRgb(text), step / STEPS);
    if (grounds.every(ground => contrast(mixed, toRgb(ground)) >= least)) return mixed;
  }
  return toRgb(text);
}
