// @module-tag python3
import { execFile } from 'node:child_process';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pythonTool } from '../support/installed-tool.ts';
import { startTestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

const EXAMPLES = Number(process.env['EXAMPLES'] ?? 40);
/** The same requests each time, unless others are asked for. */
const SEED = process.env['SEED'] ?? '1';
const FOLDER = fileURLToPath(new URL('schemathesis/', import.meta.url));
const KEY = 'operator-key-of-the-tests';
const UNLIMITED = 1_000_000;

it(`Schemathesis finds nothing and warns of nothing: default checks, ${EXAMPLES} examples of each operation`, async () => {
  const programs = pythonTool('schemathesis==4.32.5');
  const relay = await startTestRelay({
    operatorKeys: [KEY],
    createPerMinute: UNLIMITED,
    changesPerMinute: UNLIMITED,
    operatorPerMinute: UNLIMITED,
  });
  const show = await takeShow(relay);
  await show.fill(50);
  for (let steps = 0; steps < 25; steps += 1) await show.press('next');
  const { id, admin_key } = await relay.create({ verifiable: true });
  await relay.cast(id, 0, 256);
  await fetch(`${relay.url}/api/poll/${id}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': admin_key },
    body: '{"poll":{"status":"closed"}}',
  });
  const made = await fetch(`${relay.url}/api/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    body: '{"webhook":{"url":"https://hooks.example/"}}',
  });
  const webhook: { id: string } = await made.json();
  const args = [
    '--config-file',
    join(FOLDER, 'schemathesis.toml'),
    'run',
    `${relay.url}/openapi.json`,
    '--max-examples',
    `${EXAMPLES}`,
    '--seed',
    SEED,
    '--no-color',
    // No generator makes the bytes of an image, or finds the id of a webhook.
    '--exclude-path-regex',
    '/(?:logo|ground|image)(?:/|$)',
    ...['deleteWebhook', 'deletePollWebhook', 'deleteShowWebhook'].flatMap(id => [
      '--exclude-operation-id',
      id,
    ]),
  ];
  const env = {
    ...process.env,
    TALLYCAST_KEY: KEY,
    TALLYCAST_SHOW: show.name,
    TALLYCAST_POLL: id,
    TALLYCAST_WEBHOOK: webhook.id,
    SCHEMATHESIS_HOOKS: join(FOLDER, 'hooks.py'),
  };
  const { stdout, stderr } = await promisify(execFile)(join(programs, 'schemathesis'), args, {
    env,
    // It keeps notes where it is run.
    cwd: await mkdtemp(join(tmpdir(), 'schemathesis-')),
    maxBuffer: 1e8,
  }).catch((failed: { stdout: string; stderr: string }) => failed);
  await relay.close();
  expect(stdout + stderr).not.toMatch(/FAILURES|ERRORS|WARNINGS/);
  expect(stdout).toMatch(/No issues found/);
});
