import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settingsTable } from './settings-table.ts';

/** `npm run readme`: brings the table of settings up to date. */
const path = join(process.cwd(), 'README.md');
const readme = readFileSync(path, 'utf8');
const table = `<!-- settings -->\n${settingsTable()}\n<!-- /settings -->`;
writeFileSync(
  path,
  readme.replace(/<!-- settings -->[\s\S]*<!-- \/settings -->/, () => table),
);
