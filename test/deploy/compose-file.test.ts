import { basename } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/start/config.ts';
import { BASE_IMAGE, readComposition, readShipped } from './composition.ts';

/** Settings that the compose file fixes, or that have no use in a container. */
const FIXED = ['DATA_DIR', 'HOST', 'METRICS_HOST', 'METRICS_PORT', 'PORT', 'ROLE', 'VOTE_PORT'];
/** Settings that the compose file rewrites. */
const REWRITTEN: Readonly<Record<string, string>> = {
  CHAT_KICK_PUBLIC_KEY_FILE: '/run/tallycast/kick-key.pem',
  CHAT_YOUTUBE_KEY_FILE: '/run/tallycast/youtube-key',
  REDIS_CA_FILE: '/run/tallycast/redis-ca.pem',
  REDIS_CERT_FILE: '/run/tallycast/redis-cert.pem',
  REDIS_KEY_FILE: '/run/tallycast/redis-key.pem',
  TRUST_PROXY: '172.30.66.10,given',
  VPN_LIST_FILE: '/run/tallycast/vpn-list',
};
const SERVERS = ['relay-1', 'relay-2', 'voting-1', 'voting-2'];
const PROXY_ADDRESS = '172.30.66.10';

const { services, networks } = readComposition();
const environmentOf = (name: string, variables = {}) =>
  readComposition(variables)['services'][name].environment;

describe('the compose file', () => {
  it('has Redis, two relays, two voting front ends and a reverse proxy', () => {
    const running = Object.keys(services).filter(name => services[name].profiles === undefined);
    expect(running.map(name => [name, services[name].environment?.ROLE])).toEqual([
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
    const { METRICS_HOST, METRICS_PORT, ROLE, ...passed } = environmentOf(name, given);
    expect(passed).toEqual({ ...given, ...REWRITTEN });
    const unset = environmentOf(name);
    expect([unset['VPN_LIST_FILE'], unset['LOG_LEVEL']]).toEqual(['', undefined]);
  });

  it('has a Redis that persists its data, evicts nothing and deletes lazily', () => {
    for (const option of [
      '--appendonly yes',
      '--appendfsync everysec',
      '--save ""',
      '--maxmemory-policy noeviction',
      '--lazyfree-lazy-expire yes',
    ])
      expect(services.redis.command).toContain(option);
    expect(services.redis.volumes).toEqual(['redis:/data']);
    // redis-cli exits with 0 after an error reply.
    expect(services.redis.healthcheck.test).toEqual(['CMD-SHELL', 'redis-cli ping | grep -q PONG']);
  });

  it('limits the memory of each service, and Redis to less than its limit', () => {
    const megabytes = (text: string) =>
      Number.parseInt(text, 10) * (/g/.test(text) ? 1_024 : /m/.test(text) ? 1 : Number.NaN);
    for (const [name, { mem_limit }] of Object.entries<{ mem_limit: string }>(services))
      expect(megabytes(mem_limit), name).toBeGreaterThan(64);
    const maximum = /--maxmemory (\S+)/.exec(services.redis.command)?.[1] as string;
    // Rewriting the append-only file needs room.
    expect(megabytes(maximum)).toBeLessThanOrEqual(megabytes(services.redis.mem_limit) / 2);
  });

  it('pins images to an exact version', () => {
    for (const [name, { image }] of Object.entries<{ image?: string }>(services))
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
    const mounted: { source: string; target: string }[] = services.prometheus.configs;
    expect(mounted.map(({ target }) => basename(target))).toEqual([
      'prometheus.yml',
      ...rule_files,
      'public-sites.yml',
    ]);
    const [file] = scrape_configs.find((job: { job_name: string }) => job.job_name === 'public')
      .file_sd_configs[0].files;
    const { configs } = readComposition({ PUBLIC_URL: 'https://relay.example' });
    expect(mounted.find(({ target }) => target === `/etc/prometheus/${file}`)?.source).toBe('public-sites');
    expect(parse(configs['public-sites'].content)).toEqual([{ targets: ['https://relay.example', ''] }]);
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
