import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parameterTable } from '../overlay/parameter/parameters.ts';
import { settingsTable } from '../start/config.ts';

/** `npm run readme`: brings the tables up to date that are printed from the code. */
const path = join(process.cwd(), 'README.md');
let readme = readFileSync(path, 'utf8');
for (const [name, table] of [
  ['settings', settingsTable()],
  ['parameters', parameterTable().trim()],
] as const) {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const inside = readme.slice(readme.indexOf(begin), readme.indexOf(end));
  readme = readme.replace(inside, () => `${begin}\n${table}\n`);
}
writeFileSync(path, readme);
