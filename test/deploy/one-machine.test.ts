import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/start/config.ts';
import { makeCertificates } from '../support/certificates.ts';
import { programPath } from '../support/programs.ts';
import { readShipped } from './composition.ts';

const run = promisify(execFile);
const read = (name: string) => readShipped(`src/deploy/one-machine/${name}`);
const settings = Object.fromEntries(
  read('environment')
    .split('\n')
    .filter(line => /^\w+=/.test(line))
    .map(line => line.split('=')),
);

/** Writes a file where its program reads it. */
async function write(name: string, text: string): Promise<{ file: string; folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-one-machine-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, name), text);
  return { file: join(folder, name), folder };
}

describe('the files for one machine', () => {
  it('the Caddyfile is valid for Caddy', { tags: ['caddy'] }, async () => {
    const { file, folder } = await write('Caddyfile', read('Caddyfile'));
    const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    const args = ['validate', '--adapter', 'caddyfile', '--config', file];
    expect((await run(programPath('caddy'), args, { env })).stdout).toContain('Valid configuration');
  });

  it('nginx.conf is valid for nginx', { tags: ['nginx'] }, async () => {
    const { certFile, keyFile, remove } = makeCertificates();
    onTestFinished(remove);
    const placed = read('nginx.conf')
      .replaceAll(/\/etc\/letsencrypt\S+fullchain\.pem/g, certFile)
      .replaceAll(/\/etc\/letsencrypt\S+privkey\.pem/g, keyFile)
      .replace(/^user .*\n/m, '');
    const { file, folder } = await write('nginx.conf', `pid nginx.pid;\n${placed}`);
    const { stderr } = await run(programPath('nginx'), ['-t', '-q', '-p', folder, '-c', file]);
    expect(stderr.replace(/^.*could not open error log file.*\n/gm, '')).toBe('');
  });

  it('the settings are valid, and name the hosts and the proxy of the other files', () => {
    const { PORT, VOTE_PORT, PUBLIC_URL = '', VOTE_PUBLIC_URL = '', HOST } = readConfig(settings);
    expect(settings['TRUST_PROXY']).toBe(HOST);
    for (const [name, proxy] of [
      ['Caddyfile', /^([\w.]+) \{\n\treverse_proxy (\S+)\n\}$/gm],
      ['nginx.conf', /server_name ([\w.]+);[^}]*proxy_pass http:\/\/(\S+);/g],
    ] as const)
      expect([...read(name).matchAll(proxy)].map(([, host, to]) => [host, to])).toEqual([
        [new URL(PUBLIC_URL).host, `${HOST}:${PORT}`],
        [new URL(VOTE_PUBLIC_URL).host, `${HOST}:${VOTE_PORT}`],
      ]);
  });

  it('no port is in two of them', () => {
    const { PORT, VOTE_PORT } = readConfig(settings);
    const listened = [...read('nginx.conf').matchAll(/listen (\d+)/g)].map(([, port]) => Number(port));
    expect(new Set(listened)).toEqual(new Set([80, 443]));
    for (const port of [PORT, VOTE_PORT]) expect(listened).not.toContain(port);
    // Caddy takes 80 and 443 for names without a port.
    expect(read('Caddyfile')).not.toMatch(/^(?:http:\/\/)?[\w.]*:\d+/m);
  });
});
