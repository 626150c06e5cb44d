import { takeReadmePictures } from './readme-pictures.ts';

/** Takes the pictures of the README: `npm run pictures`. */

await takeReadmePictures('test/e2e/pictures');
