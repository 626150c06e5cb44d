import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Config, settings } from '../../src/start/config.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startProgram } from './program.ts';

/** What stands in the Dockerfile and the compose file, tried on processes of this machine. */

const rig = redisRig();
const read = (name: string) => readFile(new URL(`../../${name}`, import.meta.url), 'utf8');

/** Settings that the compose file decides itself, or that mean nothing in a container. */
const DECIDED: readonly (keyof Config)[] = [
  'DATA_DIR',
  'HOST',
  'PORT',
  'PUBLIC_URL',
  'REDIS_PREFIX',
  'REDIS_URL',
  'ROLE',
  'TRUST_PROXY',
  'VOTE_PORT',
  'VOTE_PUBLIC_URL',
  // A file of the host's has to be mounted.
  'VPN_LIST_FILE',
];

/** Runs the image's health check. @returns its exit code */
async function health(env: Readonly<Record<string, string>>): Promise<number> {
  const dockerfile = (await read('Dockerfile')).replaceAll('\\\n', '');
  const command = /^HEALTHCHECK .*? CMD (.*)$/m.exec(dockerfile)?.[1] ?? 'false';
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const running = promisify(execFile)('/bin/sh', ['-c', command], { env: { PATH, ...env } });
  return running.then(
    () => 0,
    ({ code }) => code,
  );
}

describe("the image's health check", { timeout: 150_000 }, () => {
  it.each(['all', 'relay', 'voting'])('asks what ROLE=%s starts', async ROLE => {
    const { url } = await rig.start();
    const program = await startProgram({ ROLE, REDIS_URL: url });
    const env = { ROLE, PORT: new URL(program.url).port, VOTE_PORT: new URL(program.voteUrl).port };
    expect(await health(env)).toBe(1);
    await program.running();
    expect(await health(env)).toBe(0);
    // The other servers of this machine are not asked.
    if (ROLE !== 'all')
      expect(await health({ ...env, [ROLE === 'relay' ? 'VOTE_PORT' : 'PORT']: '1' })).toBe(0);
    else expect(await health({ ...env, VOTE_PORT: '1' })).toBe(1);
  });
});

describe('the compose file', () => {
  it('hands on every setting, and takes no empty value for one', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    for (const service of ['relay-1', 'relay-2', 'voting-1', 'voting-2']) {
      const { environment } = services[service];
      const open = Object.keys(settings.shape).filter(name => !DECIDED.includes(name as keyof Config));
      const handedOn = Object.keys(environment).filter(name => environment[name] === null);
      expect(handedOn.sort()).toEqual(open.sort());
    }
  });

  it('believes nobody but the load balancer, whose address nobody else gets', async () => {
    const { services, networks } = parse(await read('docker-compose.yml'), { merge: true });
    const balancer = services['load-balancer'].networks.inner.ipv4_address;
    expect(services['relay-1'].environment.TRUST_PROXY).toBe(`${balancer},\${TRUST_PROXY:-}`);
    const [{ subnet, gateway, ip_range }] = networks.inner.ipam.config;
    expect([balancer, subnet, gateway, ip_range]).toEqual([
      '172.30.66.10',
      '172.30.66.0/24',
      '172.30.66.1',
      '172.30.66.128/25',
    ]);
  });

  it('checks the health of Redis and of the load balancer', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    // With an error for a reply redis-cli ends with 0.
    expect(services.redis.healthcheck.test).toEqual(['CMD-SHELL', 'redis-cli ping | grep -q PONG']);
    expect(services['load-balancer'].healthcheck.test.join(' ')).toContain('http://127.0.0.1:8080/livez');
  });
});
