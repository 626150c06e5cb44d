import { type ExecFileOptions, execFile } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { BASE_IMAGE, ROOT, readComposition } from '../deploy/composition.ts';
import { kill, logOf, spawnKept } from '../support/child-process.ts';
import { programPath } from '../support/programs.ts';
import { until } from '../support/until.ts';

/** Docker, Docker Compose and the images of others: this machine's, or made once below the temporary folder. */

const COMPOSE = 'github.com/docker/compose/v2';
const COMPOSE_VERSION = 'v2.40.3';
/** Of the stand-ins. */
const DEBIAN = 'bookworm';
const PACKAGES = [
  'ca-certificates',
  'libatomic1',
  'libstdc++6',
  'wget',
  'redis-server',
  'caddy',
  'prometheus',
  'prometheus-alertmanager',
  'prometheus-redis-exporter',
  'prometheus-node-exporter',
  'prometheus-blackbox-exporter',
];
const NPM_PACKAGES = [`node-linux-${process.arch}@24`, 'npm@11'];
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';
const HERE = 'test/containers';
const HOME = join(tmpdir(), 'tallycast-containers');
const START_MS = 60_000;
const COMMAND_MS = 900_000;

/** Runs a command in the folder of the compose file. @returns its output @throws Error with its error output */
export async function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<string> {
  const given = { cwd: ROOT, timeout: COMMAND_MS, maxBuffer: 1e8, ...options };
  return `${(await promisify(execFile)(program, args, given)).stdout}`;
}

/** Vitest global setup. */
export default async function setup(): Promise<() => Promise<void>> {
  mkdirSync(HOME, { recursive: true });
  const stop = (await works('docker', 'info')) ? async () => {} : await startDocker();
  try {
    if (!(await works('docker', 'compose', 'version'))) await buildCompose();
    if (!(await works('docker', 'buildx', 'version'))) {
      // The builder without a plug-in builds the same image four times, unless one after the other.
      process.env['DOCKER_BUILDKIT'] = '0';
      process.env['COMPOSE_PARALLEL_LIMIT'] = '1';
    }
    if (!(await works('docker', 'compose', '--profile', '*', 'pull', '--quiet', '--ignore-buildable'))) {
      process.env['STAND_INS'] = '1';
      await buildStandIns();
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

function works(program: string, ...args: string[]): Promise<boolean> {
  return run(program, args).then(
    () => true,
    () => false,
  );
}

/** Needs root. */
async function startDocker(): Promise<() => Promise<void>> {
  process.env['DOCKER_HOST'] = `unix://${HOME}/docker.sock`;
  const folders = ['--data-root', `${HOME}/data`, '--exec-root', `${HOME}/exec`, '--pidfile', `${HOME}/pid`];
  const options = ['--host', process.env['DOCKER_HOST'], '--storage-driver', 'overlay2'];
  // node-exporter follows the mounts of this machine, so they must be shared.
  const shared = ['--mount', '--propagation', 'shared', 'dockerd'];
  const child = spawnKept('unshare', [...shared, ...folders, ...options]);
  await until(() => works('docker', 'info'), 'Docker', START_MS).catch(error => {
    throw new Error(logOf(child), { cause: error });
  });
  return () => kill(child, 'SIGTERM');
}

/** Where the Docker of this machine has no Compose, as Debian's. */
async function buildCompose(): Promise<void> {
  process.env['DOCKER_CONFIG'] = `${HOME}/config`;
  const plugin = `${HOME}/config/cli-plugins/docker-compose`;
  if (existsSync(plugin)) return;
  const go = programPath('go');
  const module = `${HOME}/compose`;
  rmSync(module, { recursive: true, force: true });
  mkdirSync(module);
  const inModule = { cwd: module, env: { ...process.env, GOFLAGS: '-mod=mod' } };
  await run(go, ['mod', 'init', 'compose'], inModule);
  await run(go, ['get', '-tool', `${COMPOSE}/cmd@${COMPOSE_VERSION}`], inModule);
  await run(go, ['build', '-ldflags=-s -w', '-o', plugin, `${COMPOSE}/cmd`], inModule);
}

/** Where no registry of images can be reached. Downloads 400 MB once. */
async function buildStandIns(): Promise<void> {
  const root = `${HOME}/debian`;
  if (!existsSync(root)) {
    const unfinished = `${root}.new`;
    rmSync(unfinished, { recursive: true, force: true });
    const wanted = ['--variant=minbase', `--include=${PACKAGES}`, DEBIAN, unfinished];
    await run('debootstrap', wanted);
    await run('npm', ['install', '--silent', '--global', '--prefix', `${unfinished}/usr`, ...NPM_PACKAGES]);
    copyFileSync(`/${CERTIFICATES}`, `${unfinished}/${CERTIFICATES}`);
    rmSync(`${unfinished}/var/cache/apt`, { recursive: true });
    renameSync(unfinished, root);
  }
  if (!(await works('docker', 'image', 'inspect', 'tallycast-debian'))) {
    const folders = ['dev', 'proc', 'sys'].map(name => `--exclude=./${name}`).join(' ');
    await run('sh', ['-c', `tar -C ${root} ${folders} -c . | docker import - tallycast-debian`]);
  }
  const services = Object.values<{ image?: string }>(readComposition()['services']);
  for (const image of new Set([BASE_IMAGE, ...services.map(({ image }) => image)])) {
    if (image === undefined || image.startsWith('grafana')) continue;
    const options = ['--target', basename(image).replace(/:.*$/, ''), '--tag', image];
    await run('docker', ['build', ...options, '--file', `${HERE}/stand-ins.Dockerfile`, HERE]);
  }
}
