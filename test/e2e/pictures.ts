import { drawContactSheets } from './contact-sheets.ts';
import { takeReadmePictures } from './readme-pictures.ts';

/**
 * Draws overlays over video, as a mixer does, to look at.
 *
 *     npm run pictures                           the pictures that the README shows
 *     npm run pictures -- <folder> [<pattern>]   sheets of every style, theme, moment, screen and kind of text, or of those
 *                                                whose name matches, larger
 */

const [folder, pattern = ''] = process.argv.slice(2);
if (folder === undefined) await takeReadmePictures('test/e2e/pictures');
else await drawContactSheets(folder, pattern);
