import { type Command, InvalidArgumentError } from 'commander';
import { formatTime, parseTime } from '../poll/input-rules.ts';
import { SCOPES, type Scope } from '../poll/poll-key.ts';
import type { OperatorKey } from '../show/operator-keys.ts';
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
    .description('create, list and revoke operator keys, even while the server runs')
    .addHelpText('after', HELP);

  key
    .command('create')
    .description('create a key; it is shown only once')
    .argument('<name>', 'name of the key, 1 to 64 characters')
    .requiredOption('--scope <scopes>', 'create, manage, read; separated by commas', readScopes)
    .option('--expires <when>', 'expire after 12h, 30d or 8w, or at 2027-01-31T20:15:00Z', readExpiry)
    .action(async (name: string, { scope, expires }: CreateOptions, self: Command) => {
      const { createOperatorKey } = await import('../show/operator-keys.ts');
      const wanted = { name, scopes: scope, expiresAtMs: expires ?? null };
      const { key, created } = await withOwnEngine('write', engine =>
        createOperatorKey(engine, wanted, Date.now()),
      );
      print(self, { success: 1, key, ...shown(created) }, [
        key,
        '',
        line(shown(created)),
        `The key is shown only once. Send it as X-API-Key. To revoke it: tallycast key revoke ${created.id}`,
      ]);
    });

  key
    .command('list')
    .description('list the names of all keys')
    .action(async (_, self: Command) => {
      const { listOperatorKeys } = await import('../show/operator-keys.ts');
      const keys = (await withOwnEngine('read', listOperatorKeys)).map(shown);
      print(self, { success: 1, keys }, keys.length === 0 ? ['There are no keys.'] : keys.map(line));
    });

  key
    .command('revoke')
    .description('revoke a key at once, and close the streams that were opened with it')
    .argument('<key>', 'id or name of the key')
    .action(async (name: string, _, self: Command) => {
      const { revokeOperatorKey } = await import('../show/operator-keys.ts');
      const revoked = await withOwnEngine('write', engine => revokeOperatorKey(engine, name));
      if (!revoked) throw new CommandFailure(`There is no key with the id or name ${safeText(name)}.`);
      print(self, { success: 1, ...shown(revoked) }, [`Revoked ${revoked.name} (${revoked.id}).`]);
    });
}

function shown({ id, name, scopes, createdAtMs, expiresAtMs }: Omit<OperatorKey, 'hash'>) {
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
  const end = expires_at === null ? 'does not expire' : `${expired ? 'expired' : 'expires'} ${expires_at}`;
  return `${id}  ${fitCells(name, 24)}  ${scopes.join(',').padEnd(18)}  ${end}`;
}

function readScopes(text: string): Scope[] {
  const scopes = [...new Set(text.split(',').map(scope => scope.trim()))];
  const isScope = (scope: string): scope is Scope => (SCOPES as readonly string[]).includes(scope);
  if (!scopes.every(isScope)) throw new InvalidArgumentError(`The scopes are ${SCOPES.join(', ')}.`);
  return scopes;
}

function readExpiry(text: string): number {
  const [, count, unit] = SPAN.exec(text) ?? [];
  const moment = unit ? Date.now() + Number(count) * SPAN_MS[unit as keyof typeof SPAN_MS] : parseTime(text);
  if (moment === undefined || moment <= Date.now())
    throw new InvalidArgumentError('Use 12h, 30d, 8w, or a time in the future like 2027-01-31T20:15:00Z.');
  return moment;
}

const HELP = `
These commands open the engine of the server directly, while it runs or not. Run them with the same environment (REDIS_URL,
REDIS_PREFIX, DATA_DIR) and as the same user. Keys in OPERATOR_KEYS are not listed.

Scopes: create (polls and shows, if CREATE_REQUIRES_KEY is set), manage (change any poll and show, and see its results),
read (see hidden results).
${examples(
  'tallycast key create "Stream deck, studio 2" --scope manage --expires 30d',
  'tallycast key list',
  'tallycast key revoke "Stream deck, studio 2"',
)}`;
