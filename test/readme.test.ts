import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parameterTable } from '../src/overlay/parameter/parameters.ts';
import { settings, settingsTable } from '../src/start/config.ts';

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

  it('names the commands that package.json has', async () => {
    const { scripts } = JSON.parse(await read('package.json'));
    const named = [
      ...(await read('README.md')).matchAll(
        /npm (?:run )?(start|dev|test:browser|test|lint|types|bench|watch|show)\b/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(8);
    for (const [, script] of named) expect(Object.keys(scripts)).toContain(script);
  });
});

describe('the deployment files', () => {
  it('start the image with the command of the README', async () => {
    const dockerfile = await read('Dockerfile');
    expect(dockerfile).toContain('RUN npm ci');
    expect(dockerfile).toContain('CMD ["node", "dist/main.js"]');
  });

  it('compose Redis with an append-only file, two relays, the voting front end and a load balancer', async () => {
    const { services } = parse(await read('docker-compose.yml'), { merge: true });
    expect(Object.keys(services)).toEqual(['redis', 'relay-1', 'relay-2', 'voting', 'load-balancer']);
    expect(services.redis.command).toContain('--appendonly yes');
    expect(services.voting.environment.ROLE).toBe('voting');
    for (const service of ['relay-1', 'relay-2', 'voting'])
      for (const name of Object.keys(services[service].environment))
        expect(Object.keys(settings.shape)).toContain(name);
  });
});
