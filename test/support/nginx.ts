import type { ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { hasEnded, kill, logOf, spawnKept } from './child-process.ts';
import { nginxProgram } from './ensure-nginx.ts';
import { until } from './until.ts';

export interface Nginx {
  readonly child: ChildProcess;
  /** Its workers, who do the work. */
  pids(): number[];
  /** Status and request line of everything it has answered so far; a WebSocket when it has ended. */
  answered(): Promise<string[]>;
  stop(): Promise<void>;
}

const START_MS = 10_000;
/** Where it keeps replies. */
const SHIPPED_CACHE = '/var/cache/nginx';

/**
 * The load balancer of docker-compose.yml, with its own configuration, as a process of this machine.
 *
 * @param addresses what takes the place of names and ports that only exist between containers: `relay-1:8080` → address
 */
export async function startShippedNginx(addresses: Readonly<Record<string, string>>): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-nginx-'));
  const log = join(folder, 'access.log');
  const file = join(folder, 'nginx.conf');
  await writeFile(file, onThisMachine(await shippedConfiguration(), addresses, folder, log));
  const child = spawnKept(nginxProgram(), ['-c', file, '-p', folder, '-e', 'stderr']);
  const ports = ['listen 8080', 'listen 8081'].map(name => Number(addresses[name]?.split(':').at(-1)));
  await until(
    async () => hasEnded(child) || (await Promise.all(ports.map(accepts))).every(Boolean),
    'nginx to listen',
    START_MS,
  );
  if (hasEnded(child)) throw new Error(`nginx has ended: ${logOf(child)}`);
  return {
    child,
    pids: () => childrenOf(child.pid ?? 0),
    answered: async () => (await readFile(log, 'utf8')).split('\n').filter(Boolean),
    async stop() {
      // Its workers would outlive a killed master.
      await kill(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

export async function shippedConfiguration(): Promise<string> {
  const compose = await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8');
  const { configs } = parse(compose, { merge: true });
  // $$ is how compose writes $.
  return (configs.nginx.content as string).replaceAll('$$', '$');
}

function onThisMachine(
  shipped: string,
  addresses: Readonly<Record<string, string>>,
  folder: string,
  log: string,
): string {
  if (!shipped.includes(SHIPPED_CACHE))
    throw new Error(`the shipped configuration keeps nothing in ${SHIPPED_CACHE}`);
  let text = shipped.replaceAll(SHIPPED_CACHE, folder);
  for (const [name, address] of Object.entries(bothFrontEnds(addresses))) {
    if (!text.includes(name)) throw new Error(`the shipped configuration does not name ${name}`);
    text = text.replaceAll(name, name.startsWith('listen ') ? `listen ${address}` : address);
  }
  const asRoot = process.getuid?.() === 0 ? 'user root;' : '';
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    name => `${name}_temp_path ${folder}/${name};`,
  );
  const inside = `log_format plain '$status $request'; access_log ${log} plain; ${paths.join(' ')}`;
  const outside = `${asRoot} daemon off; pid ${folder}/nginx.pid; error_log stderr crit; worker_shutdown_timeout 1s;`;
  return `${outside}\n${text.replace('http {', `http { ${inside}`)}`;
}

/** `voting:8081` stands for each front end that is not named itself. */
function bothFrontEnds({
  'voting:8081': one,
  ...addresses
}: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return one === undefined ? addresses : { 'voting-1:8081': one, 'voting-2:8081': one, ...addresses };
}

function accepts(port: number): Promise<boolean> {
  return new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}

/** Linux alone tells. */
function childrenOf(pid: number): number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
    return list.split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
