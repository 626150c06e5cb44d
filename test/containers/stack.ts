import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BASE_IMAGE, ROOT } from '../deploy/composition.ts';
import { findFreePort } from '../support/free-port.ts';
import { solveForm } from '../voting/visitor.ts';
import { run } from './docker.ts';

/** docker-compose.yml with its monitoring profile, in containers. */

export const SERVERS = ['relay-1', 'relay-2', 'voting-1', 'voting-2'];
/** Published on the loopback address. */
const PUBLISHED: Readonly<Record<string, readonly number[]>> = {
  'front-door': [8_080, 8_081],
  prometheus: [9_090],
  pager: [80],
};
const PROJECT = 'tallycast-test';
const ROUND_MS = 1_000;

export interface Alert {
  readonly status: 'firing' | 'resolved';
  readonly labels: { readonly alertname: string; readonly instance?: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
export interface Notification {
  /** UNIX milliseconds. */
  readonly atMs: number;
  readonly status: 'firing' | 'resolved';
  readonly groupKey: string;
  readonly alerts: readonly Alert[];
}

export class Stack {
  readonly #folder: string;
  readonly #ports: ReadonlyMap<string, number>;

  private constructor(folder: string, ports: ReadonlyMap<string, number>) {
    this.#folder = folder;
    this.#ports = ports;
  }

  /** Builds the image and starts all services. @param redisDisk size of a disk in memory for the data of Redis */
  static async start(redisDisk?: string): Promise<Stack> {
    const folder = await mkdtemp(join(tmpdir(), 'tallycast-stack-'));
    const ports = new Map<string, number>();
    for (const [name, targets] of Object.entries(PUBLISHED))
      for (const target of targets) ports.set(`${name}:${target}`, await findFreePort());
    const stack = new Stack(folder, ports);
    const env = {
      ...process.env,
      ALERT_WEBHOOK_URL: 'http://pager/',
      PUBLIC_URL: 'http://localhost:8080',
      VOTE_PUBLIC_URL: 'http://localhost:8081',
      PROOF_COST: '1',
    };
    const shipped = await run('docker', ['compose', '--profile', '*', 'config', '--format', 'json'], { env });
    const composition = JSON.parse(shipped);
    const limit = Number((await run('sh', ['-c', 'ulimit -Hn'])).replace('unlimited', '65536'));
    composition.name = PROJECT;
    composition.services.pager = {
      image: BASE_IMAGE,
      command: ['node', '/pager.mjs'],
      init: true,
      networks: { inner: null },
      volumes: [`${ROOT}test/containers/pager.mjs:/pager.mjs:ro`],
    };
    if (redisDisk) {
      // It exists as long as a container uses it.
      composition.services.pager.volumes.push('redis:/data');
      composition.volumes.redis.driver_opts = { type: 'tmpfs', device: 'tmpfs', o: `size=${redisDisk}` };
    }
    for (const volume of Object.values<{ name?: string }>(composition.volumes)) delete volume.name;
    delete composition.networks.inner.name;
    // Debian has none.
    if (process.env['STAND_INS']) delete composition.services.grafana;
    for (const [name, service] of Object.entries<Record<string, unknown>>(composition.services)) {
      delete service['profiles'];
      service['ports'] = PUBLISHED[name]?.map(port => `127.0.0.1:${ports.get(`${name}:${port}`)}:${port}`);
      service['ulimits'] = { nofile: Math.min(65_536, limit) };
      // Package registries are reached as this machine reaches them.
      if (service['build']) Object.assign(service['build'], { network: 'host' });
    }
    await writeFile(join(folder, 'compose.json'), JSON.stringify(composition));
    try {
      // Of a run that did not end.
      await stack.compose('down', '--volumes', '--timeout', '5');
      await stack.compose('build', '--quiet');
      await stack.compose('up', '--detach', '--wait');
    } catch (error) {
      const log = await stack.compose('logs', '--tail', '20');
      await stack.remove();
      throw new Error(log, { cause: error });
    }
    return stack;
  }

  /** `docker compose` in the folder of the compose file. @returns its output */
  compose(...args: string[]): Promise<string> {
    return run('docker', ['compose', '--file', join(this.#folder, 'compose.json'), ...args]);
  }

  /** Builds an image that differs from the one in use. */
  async buildUpdate(): Promise<void> {
    const file = join(this.#folder, 'compose.json');
    const composition = JSON.parse(await readFile(file, 'utf8'));
    for (const name of SERVERS) composition.services[name].build.labels = { built: `${Date.now()}` };
    await writeFile(file, JSON.stringify(composition));
    await this.compose('build', '--quiet');
  }

  /** From this machine. */
  url(name: string, port: number): string {
    return `http://127.0.0.1:${this.#ports.get(`${name}:${port}`)}`;
  }

  get relays(): string {
    return this.url('front-door', 8_080);
  }

  async notifications(): Promise<readonly Notification[]> {
    return (await (await fetch(this.url('pager', 80))).json()) as Notification[];
  }

  /** @param path below `/api/v1/` */
  async prometheus(path: string) {
    const reply = await fetch(`${this.url('prometheus', 9_090)}/api/v1/${path}`);
    return (
      (await reply.json()) as {
        data: { activeTargets: { health: string }[]; alerts: Alert[]; result: unknown[] };
      }
    ).data;
  }

  /** Votes as a page without script does, until the ballot is acknowledged. @returns the number of attempts */
  async vote(id: string, answer: string): Promise<number> {
    const page = `${this.url('front-door', 8_081)}/${id}`;
    let form: { body: URLSearchParams; headers: Record<string, string> } | undefined;
    for (let attempts = 1; ; attempts += 1) {
      try {
        form ??= await this.#fillForm(page, answer);
        const reply = await fetch(`${page}/ballot`, { method: 'POST', ...form, redirect: 'manual' });
        if (reply.status === 200) return attempts;
        if (reply.status < 500) throw new Error(`rejected: ${reply.status} ${await reply.text()}`);
      } catch (error) {
        if ((error as Error).message.startsWith('rejected')) throw error;
      }
      await new Promise(done => setTimeout(done, ROUND_MS));
    }
  }

  async #fillForm(page: string, answer: string) {
    const reply = await fetch(page, { headers: { accept: 'text/html' } });
    if (reply.status !== 200) throw new Error(`${reply.status}`);
    const cookie = reply.headers
      .getSetCookie()
      .map(text => text.split(';')[0])
      .join('; ');
    const fields = (await solveForm(await reply.text())) as Record<string, string>;
    return {
      body: new URLSearchParams({ ...fields, answer }),
      headers: { cookie, accept: 'application/json', origin: 'http://localhost:8081' },
    };
  }

  /** Also deletes the data. */
  async remove(): Promise<void> {
    await this.compose('down', '--volumes', '--timeout', '5');
    await rm(this.#folder, { recursive: true, force: true });
  }
}
