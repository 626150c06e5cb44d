// @module-tag python3
import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openapi } from '../support/described-api.ts';
import { npmTools, pythonTool } from '../support/installed-tool.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';

const run = promisify(execFile);

/** Creates a poll with both spellings of a flag, reads it and its code. */
const IN_TYPESCRIPT = `
import createClient from 'openapi-fetch';
import type { paths } from './api.d.ts';

const client = createClient<paths>({ baseUrl: process.argv[2]! });
const { data: created, error } = await client.POST('/api/poll', {
  body: { poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true, ma: 1 } },
});
if (error) throw new Error(error.error.message);
const params = { path: { id: created.id } };
const { data: results } = await client.GET('/api/poll/{id}', { params });
if (!results) throw new Error('no results');
const total: number = results.total_votes;
const { data: code } = await client.GET('/api/poll/{id}/qr.png', { params, parseAs: 'arrayBuffer' });
console.log(total, results.poll_answers[0]!.answer, code!.byteLength > 100);
`;

const IN_PYTHON = `
import importlib, pkgutil, sys
import tallycast_client
from tallycast_client import Client
from tallycast_client.api.polls import create_poll, draw_code_of_poll_as_png, read_poll
from tallycast_client.models import CreatePollBody, CreatePollBodyPoll

for module in pkgutil.walk_packages(tallycast_client.__path__, "tallycast_client."):
    importlib.import_module(module.name)
client = Client(base_url=sys.argv[1], raise_on_unexpected_status=True)
poll = CreatePollBodyPoll(title="Which song next?", answers=["Waterloo", "Volare"], mip=True, ma=1)
created = create_poll.sync(client=client, body=CreatePollBody(poll=poll))
results = read_poll.sync(created.id, client=client)
code = draw_code_of_poll_as_png.sync(created.id, client=client)
print(results.total_votes, results.poll_answers[0].answer, len(code.payload.read()) > 100)
`;

describe('the OpenAPI document', () => {
  let relay: TestRelay;
  beforeAll(async () => {
    relay = await startTestRelay();
  });
  afterAll(() => relay.close());

  it('becomes a TypeScript client whose results have one type', async () => {
    const home = npmTools(['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', 'typescript@5.9.3']);
    const folder = await mkdtemp(join(home, 'client-'));
    const program = (name: string) => join(home, 'node_modules', '.bin', name);
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(openapi));
    await writeFile(join(folder, 'use.ts'), IN_TYPESCRIPT);
    const { stderr } = await run(program('openapi-typescript'), ['openapi.json', '-o', 'api.d.ts'], {
      cwd: folder,
    });
    expect(stderr).not.toMatch(/warn|error/i);
    await copyFile(join(home, 'package.json'), join(folder, 'package.json'));
    const compiler = ['--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node', 'use.ts'];
    const types = ['--typeRoots', join(import.meta.dirname, '../../node_modules/@types')];
    await run(program('tsc'), [...types, ...compiler], { cwd: folder }).catch(({ stdout }) =>
      expect(stdout).toBe(''),
    );
    const { stdout } = await run(process.execPath, ['use.js', relay.url], { cwd: folder });
    expect(stdout).toBe('0 Waterloo true\n');
  });

  it('becomes a Python client that has every operation', async () => {
    const programs = pythonTool('openapi-python-client==0.29.1');
    const folder = await mkdtemp(join(tmpdir(), 'python-client-'));
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(openapi));
    await writeFile(join(folder, 'use.py'), IN_PYTHON);
    const args = ['--path', 'openapi.json', '--output-path', 'tallycast_client', '--meta', 'none'];
    const env = { ...process.env, PATH: `${programs}:${process.env['PATH']}` };
    const generated = await run(
      join(programs, 'openapi-python-client'),
      ['generate', ...args, '--fail-on-warning'],
      { cwd: folder, env },
    ).catch((failed: { stdout: string; stderr: string }) => failed);
    expect(generated.stdout + generated.stderr).not.toMatch(/warning|error|cannot|unsupported/i);
    const { stdout } = await run(join(programs, 'python'), ['use.py', relay.url], { cwd: folder });
    expect(stdout).toBe('0 Waterloo True\n');
  });
});
