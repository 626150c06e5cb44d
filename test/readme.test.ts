import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parameterTable } from '../src/overlay/parameter/parameters.ts';
import { settings, settingsTable } from '../src/start/config.ts';
import { ask } from './support/api-request.ts';
import { type CreatedPoll, startTestRelay } from './support/test-relay.ts';

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

describe('the README', () => {
  it('prints every setting with the default that the schema has (npm run readme)', async () => {
    expect(await read('README.md')).toContain(`<!-- settings -->\n${settingsTable()}\n<!-- /settings -->`);
  });

  it('prints every parameter of the overlay (npm run readme)', async () => {
    expect(await read('README.md')).toContain(
      `<!-- parameters -->\n${parameterTable().trim()}\n<!-- /parameters -->`,
    );
  });

  it.each(['README.md', 'test/fault/README.md'])('%s links to files that exist', async name => {
    const here = new URL(`../${name}`, import.meta.url);
    const links = [...(await read(name)).matchAll(/\]\((?!https?:|#)([^)#]+)\)/g)].map(
      ([, path = '']) => path,
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(path => !existsSync(new URL(path, here)))).toEqual([]);
  });

  it('names the commands that package.json has', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const named = [
      ...(await read('README.md')).matchAll(/npm (?:run )?(start|dev|test:browser|test|lint|types|bench)\b/g),
    ];
    expect(named.length).toBeGreaterThan(6);
    for (const [, script] of named) expect(Object.keys(scripts)).toContain(script);
  });
});

/** What a line of curl asks for: `-X`, `-H`, `-d` and the address, as the examples write them. */
function requestOf(line: string, relayUrl: string, { id, admin_key }: CreatedPoll): [string, RequestInit] {
  const words = [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const after = (flag: string) => words.flatMap((word, index) => (words[index - 1] === flag ? [word] : []));
  const headers = after('-H').map(
    header => header.replace('admin_…', admin_key).split(': ') as [string, string],
  );
  const url = words.find(word => word.startsWith('http://')) ?? '';
  const [body] = after('-d');
  // As curl has it where nobody says what the body is.
  if (body !== undefined && !headers.some(([name]) => name === 'Content-Type'))
    headers.push(['Content-Type', 'application/x-www-form-urlencoded']);
  return [
    url.replace('http://127.0.0.1:8080', relayUrl).replace('<poll_id>', id),
    { method: after('-X')[0] ?? 'GET', headers, ...(body !== undefined && { body }) },
  ];
}

describe('the examples of a poll by program', () => {
  it('do what they say, one after the other', async () => {
    const [, section = ''] = (await read('README.md')).split('### A poll by program\n');
    const [, block = ''] = section.split('```\n');
    const lines = block.trim().replaceAll('\\\n', '').split('\n');
    expect(lines.length).toBeGreaterThan(4);
    const relay = await startTestRelay();
    const poll = await relay.create();
    const did: unknown[] = [];
    for (const line of lines) {
      const [url, init] = requestOf(line.replace('<poll id>', '<poll_id>'), relay.url, poll);
      const { status, json } = await ask(url, init);
      did.push([status, json.status, json.results_visibility, typeof json.view_key]);
    }
    expect(did).toEqual([
      [200, 'closed', 'always', 'undefined'],
      [200, 'closed', 'hidden', 'undefined'],
      [200, 'open', 'hidden', 'undefined'],
      [200, 'open', 'always', 'undefined'],
      [200, undefined, undefined, 'string'],
      [200, undefined, undefined, 'undefined'],
    ]);
    expect(await relay.engine.polls.find(poll.id)).toBeUndefined();
    await relay.close();
  });
});

describe('the deployment files', () => {
  it('start the image with the command of the README', async () => {
    const dockerfile = await read('Dockerfile');
    expect(dockerfile).toContain('RUN npm ci');
    const { scripts } = JSON.parse(await read('package.json'));
    const [program, ...args] = scripts.start.split(' ');
    expect(dockerfile).toContain(`CMD [${[program, ...args].map(word => `"${word}"`).join(', ')}]`);
    expect(await read('README.md')).toContain(`\`${scripts.start}\``);
  });

  it('compose Redis with an append-only file, two relays, two voting front ends and a load balancer', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    expect(Object.keys(services)).toEqual([
      'redis',
      'relay-1',
      'relay-2',
      'voting-1',
      'voting-2',
      'load-balancer',
    ]);
    expect(services.redis.command).toContain('--appendonly yes');
    expect(services['voting-1'].environment.ROLE).toBe('voting');
    for (const service of ['relay-1', 'relay-2', 'voting-1', 'voting-2'])
      for (const name of Object.keys(services[service].environment))
        expect(Object.keys(settings.shape)).toContain(name);
  });
});
