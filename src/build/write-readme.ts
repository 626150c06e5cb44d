import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldTable, requestTable } from '../document/readme-tables.ts';
import { metricsTable } from '../metrics/catalogue.ts';
import { parameterTable } from '../picture/parameter-table.ts';
import { errorTable } from '../poll/poll-error.ts';
import { settingsTable } from '../start/config.ts';

/** `npm run readme`: updates the generated tables of the READMEs. */

for (const [file, name, table] of [
  ['src/start/README.md', 'settings', settingsTable()],
  ['src/overlay/README.md', 'parameters', parameterTable()],
  ['src/metrics/README.md', 'metrics', metricsTable()],
  ['src/api/README.md', 'requests', await requestTable()],
  ['src/api/README.md', 'fields', fieldTable()],
  ['src/api/README.md', 'errors', errorTable()],
] as const) {
  const path = join(process.cwd(), file);
  const document = readFileSync(path, 'utf8');
  const begin = `<!-- ${name} -->`;
  const end = `<!-- /${name} -->`;
  const inside = document.slice(document.indexOf(begin), document.indexOf(end));
  writeFileSync(
    path,
    document.replace(inside, () => `${begin}\n${table}\n`),
  );
}
