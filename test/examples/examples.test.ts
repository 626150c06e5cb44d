import { readdirSync, readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask } from '../support/api-request.ts';
import { findFreePort } from '../support/free-port.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { EXAMPLES, runExample } from './run-example.ts';

/** The programs of `src/examples`, run as processes against a relay. */

const MAX_LINES = 90;
const OPERATOR_KEY = 'operator-key-of-the-tests';

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay({ operatorKeys: [OPERATOR_KEY], webhookPrivateAddresses: true });
});
afterAll(() => relay.close());

const asked = (method: string, path: string, key: string, body: object) =>
  ask(`${relay.url}/api${path}`, {
    method,
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

describe('each example', () => {
  const files = readdirSync(EXAMPLES).sort();
  const tests = readdirSync(import.meta.dirname).map(file =>
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8'),
  );

  it.each(files)('%s has at most 90 lines, says first how to run it, and has a test', file => {
    const text = readFileSync(EXAMPLES + file, 'utf8');
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
    const comment = /^(?:<!doctype html>\n)?(?:(?:\/\/.*\n)+|<!--[\s\S]*?-->|"""[\s\S]*?""")/.exec(text)?.[0];
    expect(comment).toContain(file.endsWith('.html') ? '?relay=' : `src/examples/${file}`);
    expect(tests.some(test => test.includes(`'${file}'`))).toBe(true);
  });
});

describe('the terminal', () => {
  it('shows each state of the results, and ends when the poll is closed', async () => {
    const { id, admin_key } = await relay.create();
    const terminal = runExample([process.execPath, 'terminal.mjs', `${relay.url}/api/poll/${id}`]);
    await terminal.prints('0 votes, open');
    await relay.cast(id, 1, 3);
    await terminal.prints(/█{40} 100% 3 Volare\n3 votes, open/);
    await asked('PATCH', `/poll/${id}`, admin_key, { poll: { status: 'closed' } });
    await terminal.prints('3 votes, closed');
  });

  it('says that results are hidden, and shows them once they are revealed', async () => {
    const { id, admin_key } = await relay.create({ results_visibility: 'hidden' });
    const terminal = runExample([process.execPath, 'terminal.mjs', `${relay.url}/api/poll/${id}`]);
    await terminal.prints('The results are hidden.');
    await asked('PATCH', `/poll/${id}`, admin_key, { poll: { results_visibility: 'always' } });
    await terminal.prints('0 votes, open');
  });
});

describe('the button', () => {
  it('runs a show: moves it on and back, opens, closes and reveals the poll on air, and takes presses back', async () => {
    const name = `button-${process.pid}`;
    const show = await ask(`${relay.url}/api/show`, {
      method: 'POST',
      body: JSON.stringify({ show: { name } }),
    });
    const key = show.json.show_key;
    const ids: string[] = [];
    for (const title of ['First?', 'Second?']) {
      const poll = { title, answers: ['Yes', 'No'], results_visibility: 'hidden' };
      const created = await asked('POST', `/show/${name}/poll`, key, { poll });
      ids.push(created.json.id);
    }
    const press = async (button: string, printed: string) => {
      const env = { TALLYCAST_URL: relay.url, TALLYCAST_KEY: key };
      const args = [process.execPath, 'show-button.mjs', name, ...button.split(' ')] as const;
      await runExample(args, env).prints(printed);
    };
    await press('next', `next: ${ids[0]} is on air`);
    await press('next', `next: ${ids[1]} is on air`);
    await press('previous', `previous: ${ids[0]} is on air`);
    await press('open 60', `open: ${ids[0]} is on air, open`);
    await press('reveal', 'Voting is still open');
    await press('close', `close: ${ids[0]} is on air, closed`);
    await press('step 1', `step: ${ids[0]} is on air, closed`);
    expect(await relay.read(ids[0] as string)).toMatchObject({ results_visibility: 'always' });
    await press('undo', `undo: ${ids[0]} is on air, closed`);
    await press('reveal', `reveal: ${ids[0]} is on air, closed`);
    await press('clear', 'clear: nothing is on air');
    await press('reveal', 'Nothing is on air');
    await press('toString', 'usage: show-button.mjs');
  });
});

describe('the receiver of a webhook', () => {
  it('prints an event once, and rejects what is forged, too old or sent to another secret', async () => {
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}/`;
    const webhook = { url, events: ['poll.closed'] };
    const created = await asked('POST', '/webhook', OPERATOR_KEY, { webhook });
    const secret: string = created.json.secret;
    const env = { WEBHOOK_SECRET: secret, PORT: `${port}` };
    const receiver = runExample([process.execPath, 'webhook-receiver.mjs'], env);
    await receiver.prints('listening at');

    const { id, admin_key } = await relay.create();
    await asked('PATCH', `/poll/${id}`, admin_key, { poll: { status: 'closed' } });
    await receiver.prints(`poll.closed ${id}`);

    const send = async (data: string, { by = secret, at = new Date(), body = '' } = {}) => {
      const text = JSON.stringify({ id: 'evt_1', type: 'poll.closed', data: { id: data } });
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': `${Math.floor(at.getTime() / 1_000)}`,
        'webhook-signature': new Webhook(by).sign('evt_1', at, text),
      };
      return (await fetch(url, { method: 'POST', headers, body: body || text })).status;
    };
    const other = `whsec_${Buffer.from('another secret of 24 byt').toString('base64')}`;
    expect(await send('forged', { by: other })).toBe(401);
    expect(await send('changed', { body: '{}' })).toBe(401);
    expect(await send('old', { at: new Date(Date.now() - 3_600_000) })).toBe(401);
    expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(401);
    expect([await send('repeated'), await send('repeated')]).toEqual([204, 204]);
    await receiver.prints('poll.closed repeated');
    expect(receiver.printed.trim().split('\n').slice(1)).toEqual([
      `poll.closed ${id}`,
      'poll.closed repeated',
    ]);
  });
});
