import { readFileSync } from 'node:fs';

/** What the package says of itself, seen from `src/document` and from `dist/document` alike. */
const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; description: string };

export const VERSION = version;
export const SUMMARY = description;
export const LICENSE = { name: 'MIT', identifier: 'MIT' } as const;
