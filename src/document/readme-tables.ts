import type * as z from 'zod';
import { createPollBody } from '../poll/poll-schema.ts';
import { schemaOfInput } from './json-schema.ts';
import { relayOutlines } from './outlines.ts';

/** The generated tables of the README of the API, in Markdown. */

/** Returns all requests: those of polls, of shows and of webhooks, with those of one path together. */
export async function requestTable(): Promise<string> {
  const ofPath = new Map<string, string[]>();
  for (const [route, { key, summary }] of await relayOutlines()) {
    const [method, path = ''] = route.split(' ');
    if (!path.startsWith('/api/')) continue;
    const rows = ofPath.get(path) ?? [];
    rows.push(`| \`${method} ${path}\` | ${key ?? ''} | ${summary} |`);
    ofPath.set(path, rows);
  }
  return ['| request | key | what it does |', '| --- | --- | --- |', ...[...ofPath.values()].flat()].join(
    '\n',
  );
}

interface ObjectSchema {
  readonly properties: Readonly<
    Record<string, { readonly description?: string; readonly default?: unknown }>
  >;
  readonly required?: readonly string[];
}

/** Returns the fields of a new poll. */
export function fieldTable(): string {
  const body = schemaOfInput(createPollBody as z.ZodType) as unknown as {
    readonly properties: { readonly poll: ObjectSchema };
  };
  const { properties, required = [] } = body.properties.poll;
  const rows = Object.entries(properties).map(([name, { description = '', default: value }]) => {
    const usual =
      value === undefined || value === '' ? '' : `\`${JSON.stringify(value).replaceAll('"', '')}\``;
    return `| \`${name}\` | ${description} | ${required.includes(name) ? 'required' : usual} |`;
  });
  return ['| field of a poll | meaning | default |', '| --- | --- | --- |', ...rows].join('\n');
}
