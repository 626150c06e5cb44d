import { describe, expect, it } from 'vitest';
import { readConfig, settingsOf } from '../../src/start/config.ts';
import { welcome } from '../../src/start/welcome.ts';

const OIDC = { OIDC_ISSUER: 'https://id.example', OIDC_CLIENT_ID: 'me', OIDC_CLIENT_SECRET: 'secret' };
const TURNSTILE = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET: 'secret' };
const HCAPTCHA = { HCAPTCHA_SITE_KEY: 'site', HCAPTCHA_SECRET: 'secret' };

describe('settings', () => {
  it('all have defaults, and a blank value counts as not set', () => {
    expect(readConfig({ PORT: '', RETENTION_DAYS: ' ', DATA_DIR: '' })).toEqual(readConfig({}));
    expect(readConfig({})).toMatchObject({ ROLE: 'all', PORT: 8080, VOTE_PORT: 8081, RETENTION_DAYS: 365 });
  });

  it.each([
    [{ ROLE: 'vote' }, 'ROLE must be all, relay, voting or chat'],
    [{ RETENTION_DAYS: 'abc' }, 'RETENTION_DAYS must be from 0 to 36,500 days'],
    [{ RETENTION_DAYS: '-1' }, 'RETENTION_DAYS must be from 0 to 36,500 days'],
    [{ CREATE_PER_MINUTE: '2000000000' }, 'CREATE_PER_MINUTE must be a whole number from 1 to 1,000,000,000'],
    [{ DURABILITY: 'full' }, 'DURABILITY must be fast or replicated'],
    [
      { PORT: '0', HOST: 'localhost' },
      'PORT=0 and VOTE_PORT=0 need WORKERS=1 and an address as HOST, like 127.0.0.1',
    ],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be fatal, error, warn, info, debug or silent'],
    [{ PORT: '99999' }, 'PORT must be a port number from 0 to 65535'],
    [{ REDIS_URL: 'http://localhost' }, 'REDIS_URL must be like redis://'],
    [
      { REDIS_URL: 'redis://a:1,b:1' },
      'REDIS_URL names several hosts: write redis+sentinel:// or redis+cluster://',
    ],
    [{ REDIS_URL: 'redis+sentinel://a' }, 'REDIS_URL needs the name of the primary'],
    [{ WORKERS: '2' }, 'WORKERS above 1 needs REDIS_URL'],
    [{ ROLE: 'voting' }, 'ROLE=voting needs REDIS_URL'],
    [{ DURABILITY: 'replicated' }, 'DURABILITY=replicated needs REDIS_URL'],
    [{ PORT: '9000', VOTE_PORT: '9000' }, 'PORT and VOTE_PORT are both 9000'],
  ])('refuse %j in words', (environment, words) => {
    expect(() => readConfig(environment)).toThrow(`Invalid settings: ${words}`);
  });

  it('report all errors at once', () => {
    expect(() => readConfig({ ROLE: 'vote', PORT: 'x' })).toThrow(/ROLE must be .*; PORT must be/);
  });

  it.each(['1', '2', 'true', '10.1', '10.0.1', '0x7f000001', 'nonsense', '10.0.0.0/40'])(
    'take no %s for the proxies that are trusted',
    TRUST_PROXY => {
      expect(() => readConfig({ TRUST_PROXY })).toThrow('TRUST_PROXY must be a list of addresses or CIDR');
    },
  );

  it('have errors that read as sentences', () => {
    const environment = { OPERATOR_KEYS: 'short', CREATE_BYTES_PER_DAY: '-1', PORT: 'x' };
    expect(() => readConfig(environment)).toThrow(
      /OPERATOR_KEYS must be keys of at least 16 characters each/,
    );
    expect(() => readConfig(environment)).toThrow(
      /PORT must be a port number.*CREATE_BYTES_PER_DAY must be a/,
    );
  });

  it('of limits that may be absent are 0 without one', () => {
    const environment = { CREATE_BYTES_PER_DAY: '0', RETENTION_DAYS: '0', EMPTY_POLL_DAYS: '0' };
    expect(readConfig(environment)).toMatchObject({ CREATE_BYTES_PER_DAY: 0, RETENTION_DAYS: 0 });
  });

  it('accept addresses and ranges of both families as trusted proxies', () => {
    // The compose file leaves a trailing comma.
    const TRUST_PROXY = '10.0.0.1, 172.16.0.0/12,::1,fd00::/8,';
    expect(readConfig({ TRUST_PROXY }).TRUST_PROXY).toEqual(['10.0.0.1', '172.16.0.0/12', '::1', 'fd00::/8']);
  });
});

describe('settings that belong together', () => {
  it.each([
    [OIDC, ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET']],
    [TURNSTILE, ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET']],
    [HCAPTCHA, ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET']],
  ])('are taken whole: %j', (whole, names) => {
    expect(() => readConfig(whole)).not.toThrow();
    for (const name of names) {
      const { [name as keyof typeof whole]: _, ...rest } = whole;
      expect(() => readConfig(rest)).toThrow(`Invalid settings: ${name} missing: ${names.join(', ')} belong`);
    }
  });

  it('are passed to the voting front end', () => {
    const settings = settingsOf(readConfig({ ...OIDC, ...TURNSTILE, VOTES_PER_MINUTE: '7' }));
    expect(settings.oidc).toMatchObject({
      issuer: 'https://id.example',
      clientId: 'me',
      name: 'your account',
    });
    expect(settings.turnstile).toEqual({ siteKey: 'site', secret: 'secret' });
    expect(settings.hcaptcha).toBeUndefined();
    expect(settings.rateLimits?.ballots).toBe(7);
  });

  it('cannot include two human checks', () => {
    expect(() => readConfig({ ...TURNSTILE, ...HCAPTCHA })).toThrow('choose one of the two checks');
  });
});

describe('public addresses', () => {
  it.each([
    [{}, 'http://127.0.0.1:8080', 'http://127.0.0.1:8081'],
    [{ HOST: '0.0.0.0' }, 'http://localhost:8080', 'http://localhost:8081'],
    [{ HOST: '::1', PORT: '90' }, 'http://[::1]:90', 'http://[::1]:8081'],
    [
      { PUBLIC_URL: 'https://a.example/', VOTE_PUBLIC_URL: 'https://b.example' },
      'https://a.example',
      'https://b.example',
    ],
  ])('of %j', (environment, relay, vote) => {
    expect(settingsOf(readConfig(environment))).toMatchObject({ relayUrl: relay, voteUrl: vote });
  });
});

describe('the welcome', () => {
  const saidOf = (environment: Record<string, string>) => welcome(readConfig(environment));

  it('names the addresses of what was started, and of nothing else', () => {
    const redis = { REDIS_URL: 'redis://127.0.0.1' };
    expect(saidOf({})).toMatch(/embedded engine in \.\/data[\s\S]*Relay +http[\s\S]*Create +http\S+\/new/);
    expect(saidOf({ ...redis, ROLE: 'relay' })).not.toMatch(/Voting|Create +http/);
    expect(saidOf({ ...redis, ROLE: 'voting' })).not.toMatch(/Relay|curl/);
  });

  it('has a line to paste that creates a poll for a room, unlisted as in the README', () => {
    const body = /curl http:\/\/127\.0\.0\.1:8080\/api\/poll .* -d '(.*)'/.exec(saidOf({}))?.[1];
    expect(JSON.parse(body ?? '')).toEqual({
      poll: { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true, priv: true },
    });
  });
});

describe('CORS_ORIGINS', () => {
  it.each([
    [undefined, ['*']],
    ['*', ['*']],
    ['https://show.example', ['https://show.example']],
    ['HTTPS://Show.Example:443/, http://localhost:5173', ['https://show.example', 'http://localhost:5173']],
  ])('%s means %j', (value, origins) => {
    expect(readConfig({ CORS_ORIGINS: value }).CORS_ORIGINS).toEqual(origins);
  });

  it.each([
    'show.example',
    'https://show.example/page',
    'https://*.example/x',
    'null',
    'ftp://a',
    'https://',
  ])('of %s stops the start and says what to write', value => {
    expect(() => readConfig({ CORS_ORIGINS: value })).toThrow(
      'CORS_ORIGINS must be * or a list of origins like https://show.example',
    );
  });
});
