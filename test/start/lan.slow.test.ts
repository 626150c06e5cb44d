import { writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { misspelledSettings, readConfig, settingsOf } from '../../src/start/config.ts';
import { privateAddresses, withLan } from '../../src/start/network.ts';
import { openCreationUrl, unreachableLink } from '../../src/start/preflight.ts';
import { welcome } from '../../src/start/welcome.ts';
import { GOOD_POLL, post } from '../support/api-request.ts';
import { builtFile } from '../support/relay-process.ts';
import { until } from '../support/until.ts';
import { type Program, startProgram } from './program.ts';

const SERVER = builtFile('start/main.js');

const addressOf = (address: string, internal = false) => ({
  address,
  internal,
  family: address.includes(':') ? ('IPv6' as const) : ('IPv4' as const),
  netmask: '255.255.255.0',
  mac: '00:00:00:00:00:00',
  cidr: null,
  scopeid: 0,
});

async function createPoll({ url }: Program): Promise<{ id: string; links: Record<string, string> }> {
  return (await post(url, { poll: GOOD_POLL })).json;
}

/** Starts the program with `--lan` on a machine whose network is what the returned function sets. */
async function startInNetwork(
  interfaces: Record<string, string>,
  settings: Record<string, string> = {},
): Promise<{ program: Program; moveTo(interfaces: Record<string, string>): void }> {
  const file = join(await mkdtemp(join(tmpdir(), 'tallycast-lan-')), 'interfaces.json');
  const moveTo = (now: Record<string, string>) => {
    const shown = Object.entries(now).map(([name, address]) => [name, [addressOf(address)]]);
    writeFileSync(file, JSON.stringify(Object.fromEntries(shown)));
  };
  moveTo(interfaces);
  const preload = `
    import os from 'node:os';
    import { readFileSync } from 'node:fs';
    import { syncBuiltinESMExports } from 'node:module';
    os.networkInterfaces = () => JSON.parse(readFileSync(${JSON.stringify(file)}, 'utf8'));
    syncBuiltinESMExports();`;
  const command = [process.execPath, SERVER, '--lan'];
  return { program: await startProgram(settings, { command, preload }), moveTo };
}

it('takes private addresses of a machine’s own interfaces, and none of a tunnel or a container', () => {
  const interfaces = {
    lo: [addressOf('127.0.0.1', true)],
    docker0: [addressOf('172.17.0.1')],
    tun0: [addressOf('10.8.0.2')],
    wg0: [addressOf('10.9.0.2')],
    'br-1f3a': [addressOf('172.18.0.1')],
    'vEthernet (WSL)': [addressOf('172.20.0.1')],
    eth0: [addressOf('203.0.113.7'), addressOf('fd00::2'), addressOf('192.168.1.20')],
    tailscale0: [addressOf('100.101.102.103')],
    wlan0: [addressOf('10.0.0.5')],
  };
  expect(privateAddresses(interfaces)).toEqual(['192.168.1.20', '10.0.0.5']);
});

it('puts the address into links that have no public URL', () => {
  const lan = (environment: Record<string, string>, address?: string) => {
    const { host, relayUrl, voteUrl } = settingsOf(withLan(readConfig(environment), address));
    return { host, relayUrl, voteUrl };
  };
  expect(lan({}, '192.168.1.20')).toMatchObject({
    relayUrl: 'http://192.168.1.20:8080',
    voteUrl: 'http://192.168.1.20:8081',
  });
  expect(lan({ VOTE_PUBLIC_URL: 'https://vote.example' }, '192.168.1.20')).toMatchObject({
    relayUrl: 'http://192.168.1.20:8080',
    voteUrl: 'https://vote.example',
  });
  expect(lan({})).toMatchObject({ host: '0.0.0.0', voteUrl: 'http://localhost:8081' });
});

it('listens to the network, and its links lead there', async () => {
  const { program } = await startInNetwork({ eth0: '192.168.1.20', docker0: '172.17.0.1' });
  await program.running();
  const { links } = await createPoll(program);
  const { port } = new URL(program.voteUrl);
  expect(links['vote']).toMatch(new RegExp(`^http://192\\.168\\.1\\.20:${port}/`));
  expect(program.lines.find(({ msg }) => msg === 'server listening')).toMatchObject({
    vote: `http://192.168.1.20:${port}`,
  });
  // One line for each server, however many addresses the machine has.
  const listening = program.lines
    .map(({ msg }) => msg)
    .filter(msg => msg.endsWith('listening') || msg === '');
  expect(listening).toEqual(['relay listening', 'voting front end listening', 'server listening']);
});

it('follows a changed address, and keeps polls and votes', async () => {
  const { program, moveTo } = await startInNetwork({ eth0: '192.168.1.20' });
  await program.running();
  const { id } = await createPoll(program);
  moveTo({ eth0: '10.0.0.9' });
  await until(
    () => program.lines.filter(({ msg }) => msg === 'server listening').length === 2,
    'the new address',
  );
  const { links } = await createPoll(program);
  expect(links['overlay']).toMatch(/^http:\/\/10\.0\.0\.9:/);
  expect((await fetch(`${program.url}/api/poll/${id}`)).status).toBe(200);
  program.child.kill('SIGTERM');
  expect(await program.ended()).toBe(0);
});

it('starts where there is no network', async () => {
  const { program } = await startInNetwork({});
  await program.running();
  expect(program.lines.find(({ msg }) => msg === 'links open on this computer only')).toMatchObject({
    level: 'warn',
  });
});

it.each([
  [['--lan'], { HOST: '127.0.0.1' }, '--lan opens the servers to the network, and HOST=127.0.0.1 does not'],
  [['--lann'], {}, 'unknown option --lann'],
])('%j with %j is rejected in words', async (options, settings, words) => {
  const program = await startProgram(settings, { command: [process.execPath, SERVER, ...options] });
  expect(await program.ended()).toBe(2);
  expect(program.log).toContain(words);
});

it('shows a code to scan, what being open means, and other addresses', () => {
  const config = withLan(readConfig({}), '192.168.1.20');
  const text = welcome(config, ['192.168.1.20', '10.0.0.5']);
  expect(text).toContain('http://192.168.1.20:8081/new');
  expect(text).toMatch(/█▀▀▀▀▀█/);
  expect(text).toContain('anyone in your network can vote and create polls');
  expect(text).toContain('Other addresses of this machine: 10.0.0.5');
  const strict = withLan(readConfig({ CREATE_REQUIRES_KEY: 'true' }), '192.168.1.20');
  expect(welcome(strict, ['192.168.1.20'])).toContain('Creating polls takes a key');
  expect(welcome(config, [])).toContain('in no network');
});

it.each([
  [{}, undefined],
  [{ HOST: '0.0.0.0' }, 'http://localhost:8081'],
  [{ HOST: '0.0.0.0', VOTE_PUBLIC_URL: 'https://vote.example' }, 'http://localhost:8080'],
  [{ HOST: '0.0.0.0', VOTE_PUBLIC_URL: 'https://a.example', PUBLIC_URL: 'https://b.example' }, undefined],
  [{ HOST: '192.168.1.20' }, undefined],
])('links of this computer alone are found: %j', (environment, link) => {
  expect(unreachableLink(readConfig(environment))).toBe(link);
});

it('a private address is no public place', () => {
  expect(openCreationUrl(withLan(readConfig({}), '192.168.1.20'))).toBeUndefined();
});

it.each([
  [{ VOTE_PUBLIC_ULR: 'x' }, ['VOTE_PUBLIC_ULR is no setting: did you mean VOTE_PUBLIC_URL?']],
  [{ REDIS_URI: 'x' }, ['REDIS_URI is no setting: did you mean REDIS_URL?']],
  [{ REDIS_URI: 'x', REDIS_URL: 'redis://a' }, []],
  [{ HOSTS: 'x', HOSTNAME: 'y', LANGUAGE: 'de', DATA: 'z' }, []],
])('a misspelled setting is found: %j', (environment, found) => {
  expect(misspelledSettings(environment)).toEqual(found);
});
