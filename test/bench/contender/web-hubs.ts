import { createHmac } from 'node:crypto';
import { findFreePort } from '../../support/free-port.ts';
import { TOPIC } from '../load/dial.ts';
import { end, findProgram, launch } from '../system/children.ts';
import type { Contender, RunningContender } from './contender.ts';
import { listens } from './probe.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';
import { writeSettings } from './write-settings.ts';

/** Servers that are published to by HTTP. */

interface WebHub {
  readonly program: string;
  readonly tongue: 'centrifugo' | 'sse';
  readonly path: string;
  readonly settings: string;
  /** Newcomers get the newest, so that it can be seen when all are back. */
  readonly remembers: boolean;
  args(file: string): string[];
  configuration(port: number): string;
  publication(text: string): { readonly path: string; readonly init: RequestInit };
}

const START_PATIENCE_MS = 10_000;
const MERCURE_KEY = 'a key that is known to the bench alone';
const NEWEST_FIRST = {
  ...{ history_size: 1, history_ttl: '1h' },
  ...{ force_recovery: true, force_recovery_mode: 'cache' },
};
const MERCURE_PATH = '/.well-known/mercure';

export const centrifugo: Contender = contender('Centrifugo', {
  program: 'centrifugo',
  tongue: 'centrifugo',
  path: '/connection/websocket',
  settings: 'centrifugo.json',
  remembers: true,
  args: file => ['-c', file],
  configuration: port =>
    JSON.stringify({
      http_server: { address: '127.0.0.1', port: `${port}` },
      client: { insecure: true, allowed_origins: ['*'] },
      http_api: { insecure: true },
      // New subscribers get the newest message, as with every contender that can.
      channel: { without_namespace: NEWEST_FIRST },
      log: { level: 'error' },
    }),
  publication: text => ({
    path: '/api/publish',
    init: {
      headers: { 'content-type': 'application/json' },
      body: `{"channel":"${TOPIC}","data":${text}}`,
    },
  }),
});

/** Built on Caddy. Its subscribers hear Server-Sent Events. */
export const mercure: Contender = contender('Mercure (SSE)', {
  program: 'mercure',
  tongue: 'sse',
  path: `${MERCURE_PATH}?topic=${TOPIC}`,
  settings: 'Caddyfile',
  remembers: false,
  args: file => ['run', '--config', file, '--adapter', 'caddyfile'],
  configuration: port => `
    {
      admin off
      auto_https off
      persist_config off
      log {
        level ERROR
      }
    }
    http://:${port} {
      bind 127.0.0.1
      mercure {
        publisher_jwt "${MERCURE_KEY}"
        protocol_version_compatibility 8
        anonymous
        transport local
      }
    }`,
  publication: text => ({
    path: MERCURE_PATH,
    init: {
      headers: { authorization: `Bearer ${publisherToken()}` },
      body: new URLSearchParams({ topic: TOPIC, data: text }),
    },
  }),
});

function contender(name: string, hub: WebHub): Contender {
  return {
    name,
    findObstacle: () => (findProgram(hub.program) ? undefined : `there is no ${hub.program} here`),
    start: () => start(hub),
  };
}

async function start(hub: WebHub): Promise<RunningContender> {
  const port = await findFreePort();
  const settings = await writeSettings(hub.settings, () => hub.configuration(port));
  const open = async () => {
    const child = launch(findProgram(hub.program) ?? '', hub.args(settings.file));
    if (!(await listens(port, START_PATIENCE_MS))) throw new Error(`${hub.program} does not listen`);
    return child;
  };
  let child = await open();
  let version = FIRST_VERSION;
  const publish = async () => {
    version += 1;
    const published = version;
    await send(port, hub.publication(sampleResults(published)));
    return published;
  };
  const restart = async () => {
    await end(child);
    child = await open();
    return publish();
  };
  return {
    dial: { port, path: hub.path, tongue: hub.tongue },
    pids: () => [child.pid ?? 0],
    publish,
    ...(hub.remembers ? { restart } : {}),
    async stop() {
      await end(child);
      await settings.remove();
    },
  };
}

async function send(port: number, { path, init }: ReturnType<WebHub['publication']>): Promise<void> {
  const reply = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', ...init });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`publishing was answered with ${reply.status}: ${text}`);
}

/** A JSON Web Token that may publish everything. */
function publisherToken(): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const said = `${part({ alg: 'HS256', typ: 'JWT' })}.${part({ mercure: { publish: ['*'] } })}`;
  return `${said}.${createHmac('sha256', MERCURE_KEY).update(said).digest('base64url')}`;
}
