import { closest, distance } from 'fastest-levenshtein';
import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import type { OidcOptions } from '../audience/sign-in/sign-in.ts';
import { type Engine, openEngine } from '../engine/open-engine.ts';
import { parseRedisUrl } from '../engine/redis/redis-url.ts';
import type { FIXED_LIMITS, VotingRateLimits } from '../pages/guard/rate-limit.ts';
import type { RemoteCheckOptions } from '../pages/human-check/remote-check.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';

/** A hundred years. */
const MAX_DAYS = 36_500;

const text = z.string().min(1);
/** @param what default: a whole number between both ends */
const whole = (
  min: number,
  max: number,
  what = `a whole number from ${min.toLocaleString('en')} to ${max.toLocaleString('en')}`,
) =>
  z
    .string()
    .transform(Number)
    .refine(value => Number.isInteger(value) && value >= min && value <= max, `must be ${what}`);
const port = whole(0, 65_535, 'a port number from 0 to 65535');
const days = text
  .transform(Number)
  .refine(
    value => value >= 0 && value <= MAX_DAYS,
    `must be from 0 to ${MAX_DAYS.toLocaleString('en')} days`,
  );
const count = whole(1, 1_000_000_000);
const bytes = whole(0, Number.MAX_SAFE_INTEGER);
const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform(value => value === 'true' || value === '1');
const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .refine(url => !/[?#]/.test(url), 'must have no query and no fragment')
  .transform(url => url.replace(/\/+$/, ''));
const webSocket = z.url({ protocol: /^wss?$/, error: 'must be a ws or wss URL' });
const list = text.transform(value =>
  value
    .split(',')
    .map(item => item.trim())
    .filter(Boolean),
);

function refuseRedisUrl(url: string, context: z.RefinementCtx): void {
  try {
    parseRedisUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
}

/** Rejects short forms that `ipaddr` accepts: it reads `1`, meant as a hop count, as 0.0.0.1. */
const isNetwork = (item: string) =>
  (item.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(item.replace(/\/.*$/, ''))) &&
  (ipaddr.isValid(item) || ipaddr.isValidCIDR(item));
const networks = list.refine(
  items => items.every(isNetwork),
  'must be a list of addresses or CIDR ranges of your proxies, like 10.0.0.0/8 (with a hop count or "true", any client could forge its address)',
);

const origins = list
  .refine(
    items => items.every(item => item === '*' || isOrigin(item)),
    'must be * or a list of origins like https://show.example',
  )
  .transform(items => items.map(item => (item === '*' ? item : new URL(item).origin)));

export const settings = z.object({
  ROLE: oneOf('all', 'relay', 'voting', 'chat')
    .default('all')
    .describe('`all`: relay and voting front end in one process; `chat`: votes from chat alone'),
  HOST: text.default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(8080).describe('Port of the relay; 0 takes a free one'),
  VOTE_PORT: port.default(8081).describe('Port of the voting front end; 0 takes a free one'),
  METRICS_PORT: whole(1, 65_535, 'a port number from 1 to 65535')
    .optional()
    .describe('Port of `/metrics` (OpenMetrics) for this process and its workers; off by default'),
  METRICS_HOST: text.default('127.0.0.1').describe('Address to listen on for `/metrics`; keep it private'),
  WORKERS: whole(1, 256).default(1).describe('Processes that share the ports; more than one needs Redis'),
  PUBLIC_URL: origin.optional().describe('Public URL of the relay; may have a path'),
  VOTE_PUBLIC_URL: origin.optional().describe('Public URL of the voting front end; may have a path'),
  REDIS_URL: text
    .superRefine(refuseRedisUrl)
    .optional()
    .describe('Uses the `redis` engine (forms above); default: the embedded engine'),
  REDIS_CA_FILE: text
    .optional()
    .describe("PEM file of the private authority that signed Redis' certificates"),
  REDIS_CERT_FILE: text.optional().describe('PEM file of the certificate by which Redis knows this client'),
  REDIS_KEY_FILE: text.optional().describe('PEM file of the key of that certificate'),
  REDIS_SENTINEL_PASSWORD: text.optional().describe('Password of the Sentinels, if they have one'),
  REDIS_PREFIX: text
    .regex(/^[^{}]*$/, 'must not contain { or }')
    .default('tallycast:')
    .describe('Prefix of every Redis key'),
  DATA_DIR: text
    .default('./data')
    .describe('Folder of the embedded engine; one process at a time, not readable by other users'),
  DURABILITY: oneOf('fast', 'replicated')
    .default('fast')
    .describe('`replicated` acknowledges a ballot only when a Redis replica holds it'),
  RETENTION_DAYS: days
    .default(365)
    .describe(
      'Days a poll is kept after its end or last ballot; 0 keeps it forever. Applies when a poll is created or changed',
    ),
  EMPTY_POLL_DAYS: days
    .default(30)
    .describe(
      "Days a poll without ballots is kept after its creation or deadline, unless it was created with an operator's key; 0: as any other poll",
    ),
  EMPTY_SHOW_DAYS: days
    .default(30)
    .describe(
      "Days a show without polls is kept after its last change, unless it was created with an operator's key; 0 keeps it forever",
    ),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('info')
    .describe('Lowest level that is logged; `debug` adds a line for each request'),
  TRUST_PROXY: networks
    .optional()
    .describe('Addresses or CIDR ranges of your proxies, comma-separated; off by default'),
  OPERATOR_KEYS: list
    .refine(keys => keys.every(key => key.length >= 16), 'must be keys of at least 16 characters each')
    .default([])
    .describe("The operator's API keys, comma-separated"),
  CORS_ORIGINS: origins
    .default(['*'])
    .describe(
      'Origins whose pages may create and change polls and shows, comma-separated; reading is always allowed',
    ),
  CREATE_REQUIRES_KEY: flag.default(false).describe("Creating polls and shows requires an operator's key"),
  WEBHOOK_PRIVATE_ADDRESSES: flag
    .default(false)
    .describe('Webhooks may have private addresses, and `http` URLs'),
  CREATE_PER_MINUTE: count.default(60).describe('Polls that one address may create per minute'),
  CREATE_BYTES_PER_DAY: bytes
    .default(20_000_000)
    .describe(
      "Bytes that one address, or presses on one poll's manage page, may store per day; 0 is no limit, nor has an operator's key one",
    ),
  CHANGES_PER_MINUTE: count
    .default(600)
    .describe('Changes of polls and shows by REST per minute and address'),
  OPERATOR_PER_MINUTE: count
    .default(6_000)
    .describe(
      "Polls, shows and changes per minute and operator's key, in place of the limits of its address",
    ),
  MAX_CONNECTIONS_PER_ADDRESS: count.default(1_000).describe('Maximum live connections of one address'),
  DIRECT_WRITES: flag
    .default(true)
    .describe('`false` writes frames through the public streams of Node.js, for 50 % more CPU'),
  VPN_LIST_FILE: text.optional().describe('CIDR ranges of VPNs, one a line; reloaded when it changes'),
  NEWCOMERS_PER_SECOND: count
    .default(500)
    .describe(
      'Requests without a voter cookie per second and address; beyond it the reply only sets the cookie, and the browser repeats the request',
    ),
  PAGES_PER_MINUTE: count.default(600).describe('Voting pages per minute and voter'),
  VOTES_PER_MINUTE: count.default(60).describe('Ballots per minute and voter'),
  COMMENTS_PER_MINUTE: count.default(10).describe('Comments per minute and voter'),
  CHAT: list
    .transform(names => [...new Set(names)])
    .pipe(z.array(oneOf(...CHAT_PLATFORMS)))
    .default([])
    .describe('Chats whose messages are votes, comma-separated: `twitch`, `youtube`, `kick`; off by default'),
  CHAT_CHANNELS: count.default(20).describe('Channels that all shows of operators may link, and all others'),
  CHAT_LINK: oneOf('show', 'operator')
    .default('show')
    .describe("Who links channels: `show`: the show's key; `operator`: an operator's key alone"),
  CHAT_TWITCH_URL: webSocket
    .optional()
    .describe('WebSocket address of another server in place of Twitch, which replies to HTTP with its time'),
  CHAT_YOUTUBE_KEY_FILE: text
    .optional()
    .describe('File with the API key by which YouTube is read; only with `youtube` in `CHAT`'),
  CHAT_YOUTUBE_URL: origin.optional().describe('URL of another server in place of YouTube Data API v3'),
  CHAT_KICK_PUBLIC_KEY_FILE: text
    .optional()
    .describe("PEM file of Kick's public key, which checks its webhooks; only with `kick` in `CHAT`"),
  CHAT_KICK_URL: origin
    .default('https://api.kick.com')
    .describe("URL of Kick's API, or of another server in its place; only its time is read there"),
  PROOF_COST: count.default(1_000).describe('Work of the human check; higher is slower'),
  OIDC_ISSUER: origin.optional().describe('OpenID provider for polls with `only_reg`'),
  OIDC_CLIENT_ID: text.optional().describe('Client id at the OpenID provider'),
  OIDC_CLIENT_SECRET: text.optional().describe('Client secret at the OpenID provider'),
  OIDC_NAME: text.default('your account').describe('Name of the provider, as in "Sign in with ..."'),
  TURNSTILE_SITE_KEY: text.optional().describe('Uses Turnstile instead of the proof of work'),
  TURNSTILE_SECRET: text.optional().describe('Secret of Turnstile'),
  HCAPTCHA_SITE_KEY: text.optional().describe('Uses hCaptcha instead of the proof of work'),
  HCAPTCHA_SECRET: text.optional().describe('Secret of hCaptcha'),
});

export interface Config extends z.infer<typeof settings> {
  /** With `--lan`: this machine's address in its network, for links. No setting of the environment. */
  readonly LAN_ADDRESS?: string | undefined;
}

export function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const value = schema.safeParse(undefined).data;
    const shown = value === undefined || (Array.isArray(value) && value.length === 0) ? '' : `\`${value}\``;
    return `| \`${name}\` | ${shown} | ${z.globalRegistry.get(schema)?.description ?? schema.description} |`;
  });
  return ['| setting | default | what it does |', '|---|---|---|', ...rows].join('\n');
}

const TOGETHER = [
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET'],
  ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET'],
] as const satisfies readonly (readonly (keyof Config)[])[];

export class InvalidSettings extends Error {
  readonly exitCode = 2;

  constructor(faults: string) {
    super(`Invalid settings: ${faults}`);
  }
}

/** @throws InvalidSettings in one line that names every invalid setting */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = settings.safeParse(givenSettings(environment));
  const faults = parsed.success
    ? contradictions(parsed.data)
    : parsed.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new InvalidSettings(faults.join('; '));
  return parsed.data;
}

/** Returns the settings in the environment. An empty value counts as not set, as in compose files. */
export function givenSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = Object.keys(settings.shape).filter(name => environment[name]?.trim());
  return Object.fromEntries(names.map(name => [name, environment[name] as string]));
}

/** Shorter names are near too many others. */
const MIN_NAME_LENGTH = 8;
const MAX_SLIPS = 2;

/** Returns variables that look like a misspelled setting, each with the setting that is probably meant. */
export function misspelledSettings(environment: NodeJS.ProcessEnv = process.env): string[] {
  const missing = Object.keys(settings.shape).filter(name => !environment[name]?.trim());
  return Object.keys(environment)
    .filter(name => name.length >= MIN_NAME_LENGTH && !Object.hasOwn(settings.shape, name))
    .map(name => ({ name, meant: missing.length > 0 ? closest(name, missing) : '' }))
    .filter(({ name, meant }) => distance(name, meant) <= MAX_SLIPS)
    .map(({ name, meant }) => `${name} is no setting: did you mean ${meant}?`);
}

function contradictions(config: Config): string[] {
  const faults: string[] = [];
  const oneProcess = 'because the embedded engine runs in one process';
  if (config.REDIS_URL === undefined) {
    if (config.ROLE !== 'all') faults.push(`ROLE=${config.ROLE} needs REDIS_URL, ${oneProcess}`);
    if (config.WORKERS > 1) faults.push(`WORKERS above 1 needs REDIS_URL, ${oneProcess}`);
    if (config.DURABILITY === 'replicated')
      faults.push('DURABILITY=replicated needs REDIS_URL, because the embedded engine has no replica');
  }
  if (config.ROLE === 'chat' && config.CHAT.length === 0) faults.push('ROLE=chat needs CHAT');
  if (config.ROLE === 'chat' && config.WORKERS > 1) faults.push('ROLE=chat needs WORKERS=1');
  for (const [name, file] of Object.entries(chatKeyFiles(config)))
    if (file === undefined) faults.push(`CHAT=${config.CHAT.join()} needs ${name}`);
  const isZero = portsOf(config).some(setting => config[setting] === 0);
  if (isZero && (config.WORKERS > 1 || config.HOST === 'localhost'))
    faults.push('PORT=0 and VOTE_PORT=0 need WORKERS=1 and an address as HOST, like 127.0.0.1');
  if (config.METRICS_PORT === config.PORT || config.METRICS_PORT === config.VOTE_PORT)
    faults.push(`METRICS_PORT and another port are both ${config.METRICS_PORT}`);
  if (config.ROLE === 'all' && config.PORT !== 0 && config.PORT === config.VOTE_PORT)
    faults.push(`PORT and VOTE_PORT are both ${config.PORT}`);
  for (const names of TOGETHER) {
    const missing = names.filter(name => config[name] === undefined);
    if (missing.length > 0 && missing.length < names.length)
      faults.push(`${missing.join(' and ')} missing: ${names.join(', ')} belong together`);
  }
  if (config.TURNSTILE_SECRET !== undefined && config.HCAPTCHA_SECRET !== undefined)
    faults.push('TURNSTILE_SECRET and HCAPTCHA_SECRET are both set: choose one of the two checks');
  return faults;
}

type KeyFiles = Partial<Pick<Config, 'CHAT_YOUTUBE_KEY_FILE' | 'CHAT_KICK_PUBLIC_KEY_FILE'>>;

/** The keys of the chats that this process reads. Webhooks of Kick arrive at every process but a relay. */
export function chatKeyFiles(config: Config): KeyFiles {
  const { ROLE: role, CHAT: platforms, CHAT_YOUTUBE_KEY_FILE, CHAT_KICK_PUBLIC_KEY_FILE } = config;
  const isReader = role === 'all' || role === 'chat';
  return {
    ...(isReader && platforms.includes('youtube') && { CHAT_YOUTUBE_KEY_FILE }),
    ...(role !== 'relay' && platforms.includes('kick') && { CHAT_KICK_PUBLIC_KEY_FILE }),
  };
}

export type ServerPort = 'PORT' | 'VOTE_PORT';

/** The ports on which servers of the role listen. A chat process has one for its probes. */
export function portsOf({ ROLE }: Pick<Config, 'ROLE'>): ServerPort[] {
  if (ROLE === 'all') return ['PORT', 'VOTE_PORT'];
  return ROLE === 'relay' ? ['PORT'] : ['VOTE_PORT'];
}

function isOrigin(text: string): boolean {
  if (text.includes('*') || !URL.canParse(text)) return false;
  const { protocol, href, origin } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

type CamelCase<Name extends string> = Name extends `${infer Word}_${infer Rest}`
  ? `${Lowercase<Word>}${Capitalize<CamelCase<Rest>>}`
  : Lowercase<Name>;
type NamedSettings = { readonly [Name in keyof Required<Config> as CamelCase<Name>]: Config[Name] };

/**
 * The settings by the names that the code uses: `REDIS_URL` is `redisUrl`. Each room declares which
 * of them it reads.
 */
export interface Settings extends NamedSettings {
  /** PUBLIC_URL or the address that the relay listens on, without a trailing slash. */
  readonly relayUrl: string;
  /** VOTE_PUBLIC_URL or the address that the voting front end listens on, without a trailing slash. */
  readonly voteUrl: string;
  /** A relay alone does not know whether voting front ends have a provider. */
  readonly lacksSignIn: boolean;
  readonly oidc: OidcOptions | undefined;
  /** At most one of the two; without one, the human check is a proof of work. */
  readonly turnstile: RemoteCheckOptions | undefined;
  readonly hcaptcha: RemoteCheckOptions | undefined;
  readonly rateLimits: Partial<VotingRateLimits> & Omit<VotingRateLimits, keyof typeof FIXED_LIMITS>;
}

export function settingsOf(config: Config): Settings {
  const named = Object.entries(config).map(([name, value]) => [camelCase(name), value]);
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = config;
  const hasSignIn = issuer && clientId && clientSecret;
  return {
    ...(Object.fromEntries(named) as NamedSettings),
    relayUrl: config.PUBLIC_URL ?? localUrl(config, 'PORT'),
    voteUrl: config.VOTE_PUBLIC_URL ?? localUrl(config, 'VOTE_PORT'),
    lacksSignIn: config.ROLE === 'all' && !hasSignIn,
    oidc: hasSignIn ? { issuer, clientId, clientSecret, name: config.OIDC_NAME } : undefined,
    turnstile: remoteCheck(config.TURNSTILE_SITE_KEY, config.TURNSTILE_SECRET),
    hcaptcha: remoteCheck(config.HCAPTCHA_SITE_KEY, config.HCAPTCHA_SECRET),
    rateLimits: {
      pages: config.PAGES_PER_MINUTE,
      ballots: config.VOTES_PER_MINUTE,
      newcomers: config.NEWCOMERS_PER_SECOND,
      comments: config.COMMENTS_PER_MINUTE,
      creates: config.CREATE_PER_MINUTE,
    },
  };
}

function camelCase(name: string): string {
  return name.toLowerCase().replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

function remoteCheck(siteKey: string | undefined, secret: string | undefined): Settings['turnstile'] {
  return siteKey === undefined || secret === undefined ? undefined : { siteKey, secret };
}

/** Returns the address at which this machine, and with `--lan` its network, reaches a server. */
export function localUrl(config: Config, setting: ServerPort): string {
  const listensEverywhere = config.HOST === '0.0.0.0' || config.HOST === '::';
  const name = listensEverywhere ? (config.LAN_ADDRESS ?? 'localhost') : config.HOST;
  const host = name.includes(':') ? `[${name}]` : name;
  return `http://${host}:${config[setting]}`;
}

/**
 * Opens the configured engine.
 *
 * @param beside opens it beside a running server, see `EngineOptions`.
 * @throws Error in one line
 */
export function openConfiguredEngine(
  config: Config,
  onError: (error: Error) => void,
  beside?: 'read' | 'write',
): Promise<Engine> {
  return openEngine({ ...settingsOf(config), onError, beside });
}
