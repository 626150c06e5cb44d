import { type ChildProcess, execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { hasEnded, kill, logOf, spawnKept } from '../support/child-process.ts';
import { programPath } from '../support/programs.ts';
import { until } from '../support/until.ts';
import { ROOT, readComposition, readShipped, type Service } from './composition.ts';

/** docker-compose.yml without containers: each service is a process with its command, environment, files and loopback address. */
export interface Rehearsal {
  readonly redisUrl: string;
  /** URL of a service, as other services reach it. */
  url(name: string, port: number): string;
  log(name: string): string;
  /** Runs its health command. @returns the exit code */
  health(name: string): Promise<number>;
  child(name: string): ChildProcess;
  start(name: string): Promise<void>;
  /** Contains the certificates of the reverse proxy and its local authority. */
  readonly folder: string;
  stop(): Promise<void>;
}

const HEALTHY_MS = 60_000;
export const START_MS = 3 * HEALTHY_MS;
/** Its address in the compose file. The process connects from the loopback address. */
const PROXY_ADDRESS = '172.30.66.10';
const LOOPBACK = '127.0.0.1';

/** @param variables from the shell or `.env` */
export async function rehearse(variables: Readonly<Record<string, string>> = {}): Promise<Rehearsal> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-rehearsal-'));
  // Test files run at the same time.
  const net = `127.${66 + (process.pid % 150)}.${1 + Math.floor(Math.random() * 250)}`;
  const addresses = new Map<string, string>();
  const doorOptions = `${variables['CADDY_GLOBAL_OPTIONS'] ?? ''}\nadmin off\nskip_install_trust\ndefault_bind`;
  const services = () =>
    readComposition({
      ...variables,
      CADDY_GLOBAL_OPTIONS: `${doorOptions} ${addresses.get('front-door')}`,
    }).filter(({ profiles }) => profiles.length === 0);
  for (const [index, { name }] of services().entries()) addresses.set(name, `${net}.${11 + index}`);
  const address = (name: string) => addresses.get(name) as string;
  const find = (name: string) => services().find(service => service.name === name) as Service;

  const placed = (text: string) =>
    [...addresses]
      .reduce((changed, [name, at]) => changed.replaceAll(new RegExp(`\\b${name}(?=:\\d)`, 'g'), at), text)
      .replaceAll(PROXY_ADDRESS, LOOPBACK);
  const programs: Readonly<Record<string, string>> = {
    'redis-server': programPath('redis-server'),
    'redis-cli': programPath('redis-cli'),
    caddy: programPath('caddy'),
    wget: programPath('wget'),
    node: process.execPath,
  };
  /** A command of a service, for a shell of this machine. */
  const here = (service: Service, command: string) => {
    const { name, files } = service;
    const withFiles = Object.keys(files).reduce(
      (text, path) => text.replaceAll(path, join(folder, name, basename(path))),
      command,
    );
    return withFiles
      .replaceAll(LOOPBACK, address(name))
      .replace(/redis-server/, `redis-server --bind ${address(name)} --dir ${folder}`)
      .replace(/redis-cli/, `redis-cli -h ${address(name)}`)
      .replace(
        /(?<![\w/.-])(?:redis-server|redis-cli|caddy|wget|node)(?![\w/.])/g,
        program => programs[program] as string,
      );
  };
  const environment = ({ name, environment: given }: Service) => ({
    PATH: process.env['PATH'],
    HOME: folder,
    TMPDIR: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    ...Object.fromEntries(Object.entries(given).map(([key, value]) => [key, placed(value)])),
    ...(given['HOST'] === '0.0.0.0' && { HOST: address(name), METRICS_HOST: address(name) }),
  });

  const children = new Map<string, ChildProcess>();
  const health = async (name: string) => {
    const service = find(name);
    const options = { env: environment(service), cwd: ROOT };
    return promisify(execFile)('/bin/sh', ['-c', here(service, service.health ?? 'false')], options).then(
      () => 0,
      ({ code }) => code as number,
    );
  };
  const start = async (name: string) => {
    const service = find(name);
    for (const [path, file] of Object.entries(service.files)) {
      await mkdir(join(folder, name), { recursive: true });
      await writeFile(join(folder, name, basename(path)), placed(readShipped(file)));
    }
    const command = `exec ${here(service, service.command)}`;
    children.set(name, spawnKept('/bin/sh', ['-c', command], { env: environment(service), cwd: ROOT }));
    const child = children.get(name) as ChildProcess;
    await until(
      async () => hasEnded(child) || (await health(name)) === 0,
      `${name} to be healthy`,
      HEALTHY_MS,
    );
    if (hasEnded(child)) throw new Error(`${name} has ended: ${logOf(child)}`);
  };
  const stop = async () => {
    for (const child of [...children.values()].reverse()) await kill(child, 'SIGTERM');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const [redis, ...others] = services().map(({ name }) => name);
    const door = others.pop();
    await start(redis as string);
    await Promise.all(others.map(start));
    await start(door as string);
  } catch (error) {
    await stop();
    throw error;
  }
  const child = (name: string) => children.get(name) as ChildProcess;
  return {
    redisUrl: `redis://${address('redis')}:6379`,
    url: (name, port) => `http://${address(name)}:${port}`,
    log: name => logOf(child(name)),
    health,
    child,
    start,
    folder,
    stop,
  };
}
