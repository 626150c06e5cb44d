import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

it.each([
  ['watch-poll.ts', 5],
  ['relay-link.ts', 6],
])('%s is below %d KB, bundled and compressed', async (file, limitKb) => {
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
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(limitKb * 1024);
});
