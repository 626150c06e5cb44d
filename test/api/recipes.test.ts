import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { readDocument } from '../document/documents.ts';
import { ask } from '../support/api-request.ts';
import { startTestRelay, type TestRelay } from '../support/test-relay.ts';
import { takeShow } from '../support/test-show.ts';

/** The recipes, run as they stand, but for the address of the relay. */

const FILE = 'src/api/RECIPES.md';

let relay: TestRelay;
beforeAll(async () => {
  relay = await startTestRelay();
});
afterEach(() => vi.useRealTimers());
afterAll(() => relay.close());

const SETTLE_MS = 1_000;

describe('the buttons', () => {
  const rows = [...readDocument(FILE).matchAll(/^\| (?!button|-)(.+?) \| (\w+) \| `(.+?)` \| `(.+?)` \|$/gm)];
  const header = /\*header input \(JSON\)\* `(.+?)`/.exec(readDocument(FILE))?.[1] ?? '';

  it('do what stands on them, as Companion and a Stream Deck send it', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const name = `recipe-${process.pid}`;
    const send = (method: string, path: string, body: unknown, key = '') =>
      ask(`${relay.url}/api${path}`, { method, body: JSON.stringify(body), headers: { 'x-api-key': key } });
    const { show_key } = (
      await ask(`${relay.url}/api/show`, { method: 'POST', body: JSON.stringify({ show: { name } }) })
    ).json;
    const poll = { title: 'Who?', answers: ['A', 'B', 'C', 'D'], results_visibility: 'hidden', mip: true };
    const created: { id: string; admin_key: string }[] = [];
    for (let at = 0; at < 3; at += 1)
      created.push((await send('POST', `/show/${name}/poll`, { poll }, show_key)).json);
    // Each button is pressed twice; with `guard`, the second press is none.
    const { id, admin_key } = created[0]!;
    for (const answer of [0, 1, 2, 3]) await relay.cast(id, answer, answer);
    const [, , , semicolons = ''] = /(\*Headers\* `)((X-API-Key;).*?)`/.exec(readDocument(FILE)) ?? [];
    expect(semicolons).toBe('X-API-Key;');
    const did: unknown[] = [];
    for (const [, button, method = '', uri = '', body = ''] of rows) {
      const key = uri.startsWith('/api/show') ? show_key : admin_key;
      const headers = JSON.parse(header.replace('show_…', key));
      const filled = [uri, body].map(text => text.replace('<poll id>', id).replace('<show>', name));
      const press = () =>
        ask(relay.url + filled[0], {
          method,
          headers: { ...headers, 'content-type': 'application/json' },
          body: filled[1] as string,
        });
      vi.setSystemTime(Date.now() + SETTLE_MS);
      const first = await press();
      expect(first.status).toBeLessThan(300);
      const second = await press();
      expect(second.status === 409).toBe(body.includes('guard'));
      const { status, json } = body.includes('guard') ? first : second;
      const now = json.poll ?? json;
      const visibility = now.revealed_from ?? now.results_visibility;
      did.push([button?.replace(/ \(.*/, ''), status, now.status ?? now.on_air, visibility]);
    }
    expect(did).toEqual([
      ['Next of the rundown on air', 200, 'open', 'hidden'],
      ['Open', 200, 'open', 'hidden'],
      ['Open for a minute', 200, 'open', 'hidden'],
      ['Close in 30 s', 200, 'open', 'hidden'],
      ['Close', 200, 'closed', 'hidden'],
      ['Reveal the next place', 200, 'closed', 4],
      ['Reveal down to the third place', 200, 'closed', 3],
      ['Reveal all', 200, 'closed', 'always'],
      ['Hide', 200, 'closed', 'hidden'],
      ['Undo the last press', 200, 'closed', 3],
      ['Off air', 200, null, undefined],
      ['Previous', 200, 'closed', 3],
      ['Look of all overlays', 200, created[0]!.id, undefined],
      ['On air', 200, id, undefined],
      ['Open this poll', 200, 'open', 'hidden'],
      ['Close this poll', 200, 'closed', 'hidden'],
      ['Close it in 30 s', 200, 'closed', 'hidden'],
      ['Once more, as the next of the rundown', 201, 'upcoming', undefined],
      ['Hide', 200, 'closed', 'hidden'],
      ['Reveal', 200, 'closed', 'always'],
    ]);
  });

  it('have figures, text and light in Companion by the requests and paths that the recipe names', async () => {
    const recipe = /^\*\*Bitfocus Companion\*\*: [\s\S]*?(?=\n\n)/m
      .exec(readDocument(FILE))![0]
      .replaceAll('\n', ' ');
    const quoted = [...recipe.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);
    expect(recipe).toContain('*Content Type* `application/json`');
    const [results = '', buttons = ''] = quoted.filter(text => text.startsWith('/api/'));
    const lit = /== "(\w+)"/.exec(recipe)?.[1];
    const pathOf = (text: string) => /\$\.[\w.]+/.exec(text)?.[0].slice(2).split('.');
    const [label, color] = quoted.map(pathOf).filter(path => path !== undefined);
    const show = await takeShow(relay);
    const { id } = (await show.addPoll({ title: 'Which song next?' })).json;
    const headers = JSON.parse(header.replace('show_…', show.key));
    const figures = await ask(relay.url + results.replace('<poll id>', id), { headers });
    expect(figures.json).toMatchObject({ total_votes: 0, poll_answers: [{ votes: 0 }, { votes: 0 }] });
    const read = async (path: readonly string[] = []) => {
      const { json } = await ask(relay.url + buttons.replace('<show>', show.name), { headers });
      return path.reduce((value, name) => value[name], json);
    };
    expect(await read(label)).toContain('Which song next?');
    expect(await read(color)).toBe(lit);
    // The end of the rundown.
    await show.press('next');
    expect(await read(color)).not.toBe(lit);
  });

  it('are accepted from a page without an origin, as the plugin of a Stream Deck sends', async () => {
    const { id } = await relay.create();
    const asked = await fetch(`${relay.url}/api/poll/${id}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'null',
        'access-control-request-method': 'PATCH',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    });
    expect(asked.headers.get('access-control-allow-methods')).toContain('PATCH');
    expect(asked.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('x-api-key');
  });
});
