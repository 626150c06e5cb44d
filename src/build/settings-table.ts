import { z } from 'zod';
import { settings } from '../start/config.ts';

/** The README's table of settings, from the schema that reads them, so that no default can differ from what it says. */
export function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const value = schema.safeParse(undefined).data;
    const shown =
      value === undefined || (Array.isArray(value) && value.length === 0) ? 'not set' : `\`${value}\``;
    return `| \`${name}\` | ${shown} | ${z.globalRegistry.get(schema)?.description ?? schema.description} |`;
  });
  return ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}
