import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsTable } from '../start/config.ts';

/** `npm run readme`: updates the generated table of settings. */

const path = join(process.cwd(), 'src/start/README.md');
const document = readFileSync(path, 'utf8');
const inside = document.slice(document.indexOf('<!-- settings -->'), document.indexOf('<!-- /settings -->'));
writeFileSync(
  path,
  document.replace(inside, () => `<!-- settings -->\n${settingsTable()}\n`),
);
