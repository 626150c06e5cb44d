import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtFolder, filesIn } from '../http/assets.ts';

const FONT_FILE = /^inter-([a-z-]+)\.[0-9a-f]{10}\.woff2$/;
/** Those that Inter lacks come from the system. */
const SCRIPTS = [
  'latin',
  'latin-european',
  'latin-ext',
  'vietnamese',
  'greek',
  'greek-ext',
  'cyrillic',
  'cyrillic-ext',
];
/** Preferred for their marks and weights where they are installed. */
const NOTO = [
  'Arabic',
  'Hebrew',
  'Thai',
  'Lao',
  'Khmer',
  'Myanmar',
  'Devanagari',
  'Bengali',
  'Gujarati',
  'Gurmukhi',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Armenian',
  'Georgian',
  'Ethiopic',
];
const SYSTEM = ['Segoe UI', 'Roboto', 'Helvetica Neue', 'Arial', 'Noto Sans', 'Noto Color Emoji'];

/**
 * A family for each file of Inter, because a family has only one face of each weight. Skia finds
 * other fonts by itself.
 */
export const FAMILIES = [
  ...SCRIPTS.map(name => `"Inter ${name}"`),
  ...[...SYSTEM, ...NOTO.map(name => `Noto Sans ${name}`)].map(name => `"${name}"`),
  'sans-serif',
].join(', ');

/** Registers the fonts that the relay serves. */
export function registerFonts(
  { GlobalFonts }: Pick<typeof import('@napi-rs/canvas'), 'GlobalFonts'>,
  folder = builtFolder('fonts'),
): void {
  for (const file of filesIn(folder)) {
    const path = fileURLToPath(file);
    const scripts = FONT_FILE.exec(basename(path))?.[1];
    if (scripts !== undefined) GlobalFonts.registerFromPath(path, `Inter ${scripts}`);
  }
}
