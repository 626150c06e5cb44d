import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasEnded, kill, logOf, spawnKept } from './child-process.ts';
import { findFreePort } from './free-port.ts';
import { until } from './until.ts';

/** A front door that is shipped, with its own configuration, as a process of this machine. */
export interface FrontDoor {
  readonly url: string;
  readonly voteUrl: string;
  /** Its files, and those of its own authority for certificates. */
  readonly folder: string;
  /** All that it says by itself. */
  readonly log: string;
  /** The servers behind the proxy. */
  pids(): number[];
  /** Status and request line of everything it has answered so far; a stream when it has ended. */
  answered(): Promise<string[]>;
  stop(): Promise<void>;
}

/** Host and port of what stands behind a door; where there is one, it stands for both. */
export interface BehindTheDoor {
  readonly relays: readonly string[];
  readonly voting?: readonly string[];
  /** Paths of the public URLs. */
  readonly paths?: readonly [relay: string, voting: string];
  /** Public URLs with certificates, and the options that their ports need. Caddy only. */
  readonly secure?: { readonly sites: readonly string[]; readonly options: string };
}

/** What differs between the programs that may be a front door. */
export interface DoorProgram {
  /** In `src/deploy`. */
  readonly file: string;
  /** How the configuration writes that it listens on a port of all addresses, and has to write it for one address. */
  listen(port: string): string;
  /** What is there only to see what it does, and to run beside others. */
  adapt(text: string, folder: string, accessLog: string): string;
  /** Serves both public URLs at one host and port if they have paths. */
  readonly joinsHosts?: boolean;
  start(
    file: string,
    folder: string,
    urls: readonly string[],
    options?: string,
  ): Parameters<typeof spawnKept>;
  /** A line of the access log. */
  readLine(line: string): string;
  pids(pid: number): number[];
}

const START_MS = 20_000;
const CLOSED_PORT = '127.0.0.1:9';

export async function startDoor(
  program: DoorProgram,
  { relays, voting = [], paths = ['', ''], secure }: BehindTheDoor,
): Promise<FrontDoor> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-door-'));
  const [file, accessLog] = [join(folder, program.file), join(folder, 'access.log')];
  const addresses = [`127.0.0.1:${await findFreePort()}`, `127.0.0.1:${await findFreePort()}`] as const;
  const voteAddress = addresses[program.joinsHosts && paths[1] ? 0 : 1];
  const [url, voteUrl] = [`http://${addresses[0]}${paths[0]}`, `http://${voteAddress}${paths[1]}`];
  const shipped = await readFile(new URL(`../../src/deploy/${program.file}`, import.meta.url), 'utf8');
  const placed = replaceAll(program.adapt(shipped, folder, accessLog), {
    [program.listen('8080')]: program.listen(addresses[0]),
    [program.listen('8081')]: program.listen(addresses[1]),
    'relay-1:8080': relays[0] ?? CLOSED_PORT,
    'relay-2:8080': relays.at(-1) ?? CLOSED_PORT,
    'voting-1:8081': voting[0] ?? CLOSED_PORT,
    'voting-2:8081': voting.at(-1) ?? CLOSED_PORT,
  });
  await writeFile(file, placed);
  const child = spawnKept(...program.start(file, folder, secure?.sites ?? [url, voteUrl], secure?.options));
  const listens = async () => (await Promise.all([url, voteUrl].map(accepts))).every(Boolean);
  await until(async () => hasEnded(child) || (await listens()), `${program.file} to listen`, START_MS);
  if (hasEnded(child)) throw new Error(`The front door has ended: ${logOf(child)}`);
  return {
    url,
    voteUrl,
    folder,
    get log() {
      return logOf(child);
    },
    pids: () => program.pids(child.pid ?? 0),
    answered: async () =>
      (await readFile(accessLog, 'utf8')).split('\n').filter(Boolean).map(program.readLine),
    async stop() {
      // What it has started would outlive a killed one.
      await kill(child, 'SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** @throws Error for a name that is not in the text: what is shipped has changed, and the test with it has to */
export function replaceAll(text: string, places: Readonly<Record<string, string>>): string {
  return Object.entries(places).reduce((changed, [name, place]) => {
    if (!text.includes(name)) throw new Error(`what is shipped does not name ${name}`);
    return changed.replaceAll(name, place);
  }, text);
}

function accepts(url: string): Promise<boolean> {
  const { hostname, port } = new URL(url);
  return new Promise(done => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      done(true);
    });
    socket.once('error', () => done(false));
  });
}
