import ipaddr from 'ipaddr.js';
import * as z from 'zod';
import { parseRedisUrl } from '../engine/redis/redis-url.ts';

/** The only reader of the environment: one schema, from which the README's table of settings is printed, too. */

const text = z.string().min(1);
const whole = (min: number, max: number, what: string) =>
  z
    .string()
    .transform(Number)
    .refine(value => Number.isInteger(value) && value >= min && value <= max, `must be ${what}`);
const port = whole(0, 65_535, 'a port number');
const days = text
  .transform(Number)
  .refine(value => Number.isFinite(value) && value >= 0, 'must be a number of days, 0 or more');
const count = whole(1, 1_000_000_000, 'a whole number above 0');
const oneOf = <const T extends readonly [string, ...string[]]>(...values: T) =>
  z.enum(values, `must be ${values.slice(0, -1).join(', ')} or ${values.at(-1)}`);
const flag = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform(value => value === 'true' || value === '1');
const origin = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform(url => url.replace(/\/+$/, ''));
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

/** Not the short spellings that `ipaddr` knows as well: to it `1` is 0.0.0.1, where somebody meant one hop. */
const isNetwork = (item: string) =>
  (item.includes(':') || ipaddr.IPv4.isValidFourPartDecimal(item.replace(/\/.*$/, ''))) &&
  (ipaddr.isValid(item) || ipaddr.isValidCIDR(item));
const networks = list.refine(
  items => items.every(isNetwork),
  'must be a list of addresses or CIDR ranges of your proxies, like 10.0.0.0/8 (a hop count or "true" lets anybody forge an address)',
);

const origins = list
  .refine(
    items => items.every(item => item === '*' || isOrigin(item)),
    'must be * or a list of origins like https://show.example',
  )
  .transform(items => items.map(item => (item === '*' ? item : new URL(item).origin)));

export const settings = z.object({
  ROLE: oneOf('all', 'relay', 'voting')
    .default('all')
    .describe('`all`: relay and voting front end in one process'),
  HOST: text.default('127.0.0.1').describe('Address to listen on'),
  PORT: port.default(8080).describe('Port of the relay; 0 takes a free one'),
  VOTE_PORT: port.default(8081).describe('Port of the voting front end; 0 takes a free one'),
  METRICS_PORT: whole(1, 65_535, 'a port number')
    .optional()
    .describe('Port of `/metrics` (OpenMetrics) for all processes that are started here; off by default'),
  METRICS_HOST: text.default('127.0.0.1').describe("Address that it listens on: it is the operator's alone"),
  WORKERS: whole(1, 256, 'a whole number from 1 to 256')
    .default(1)
    .describe(
      'Processes that share the ports, of relays and voting front ends alike; more than one needs Redis',
    ),
  PUBLIC_URL: origin.optional().describe("The relay's address as the world sees it"),
  VOTE_PUBLIC_URL: origin.optional().describe("The voting front end's address as the world sees it"),
  REDIS_URL: text
    .superRefine(refuseRedisUrl)
    .optional()
    .describe('Chooses the `redis` engine (forms above); without it the embedded engine is used'),
  REDIS_CA_FILE: text
    .optional()
    .describe("PEM file of the authority that signed Redis' certificates, where it is a private one"),
  REDIS_SENTINEL_PASSWORD: text.optional().describe('Where the Sentinels have a password of their own'),
  REDIS_PREFIX: text
    .regex(/^[^{}]*$/, 'must not contain { or }')
    .default('tallycast:')
    .describe('Begins every Redis key'),
  DATA_DIR: text
    .default('./data')
    .describe(
      'Where the embedded engine keeps its files, for one process at a time and closed to other users',
    ),
  DURABILITY: oneOf('fast', 'replicated')
    .default('fast')
    .describe('`replicated` answers a ballot only when a Redis replica holds it, too'),
  RETENTION_DAYS: days
    .default(365)
    .describe('Days a poll that is created or changed now is kept after its end or last ballot; 0 keeps it'),
  EMPTY_POLL_DAYS: days
    .default(30)
    .describe(
      "Days a poll without a ballot is kept after its creation or deadline, unless an operator's key made it; 0 keeps it as any other",
    ),
  EMPTY_SHOW_DAYS: days
    .default(30)
    .describe(
      "Days a show without a poll is kept after its last change, unless an operator's key made it; 0 keeps it",
    ),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('info')
    .describe('Least severity that is logged; `debug` adds a line for each request'),
  TRUST_PROXY: networks
    .optional()
    .describe('Addresses or CIDR ranges of your proxies, comma-separated; off by default'),
  OPERATOR_KEYS: list
    .refine(keys => keys.every(key => key.length >= 16), 'each key must be at least 16 characters long')
    .default([])
    .describe("The operator's own API keys, comma-separated"),
  CORS_ORIGINS: origins
    .default(['*'])
    .describe(
      'Origins whose pages may create and change polls and shows, comma-separated; reading is open to all',
    ),
  CREATE_REQUIRES_KEY: flag.default(false).describe("Creating a poll needs an operator's key"),
  CREATE_PER_MINUTE: count.default(60).describe('Polls that one address may create in a minute'),
  CREATE_BYTES_PER_DAY: count
    .default(20_000_000)
    .describe(
      "Bytes that one address may have stored in a day by creating polls and shows; an operator's key has no such limit",
    ),
  CHANGES_PER_MINUTE: count
    .default(600)
    .describe('Changes of polls and shows that one address may make by REST in a minute'),
  OPERATOR_PER_MINUTE: count
    .default(6_000)
    .describe("Polls, shows and changes in a minute by one operator's key, in place of its address' limits"),
  MAX_CONNECTIONS_PER_ADDRESS: count.default(1_000).describe('Live connections of one address'),
  DIRECT_WRITES: flag
    .default(true)
    .describe('`false`: frames go through the public streams of Node.js, at half as much CPU again'),
  VPN_LIST_FILE: text.optional().describe('CIDR ranges of VPNs, one a line; reloaded when it changes'),
  NEWCOMERS_PER_SECOND: count
    .default(500)
    .describe(
      'Requests without a voter cookie that one address may make in a second; above it each is answered by the cookie and repeated with it',
    ),
  PAGES_PER_MINUTE: count.default(600).describe('Voting pages that one voter may open in a minute'),
  VOTES_PER_MINUTE: count.default(60).describe('Ballots that one voter may hand in in a minute'),
  COMMENTS_PER_MINUTE: count.default(10).describe('Comments that one voter may write in a minute'),
  PROOF_COST: count.default(1_000).describe('Work of the human check; higher is slower'),
  OIDC_ISSUER: origin.optional().describe('OpenID provider for polls with `only_reg`'),
  OIDC_CLIENT_ID: text.optional().describe('Client id at the OpenID provider'),
  OIDC_CLIENT_SECRET: text.optional().describe('Client secret at the OpenID provider'),
  OIDC_NAME: text.default('your account').describe('What people call the provider: "Sign in with ..."'),
  TURNSTILE_SITE_KEY: text.optional().describe('Uses Turnstile instead of the proof of work'),
  TURNSTILE_SECRET: text.optional().describe('Secret of Turnstile'),
  HCAPTCHA_SITE_KEY: text.optional().describe('Uses hCaptcha instead of the proof of work'),
  HCAPTCHA_SECRET: text.optional().describe('Secret of hCaptcha'),
});

export type Config = z.infer<typeof settings>;

/** The README's table of settings, from the schema that reads them, so that no default can differ from what it says. */
export function settingsTable(): string {
  const rows = Object.entries(settings.shape).map(([name, schema]) => {
    const value = schema.safeParse(undefined).data;
    const shown =
      value === undefined || (Array.isArray(value) && value.length === 0) ? 'not set' : `\`${value}\``;
    return `| \`${name}\` | ${shown} | ${z.globalRegistry.get(schema)?.description ?? schema.description} |`;
  });
  return ['| setting | default | what it does |', '| --- | --- | --- |', ...rows].join('\n');
}

/** Settings that are of use together only. */
const TOGETHER = [
  ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
  ['TURNSTILE_SITE_KEY', 'TURNSTILE_SECRET'],
  ['HCAPTCHA_SITE_KEY', 'HCAPTCHA_SECRET'],
] as const satisfies readonly (readonly (keyof Config)[])[];

/** What no further try mends: the program ends with the exit code of wrong use. */
export class FaultySettings extends Error {
  readonly exitCode = 2;

  constructor(faults: string) {
    super(`Faulty settings: ${faults}`);
  }
}

/** @throws FaultySettings with one clear line that names every faulty setting */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const parsed = settings.safeParse(givenSettings(environment));
  const faults = parsed.success
    ? contradictions(parsed.data)
    : parsed.error.issues.map(issue => `${issue.path.join('.')} ${issue.message}`);
  if (!parsed.success || faults.length > 0) throw new FaultySettings(faults.join('; '));
  return parsed.data;
}

/** The settings that the environment sets. An empty value is how compose files and shells say "not set". */
export function givenSettings(environment: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const names = Object.keys(settings.shape).filter(name => environment[name]?.trim());
  return Object.fromEntries(names.map(name => [name, environment[name] as string]));
}

/** What each setting alone cannot know. */
function contradictions(config: Config): string[] {
  const faults: string[] = [];
  const oneProcess = 'because the embedded engine lives in one process';
  if (config.REDIS_URL === undefined) {
    if (config.ROLE === 'voting') faults.push(`ROLE=voting needs REDIS_URL, ${oneProcess}`);
    if (config.WORKERS > 1)
      faults.push(`WORKERS above 1 needs REDIS_URL, ${oneProcess}, for watching and for voting`);
    if (config.DURABILITY === 'replicated')
      faults.push('DURABILITY=replicated needs REDIS_URL, because the embedded engine has no replica');
  }
  const isZero =
    (config.ROLE !== 'voting' && config.PORT === 0) || (config.ROLE !== 'relay' && config.VOTE_PORT === 0);
  if (isZero && (config.WORKERS > 1 || config.HOST === 'localhost'))
    faults.push('PORT=0 and VOTE_PORT=0 need WORKERS=1 and an address as HOST, like 127.0.0.1');
  if (config.METRICS_PORT === config.PORT || config.METRICS_PORT === config.VOTE_PORT)
    faults.push(`METRICS_PORT is ${config.METRICS_PORT}, as PORT or VOTE_PORT is`);
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

/** Names in the environment that are almost a setting's, each with the one that was probably meant. */
export function mistypedSettings(
  environment: NodeJS.ProcessEnv = process.env,
): { readonly given: string; readonly meant: string }[] {
  const known = Object.keys(settings.shape);
  return Object.keys(environment).flatMap(given => {
    const meant = known.includes(given) ? undefined : known.find(name => areAlmostAlike(given, name));
    return meant === undefined || environment[meant] ? [] : [{ given, meant }];
  });
}

function isOrigin(text: string): boolean {
  if (text.includes('*') || !URL.canParse(text)) return false;
  const { protocol, href, origin } = new URL(text);
  return /^https?:$/.test(protocol) && href === `${origin}/`;
}

/** Names this short are one slip away from too many others. */
const SHORT = 6;

/** Returns whether one may be a misspelling of the other: case, underscores, one or two slips. */
function areAlmostAlike(given: string, meant: string): boolean {
  const [bareGiven, bareMeant] = [bare(given), bare(meant)];
  const slips = bareMeant.length < SHORT ? 0 : bareMeant.length < 2 * SHORT ? 1 : 2;
  if (Math.abs(bareGiven.length - bareMeant.length) > slips) return false;
  return haveLettersInCommon(bareGiven, bareMeant, slips) && distance(bareGiven, bareMeant) <= slips;
}

function bare(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** Whether so few slips may lead from one to the other: a distance takes a hundred times as long, and nearly all pairs are far apart. */
function haveLettersInCommon(a: string, b: string, slips: number): boolean {
  let others = 0;
  for (const letter of a) if (!b.includes(letter)) others += 1;
  return others <= slips;
}

/** Letters to leave out, put in, replace or swap with their neighbour (optimal string alignment). */
function distance(a: string, b: string): number {
  const rows = [Array.from({ length: b.length + 1 }, (_, column) => column)];
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    const [above, twoAbove] = [rows[i - 1] as number[], rows[i - 2]];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (above[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        twoAbove && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (twoAbove[j - 2] as number) + 1
          : replaced;
      row.push(Math.min((above[j] as number) + 1, (row[j - 1] as number) + 1, replaced, swapped));
    }
    rows.push(row);
  }
  return rows[a.length]?.[b.length] as number;
}
