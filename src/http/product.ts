import { readFileSync } from 'node:fs';

/** From package.json, which is two folders up from `src/http` and from `dist/http`. */
const { version, description } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string; description: string };

export const VERSION = version;
export const SUMMARY = description;
export const LICENSE = { name: 'MIT', identifier: 'MIT' } as const;
