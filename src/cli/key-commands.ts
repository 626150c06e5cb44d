import { type Command, InvalidArgumentError } from 'commander';
import { formatTime, parseTime } from '../poll/time.ts';
import { SCOPES, type Scope } from '../poll/poll-key.ts';
import { withOwnEngine } from './own-engine.ts';
import { CommandFailure, examples, fitCells, print, safeText } from './terminal.ts';

interface CreateOptions {
  readonly scope: readonly Scope[];
  readonly expires?: number;
}

const SPAN = /^(\d{1,5})([hdw])$/;
const HOUR_MS = 3_600_000;
const SPAN_MS = { h: HOUR_MS, d: 24 * HOUR_MS, w: 168 * HOUR_MS } as const;

export function addKeyCommands(program: Command): void {
  const key = program
    .command('key')
    .description("the operator's keys, made and revoked while the server runs")
    .addHelpText('after', HELP);

  key
    .command('create')
    .description('make a key; it is shown this once')
    .argument('<name>', 'what it is for: 1 to 64 characters')
    .requiredOption(
      '--scope <scopes>',
      'what it may do: create, manage, read, with commas between',
      readScopes,
    )
    .option(
      '--expires <when>',
      'when it ends: 12h, 30d, 8w, or a moment like 2027-01-31T20:15:00Z',
      readExpiry,
    )
    .action(async (name: string, { scope, expires }: CreateOptions, self: Command) => {
      const { createOperatorKey } = await import('../operator/operator-keys.ts');
      const wanted = { name, scopes: scope, expiresAtMs: expires ?? null };
      const made = await withOwnEngine('write', engine => createOperatorKey(engine, wanted, Date.now()));
      const { hash: _, ...created } = made.created;
      print(self, { success: 1, key: made.key, ...shown(created) }, [
        made.key,
        '',
        `${name}: may ${scope.join(', ')}; ${expires === undefined ? 'does not expire' : `ends ${formatTime(expires)}`}.`,
        `It is shown this once. Send it as X-API-Key. To end it: tallycast key revoke ${created.id}`,
      ]);
    });

  key
    .command('list')
    .description('list the keys, without showing any')
    .action(async (_, self: Command) => {
      const { listOperatorKeys } = await import('../operator/operator-keys.ts');
      const keys = (await withOwnEngine('read', listOperatorKeys)).map(shown);
      print(self, { success: 1, keys }, keys.length === 0 ? ['There are no keys.'] : keys.map(line));
    });

  key
    .command('revoke')
    .description('end a key at once, and every stream that was opened with it')
    .argument('<key>', 'its id or name')
    .action(async (name: string, _, self: Command) => {
      const { revokeOperatorKey } = await import('../operator/operator-keys.ts');
      const revoked = await withOwnEngine('write', engine => revokeOperatorKey(engine, name));
      if (!revoked) throw new CommandFailure(`There is no key called ${safeText(name)}.`);
      print(self, { success: 1, ...shown(revoked) }, [
        `${revoked.name} (${revoked.id}) opens nothing any more.`,
      ]);
    });
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
}

function shown({ id, name, scopes, createdAtMs, expiresAtMs }: Listed) {
  return {
    id,
    name,
    scopes,
    created_at: formatTime(createdAtMs),
    expires_at: expiresAtMs === null ? null : formatTime(expiresAtMs),
    expired: expiresAtMs !== null && expiresAtMs <= Date.now(),
  };
}

function line({ id, name, scopes, expires_at, expired }: ReturnType<typeof shown>): string {
  const end = expires_at === null ? 'does not expire' : `${expired ? 'ended' : 'ends'} ${expires_at}`;
  return `${id}  ${fitCells(name, 24)}  ${scopes.join(',').padEnd(18)}  ${end}`;
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(',').map(scope => scope.trim()))];
  const isScope = (scope: string): scope is Scope => (SCOPES as readonly string[]).includes(scope);
  if (!scopes.every(isScope)) throw new InvalidArgumentError(`It takes ${SCOPES.join(', ')}.`);
  return scopes;
}

/** @returns UNIX time in milliseconds */
function readExpiry(text: string): number {
  const [, count, unit] = SPAN.exec(text) ?? [];
  const moment = unit ? Date.now() + Number(count) * SPAN_MS[unit as keyof typeof SPAN_MS] : parseTime(text);
  if (moment === undefined || moment <= Date.now())
    throw new InvalidArgumentError('It takes 12h, 30d, 8w, or a moment to come like 2027-01-31T20:15:00Z.');
  return moment;
}

const HELP = `
These commands read the settings of the server (REDIS_URL, REDIS_PREFIX, DATA_DIR) and work on its engine directly, beside the
server where one runs: start them with the same environment and as the same user. OPERATOR_KEYS are not listed here.

Scopes: create (polls and shows, where CREATE_REQUIRES_KEY is set), manage (changes any poll and show, and sees its results),
read (opens hidden results).
${examples(
  'tallycast key create "Stream deck, studio 2" --scope manage --expires 30d',
  'tallycast key list',
  'tallycast key revoke "Stream deck, studio 2"',
)}`;
