import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { EngineHealth } from '../../src/engine/engine.ts';
import { engineChecks } from '../../src/engine/engine-checks.ts';
import { engineWith } from '../../src/engine/engine-with.ts';
import { ask, faultOfError } from '../support/api-request.ts';
import { EngineDouble } from '../support/engine-double.ts';
import { RawSocket, upgradeRequest } from '../support/raw-socket.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { until } from '../support/until.ts';
import { type LiveSite, startLiveSite } from '../voting/voting-site.ts';

let site: LiveSite;
let relay: TestRelay;
beforeEach(async () => {
  site = await startLiveSite();
  relay = site.relay;
});
afterEach(() => site.close());

/** A connection on which a request has begun: the only kind on which one can come while the server leaves. */
async function begin(url: string, request: string): Promise<{ raw: RawSocket; finish(): void }> {
  const raw = await RawSocket.open(url);
  raw.send(request.slice(0, -2));
  return { raw, finish: () => raw.send(request.slice(-2)) };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: relay.test\r\n\r\n`;

/** Status and body of what came back. */
async function reply({ raw, finish }: Awaited<ReturnType<typeof begin>>) {
  finish();
  await until(() => raw.closed, 'the end of the reply');
  const [head = '', body = ''] = raw.text.split('\r\n\r\n');
  return { status: Number(head.split(' ')[1]), head, json: JSON.parse(body) };
}

describe('both servers', () => {
  it('answer /livez, /health and /readyz', async () => {
    for (const server of [relay.url, site.url])
      for (const path of ['livez', 'health', 'readyz']) {
        const { status, json } = await ask(`${server}/${path}`);
        expect([status, json.success]).toEqual([200, 1]);
      }
  });
});

describe('a relay whose engine is unavailable', () => {
  it('is alive and not ready, and names the failed check', async () => {
    const faulty = new EngineDouble(site.engine);
    const other = await startTestRelay({ engine: faulty.engine });
    faulty.lose();
    expect((await ask(`${other.url}/livez`)).status).toBe(200);
    const refused = await ask(`${other.url}/readyz`);
    expect([refused.status, refused.json.error.message]).toEqual([503, 'Not ready: engine, hints.']);
    expect(refused.json.error.issues.map(({ path }: { path: string }) => path)).toEqual(['engine', 'hints']);
    expect(faultOfError(refused, 'engine_unavailable')).toBeUndefined();
    faulty.giveBack();
    expect((await ask(`${other.url}/readyz`)).status).toBe(200);
    await other.close();
  });
});

describe('servers whose engine cannot write', () => {
  const full: EngineHealth = { reads: 'all', writes: 'none', fault: 'The disk takes no writes.' };
  const shown: { health?: EngineHealth; asked: number } = { asked: 0 };
  let other: TestRelay;
  let voting: LiveSite;
  beforeEach(async () => {
    const checkHealth = async () => {
      shown.asked += 1;
      return shown.health ?? site.engine.checkHealth();
    };
    const engine = engineWith(site.engine, { checkHealth, close: async () => {} });
    other = await startTestRelay({ engine });
    voting = await startLiveSite({ engine });
  });
  afterEach(async () => {
    await voting.close();
    await other.close();
  });
  const readiness = async ({ url }: { url: string }) => {
    const { status, json } = await ask(`${url}/readyz`);
    return [status, json.degraded ?? json.error?.issues];
  };

  it('leave the relay ready, but degraded; the voting front end is not ready', async () => {
    shown.health = full;
    expect(await readiness(other)).toEqual([200, [{ path: 'writes', message: full.fault }]]);
    expect(await readiness(voting)).toEqual([503, [{ path: 'writes', message: full.fault }]]);
  });

  it('are ready, but degraded, if only a shard is unavailable', async () => {
    const fault = '1 of 3 shards do not answer.';
    shown.health = { reads: 'some', writes: 'some', fault };
    const told = ['engine', 'writes'].map(path => ({ path, message: fault }));
    for (const server of [other, voting]) expect(await readiness(server)).toEqual([200, told]);
  });

  it('share one check among concurrent probes', async () => {
    let look = () => {};
    const held = new Promise<void>(resolve => {
      look = resolve;
    });
    const slow = engineWith(site.engine, {
      checkHealth: async () => {
        shown.asked += 1;
        await held;
        return site.engine.checkHealth();
      },
    });
    const checks = engineChecks(slow, true);
    shown.asked = 0;
    const all = Array.from({ length: 50 }, () => [checks.engine(), checks.writes()]).flat();
    look();
    expect(new Set(await Promise.all(all))).toEqual(new Set([undefined]));
    expect(shown.asked).toBe(1);
  });
});

describe('a relay that shuts down', () => {
  it('accepts no connection, replies 503 on open ones, and exits', async () => {
    const { id } = await relay.create();
    const path = `/api/poll/${id}`;
    // It never answers the close, so the drain takes two seconds.
    const silent = await RawSocket.upgrade(relay.url, `${path}/live`);
    const pending = {
      read: await begin(relay.url, get(path)),
      ready: await begin(relay.url, get('/readyz')),
      live: await begin(relay.url, get('/livez')),
      upgrade: await begin(relay.url, upgradeRequest(`${path}/live`)),
      // Never finished.
      idler: await begin(relay.url, upgradeRequest(`${path}/live`)),
    };
    const closed = relay.app.close();
    await until(() => silent.frames().some(({ opcode }) => opcode === 8), 'the close');

    await expect(fetch(`${relay.url}/livez`)).rejects.toThrow();
    for (const kind of ['read', 'upgrade'] as const) {
      const { status, head, json } = await reply(pending[kind]);
      expect([kind, status, json.success, json.error.code]).toEqual([kind, 503, 0, 'engine_unavailable']);
      expect(json.error.message).toBe('This server is restarting. Try again in a moment.');
      expect(head).toMatch(/^retry-after: \d+/im);
    }
    const ready = await reply(pending.ready);
    expect([ready.status, ready.json.error.message]).toEqual([503, 'Not ready: draining.']);
    expect((await reply(pending.live)).status).toBe(200);
    await closed;
    await until(() => pending.idler.raw.closed, 'the end of every connection');
  });
});

describe('a request in flight when a shutdown begins', () => {
  it('is answered', async () => {
    const faulty = new EngineDouble(site.engine);
    const other = await startTestRelay({ engine: faulty.engine });
    const { id } = await other.create();
    let answer = () => {};
    const stalled = new Promise<void>(done => {
      answer = done;
    });
    faulty.stall(() => stalled);
    const reads = faulty.reads;
    const read = ask(`${other.url}/api/poll/${id}`);
    await until(() => faulty.reads > reads, 'the read');
    const closed = other.close();
    await until(
      () =>
        fetch(other.url).then(
          () => false,
          () => true,
        ),
      'the end of listening',
    );
    answer();
    expect((await read).status).toBe(200);
    await closed;
  });
});

describe('a voting front end that shuts down', () => {
  it('replies with a page on open connections', async () => {
    const pending = await begin(site.url, get('/'));
    const closed = site.server.close();
    await until(
      () =>
        fetch(site.url)
          .then(() => false)
          .catch(() => true),
      'the end of listening',
    );
    pending.finish();
    await until(() => pending.raw.closed, 'the end of the reply');
    expect(pending.raw.text).toMatch(/^HTTP\/1.1 503 /);
    expect(pending.raw.text).toContain('The server is restarting');
    await closed;
  });
});
