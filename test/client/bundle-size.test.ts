import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const LIMIT_BYTES = 4 * 1024;

it.each(['watch-poll.ts', 'relay-link.ts'])('keeps %s under 4 KB, bundled and compressed', async file => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../../src/client/${file}`, import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'chrome103',
    write: false,
  });
  const text = outputFiles[0]!.text;
  expect(text).toContain('export{');
  expect(text).not.toMatch(/\bfrom\s*"|\bimport\b/);
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(LIMIT_BYTES);
});
