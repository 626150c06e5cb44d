import { createServer } from 'node:http';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/start/config.ts';
import { checkOpenFiles, openCreationUrl } from '../../src/start/preflight.ts';
import { type Program, startProgram } from './program.ts';

/** An invalid setting, which a restart does not fix. */
const WRONG_USE = 2;

const warnings = ({ lines }: Program) => lines.filter(({ level }) => level === 'warn');

/** A port that is in use. */
async function takenPort(): Promise<string> {
  const server = createServer();
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const address = server.address();
  return `${typeof address === 'object' && address?.port}`;
}

describe('the program refuses to start', () => {
  it('if a setting is invalid', async () => {
    const program = await startProgram({ ROLE: 'vote' });
    expect(await program.ended()).toBe(WRONG_USE);
    expect(program.log.trim()).toBe('Invalid settings: ROLE must be all, relay, voting or chat');
  });

  it.each(['PORT', 'VOTE_PORT'])('if %s is in use, and names the setting', async setting => {
    const port = await takenPort();
    const program = await startProgram({
      [setting]: port,
      LOG_LEVEL: setting === 'PORT' ? 'info' : 'silent',
    });
    expect(await program.ended()).toBe(1);
    expect(program.log.trim()).toBe(
      `${setting}=${port} on HOST=127.0.0.1: in use by another program. Stop it or choose another port`,
    );
  });
});

describe('the program with PORT=0', () => {
  it('uses free ports, and logs them', async () => {
    const program = await startProgram({ PORT: '0', VOTE_PORT: '0' });
    await program.running();
    const { relay, vote } = program.lines.find(({ msg }) => msg === 'server listening')!;
    for (const url of [relay, vote]) expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect(program.log).not.toMatch(/:0\b(?!\d)[/"]/);
  });
});

describe('the program warns at its start', () => {
  it('about a low limit of open files', async () => {
    const program = await startProgram({}, { openFiles: 128 });
    await program.running();
    expect(warnings(program)).toMatchObject([{ msg: 'low open file limit', limit: 128, connections: 88 }]);
  });

  it('about a public address without CREATE_REQUIRES_KEY', async () => {
    const program = await startProgram({ VOTE_PUBLIC_URL: 'https://vote.example' });
    await program.running();
    expect(warnings(program)).toMatchObject([
      {
        msg: 'creation open to the public',
        url: 'https://vote.example',
        advice: expect.stringMatching(/CREATE_REQUIRES_KEY/),
      },
    ]);
    const warning = (settings: Record<string, string>) => openCreationUrl(readConfig(settings));
    const urls = [
      'https://relay.example',
      'http://192.0.2.7:8080',
      'http://[2001:db8::1]',
      'http://localhost.example',
    ];
    for (const PUBLIC_URL of urls) {
      expect(warning({ PUBLIC_URL })).toBe(PUBLIC_URL);
      expect(warning({ PUBLIC_URL, CREATE_REQUIRES_KEY: 'true' })).toBeUndefined();
    }
    const local = [
      'http://localhost:8080',
      'http://127.0.0.1',
      'http://[::1]:1',
      'http://192.168.1.5',
      'http://studio.local',
    ];
    for (const PUBLIC_URL of local) expect(warning({ PUBLIC_URL })).toBeUndefined();
    expect(warning({})).toBeUndefined();
  });

  it('about nothing else', () => {
    expect(checkOpenFiles(65_536).status).toBe('ok');
  });
});

describe('both servers', () => {
  it('listen with a large backlog, for thousands that reconnect within a second', async () => {
    const preload = `import { Server } from 'node:net';
      const { listen } = Server.prototype;
      Server.prototype.listen = function (options, ...rest) {
        console.log('backlog of ' + options.port + ': ' + options.backlog);
        return listen.call(this, options, ...rest);
      };`;
    const program = await startProgram({}, { preload });
    await program.running();
    const { port, votePort } = { port: new URL(program.url).port, votePort: new URL(program.voteUrl).port };
    for (const listening of [port, votePort]) expect(program.log).toContain(`backlog of ${listening}: 65535`);
  });
});
