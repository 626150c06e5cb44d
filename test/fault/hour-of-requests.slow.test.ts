// @module-tag redis-server
import { describe, expect, it } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';
import { png } from '../support/images.ts';
import { embeddedStore, redisStore } from '../support/measured-store.ts';
import { redisRig } from '../support/redis-rig.ts';
import { startTestRelay } from '../support/test-relay.ts';

/**
 * An hour of each kind of request of one address, at its limits: what it stores stays within its
 * bytes of a day. Limits and budget are a sixtieth of the settings, so the ratio is theirs.
 */

const MINUTES = 60;
const LIMITS = { createPerMinute: 2, changesPerMinute: 10, createBytesPerDay: 333_333 };
const NOON_MS = 1_800_014_400_000;
const SMALL = { title: 'Which song next?', answers: ['Waterloo', 'Volare'], closes_in: 3_600 };
const rig = redisRig();

interface Made {
  readonly poll: string;
  readonly show: string;
  /** The newest. */
  readonly webhook?: string;
}
interface Step {
  readonly method: string;
  readonly path: string;
  readonly body?: object | Buffer;
}
type Kind = (made: Made, turn: number) => Step;

const poll =
  (body: object): Kind =>
  ({ poll }) => ({ method: 'PATCH', path: `/poll/${poll}`, body: { poll: body } });
/** The first for even turns, the second for odd ones. */
const either =
  (one: Kind, other: Kind): Kind =>
  (made, turn) =>
    (turn % 2 ? other : one)(made, turn);

/** Its host has no address, so that each delivery fails. */
const addWebhook: Kind = ({ poll }, turn) => ({
  method: 'POST',
  path: `/poll/${poll}/webhook`,
  body: { webhook: { url: `https://receiver.invalid/${turn}/${'x'.repeat(1_900)}` } },
});

/** Each alternates between its steps. A kind that creates makes a new poll and show after as many turns as it says. */
const KINDS: Readonly<Record<string, { readonly kind: Kind; readonly afresh?: number }>> = {
  'closing and opening': {
    kind: either(poll({ status: 'closed' }), poll({ status: 'open', closes_in: 3_600 })),
  },
  'hiding and showing': {
    kind: either(poll({ results_visibility: 'hidden' }), poll({ results_visibility: 'always' })),
  },
  corrections: {
    kind: ({ poll }, turn) => ({
      method: 'PATCH',
      path: `/poll/${poll}`,
      body: { poll: { title: `${turn}${'題'.repeat(290)}` } },
    }),
  },
  voids: {
    kind: ({ poll }, turn) => ({
      method: 'POST',
      path: `/poll/${poll}/void`,
      body: {
        void: {
          from: `2026-01-01T00:00:00.${100 + (turn % 100)}Z`,
          to: '2026-02-01T00:00:00Z',
        },
      },
    }),
    afresh: 100,
  },
  keys: { kind: ({ poll }) => ({ method: 'POST', path: `/poll/${poll}/admin_key` }) },
  'creating and deleting': { kind: ({ poll }) => ({ method: 'DELETE', path: `/poll/${poll}` }), afresh: 1 },
  'deleting shows': { kind: ({ show }) => ({ method: 'DELETE', path: `/show/${show}` }), afresh: 1 },
  rundowns: {
    kind: ({ show }, turn) => ({
      method: 'PATCH',
      path: `/show/${show}`,
      body: { show: { title: `${turn}${'題'.repeat(290)}` } },
    }),
  },
  buttons: {
    kind: either(
      ({ show, poll }) => ({ method: 'PATCH', path: `/show/${show}`, body: { show: { on_air: poll } } }),
      ({ show }) => ({ method: 'POST', path: `/show/${show}/clear` }),
    ),
  },
  logos: {
    kind: either(
      ({ show }, turn) => ({
        method: 'PUT',
        path: `/show/${show}/logo`,
        body: png(10, 10, [turn & 255, turn >> 8, 0], 20_000),
      }),
      ({ show }) => ({ method: 'DELETE', path: `/show/${show}/logo` }),
    ),
  },
  'join codes': { kind: either(poll({ join_code: true }), poll({ join_code: false })) },
  'polls and webhooks': { kind: addWebhook, afresh: 3 },
  'webhooks that end again': {
    kind: either(addWebhook, ({ poll, webhook }) => ({
      method: 'DELETE',
      path: `/poll/${poll}/webhook/${webhook}`,
    })),
  },
  copies: { kind: ({ poll }) => ({ method: 'POST', path: `/poll/${poll}/copy` }) },
};

describe.each([
  ['the embedded engine', embeddedStore],
  ['Redis', () => redisStore(rig)],
])('an hour of one address on %s', (_, openStore) => {
  it.each(Object.entries(KINDS))('stays within its budget: %s', async (_, { kind, afresh = 1e9 }) => {
    const store = await openStore();
    const { redisUrl, dataDir } = store;
    const engine = await openEngine({ redisUrl, ...(dataDir !== undefined && { dataDir }) });
    let nowMs = NOON_MS;
    const relay = await startTestRelay({ engine, ...LIMITS, clock: () => nowMs });
    rig.closeAfter(async () => {
      await relay.close();
      await engine.close();
    });
    let keys: Record<string, string> = {};
    let sent = 0;
    const send = async ({ method, path, body }: Step, key?: string) => {
      sent += 1;
      const isBytes = Buffer.isBuffer(body);
      const reply = await fetch(`${relay.url}/api${path}`, {
        method,
        headers: {
          ...(body && { 'content-type': isBytes ? 'image/png' : 'application/json' }),
          ...(key && { 'x-api-key': key }),
          'idempotency-key': `request-${sent}-of-the-address`,
        },
        ...(body && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
      });
      return { status: reply.status, json: JSON.parse(await reply.text()) };
    };
    let made: Made | undefined;
    const make = async () => {
      const name = `show-${sent}`;
      const created = await send({ method: 'POST', path: '/show', body: { show: { name } } });
      if (created.status !== 201) return;
      const added = await send(
        { method: 'POST', path: `/show/${name}/poll`, body: { poll: SMALL } },
        created.json.show_key,
      );
      if (added.status !== 201) return;
      made = { poll: added.json.id, show: name };
      keys = { poll: added.json.admin_key, show: created.json.show_key };
    };
    const before = await store.bytes();
    const answers = new Map<number, number>();
    await make();
    for (let minute = 0; minute < MINUTES; minute += 1) {
      nowMs += 60_000;
      for (let turn = 0; turn < LIMITS.changesPerMinute; turn += 1) {
        const at = minute * LIMITS.changesPerMinute + turn;
        if (at % afresh === afresh - 1) await make();
        const step = kind(made!, at);
        const { status, json } = await send(
          step,
          step.path.startsWith('/poll') ? keys['poll'] : keys['show'],
        );
        answers.set(status, (answers.get(status) ?? 0) + 1);
        if (status === 201 && step.path.endsWith('/webhook')) made = { ...made!, webhook: json.id };
        if (json.admin_key && step.path.endsWith('admin_key')) keys['poll'] = json.admin_key;
      }
    }
    const stored = (await store.bytes()) - before;
    expect(answers.get(200) ?? answers.get(201) ?? 0).toBeGreaterThan(10);
    expect(stored).toBeLessThanOrEqual(LIMITS.createBytesPerDay);
  });
});
