import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/start/config.ts';
import { BASE_IMAGE, readComposition, readShipped } from './composition.ts';

/** Settings that the compose file fixes, or that have no use in a container. */
const FIXED = ['DATA_DIR', 'HOST', 'METRICS_HOST', 'METRICS_PORT', 'PORT', 'ROLE', 'VOTE_PORT'];
/** Settings that the compose file rewrites. */
const REWRITTEN: Readonly<Record<string, string>> = {
  REDIS_CA_FILE: '/run/tallycast/redis-ca.pem',
  REDIS_CERT_FILE: '/run/tallycast/redis-cert.pem',
  REDIS_KEY_FILE: '/run/tallycast/redis-key.pem',
  TRUST_PROXY: '172.30.66.10,given',
  VPN_LIST_FILE: '/run/tallycast/vpn-list',
};
const SERVERS = ['relay-1', 'relay-2', 'voting-1', 'voting-2'];
const PROXY_ADDRESS = '172.30.66.10';

const { services, networks } = parse(readShipped('docker-compose.yml'), { merge: true });
const environmentOf = (name: string, variables = {}) =>
  readComposition(variables).find(service => service.name === name)?.environment ?? {};

describe('the compose file', () => {
  it('has Redis, two relays, two voting front ends and a reverse proxy', () => {
    const running = readComposition().filter(({ profiles }) => profiles.length === 0);
    expect(running.map(({ name, environment }) => [name, environment['ROLE']])).toEqual([
      ['redis', undefined],
      ['relay-1', 'relay'],
      ['relay-2', 'relay'],
      ['voting-1', 'voting'],
      ['voting-2', 'voting'],
      ['front-door', undefined],
    ]);
  });

  it.each(SERVERS)('passes every setting to %s, and no empty values', name => {
    const open = Object.keys(settings.shape).filter(setting => !FIXED.includes(setting));
    const given = Object.fromEntries(open.map(setting => [setting, 'given']));
    const { HOST, METRICS_HOST, METRICS_PORT, DATA_DIR, ROLE, NODE_ENV, ...passed } = environmentOf(
      name,
      given,
    );
    expect(passed).toEqual({ ...given, ...REWRITTEN });
    const unset = environmentOf(name);
    expect([unset['VPN_LIST_FILE'], unset['LOG_LEVEL']]).toEqual(['', undefined]);
  });

  it('has a Redis that persists its data, evicts nothing and deletes lazily', () => {
    const [redis] = readComposition();
    for (const option of [
      '--appendonly yes',
      '--appendfsync everysec',
      '--save ""',
      '--maxmemory-policy noeviction',
      '--lazyfree-lazy-expire yes',
    ])
      expect(redis?.command).toContain(option);
    expect(services.redis.volumes).toEqual(['redis:/data']);
    // redis-cli exits with 0 after an error reply.
    expect(redis?.health).toBe('redis-cli ping | grep -q PONG');
  });

  it('limits the memory of each service, and Redis to less than its limit', () => {
    const megabytes = (text: string) =>
      Number.parseInt(text, 10) * (/g/.test(text) ? 1_024 : /m/.test(text) ? 1 : Number.NaN);
    for (const [name, { mem_limit }] of Object.entries<{ mem_limit: string }>(services))
      expect(megabytes(mem_limit.replace(/^\$\{\w+:-(.*)\}$/, '$1')), name).toBeGreaterThan(64);
    const maximum = /--maxmemory (\S+)/.exec(readComposition()[0]?.command ?? '')?.[1] as string;
    const limit = services.redis.mem_limit.replace(/^\$\{REDIS_MEMORY:-(.*)\}$/, '$1');
    // Rewriting the append-only file needs room.
    expect(megabytes(maximum)).toBeLessThanOrEqual(megabytes(limit) / 2);
  });

  it('pins images to an exact version', () => {
    for (const { name, image } of readComposition())
      if (image !== undefined) expect(image, name).toMatch(/:v?\d+\.\d+\.\d+/);
    expect(BASE_IMAGE).toMatch(/:\d+\.\d+\.\d+/);
  });

  it('trusts only the reverse proxy, whose address is reserved', () => {
    expect(environmentOf('relay-1')['TRUST_PROXY']).toBe(`${PROXY_ADDRESS},`);
    expect(services['front-door'].networks.inner.ipv4_address).toBe(PROXY_ADDRESS);
    const [{ subnet, gateway, ip_range }] = networks.inner.ipam.config;
    expect([subnet, gateway, ip_range]).toEqual(['172.30.66.0/24', '172.30.66.1', '172.30.66.128/25']);
  });

  it('has Prometheus scrape every server, with the rules beside its configuration', () => {
    const { scrape_configs, rule_files } = parse(readShipped('src/deploy/monitoring/prometheus.yml'));
    const targets = scrape_configs[0].static_configs.flatMap((group: { targets: string[] }) => group.targets);
    expect(targets).toEqual(SERVERS.map(name => `${name}:9464`));
    const prometheus = readComposition({ PUBLIC_URL: 'https://relay.example' }).find(
      ({ name }) => name === 'prometheus',
    );
    const beside = Object.keys(prometheus?.files ?? {}).map(path => basename(path));
    expect(beside).toEqual(['prometheus.yml', ...rule_files]);
    const [file] = scrape_configs.find((job: { job_name: string }) => job.job_name === 'public')
      .file_sd_configs[0].files;
    expect(parse(prometheus?.texts[`/etc/prometheus/${file}`] ?? '')).toEqual([
      { targets: ['https://relay.example', ''] },
    ]);
  });

  it('limits all logs, and gives servers time to stop', () => {
    for (const [name, { logging, restart }] of Object.entries<Record<string, unknown>>(services))
      expect([name, logging, restart]).toEqual([
        name,
        { driver: 'local', options: { 'max-size': '10m', 'max-file': '5' } },
        'unless-stopped',
      ]);
    for (const name of SERVERS) expect(parseInt(services[name].stop_grace_period, 10)).toBeGreaterThan(10);
  });
});

describe('the compose file with nginx', () => {
  it('mounts its configuration, and gives servers fixed addresses', () => {
    const changed = parse(readShipped('src/deploy/nginx.yml'), { logLevel: 'silent' });
    expect(changed.services['front-door'].configs).toEqual([
      { source: 'nginx', target: '/etc/nginx/nginx.conf' },
    ]);
    expect(readShipped(changed.configs.nginx.file)).toContain('relay-2:8080');
    const fixed = SERVERS.map(name => changed.services[name].networks.inner.ipv4_address);
    expect(new Set([PROXY_ADDRESS, ...fixed]).size).toBe(SERVERS.length + 1);
    // The lower half, which has no dynamic addresses.
    for (const address of fixed) expect(Number(address.split('.').at(-1))).toBeLessThan(128);
  });
});
