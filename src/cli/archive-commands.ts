import type { Command } from 'commander';
import type { ArchiveCounts } from '../archive/archive-file.ts';
import type { ImportOptions, ImportOutcome } from '../archive/import-archive.ts';
import type { Engine } from '../engine/engine.ts';
import { withOwnEngine } from './own-engine.ts';
import { examples, print, safeText, withProgress } from './terminal.ts';

const STDOUT = '-';

export function addArchiveCommands(program: Command): void {
  program
    .command('backup')
    .description('copy all data to a new file, while the server runs')
    .argument('<file>', 'must not exist yet')
    .addHelpText('after', BACKUP_HELP)
    .action(async (file: string, _, self: Command) => {
      const { writeNew } = await import('../archive/new-file.ts');
      const counts = await withOwnEngine('read', async engine => {
        const copied = await withProgress(
          () => 'copying',
          writeNew(file, part => engine.archive.copyTo(part)),
        );
        return copied ? undefined : exportTo(engine.archive, file);
      });
      print(self, { success: 1, file, ...counts }, [
        `${file} contains ${counts ? inWords(counts) : 'all data'}.`,
      ]);
    });

  program
    .command('export')
    .description('write all data to a new file as lines of JSON, while the server runs')
    .argument('<file>', 'compressed if it ends with .gz; - for standard output')
    .addHelpText('after', EXPORT_HELP)
    .action(async (file: string, _, self: Command) => {
      const counts = await withOwnEngine('read', engine => exportTo(engine.archive, file));
      if (file !== STDOUT)
        print(self, { success: 1, file, ...counts }, [`${file} contains ${inWords(counts)}.`]);
    });

  program
    .command('import')
    .description('add what is missing from an export or a backup; safe to repeat')
    .argument('<file>')
    .option('--with-keys', 'also import operator keys, webhooks and kept replies')
    .addHelpText('after', IMPORT_HELP)
    .action((file: string, { withKeys }: { withKeys?: true }, self: Command) =>
      importFrom(self, file, { withKeys }),
    );

  program
    .command('restore')
    .description('restore a backup or an export into an empty engine')
    .argument('<file>')
    .option('--replace', 'allow existing data, and overwrite polls and shows of the same id or name')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, { replace }: { replace?: true }, self: Command) =>
      importFrom(self, file, { into: replace ? 'replace' : 'empty', withKeys: true }),
    );
}

async function exportTo(archive: Engine['archive'], file: string): Promise<ArchiveCounts> {
  const { writeLines } = await import('../archive/archive-file.ts');
  const { writeNew, writeText } = await import('../archive/new-file.ts');
  const counts: ArchiveCounts = { records: 0, polls: 0, ballots: 0 };
  const lines = writeLines(archive, counts, Date.now());
  const written =
    file === STDOUT
      ? writeText(lines, process.stdout, false)
      : writeNew(file, part => writeText(lines, part, file.endsWith('.gz')));
  await withProgress(() => `${inWords(counts)} so far`, written);
  return counts;
}

async function importFrom(
  self: Command,
  file: string,
  scope: Pick<ImportOptions, 'into' | 'withKeys'>,
): Promise<void> {
  const { openArchive } = await import('../archive/archive-file.ts');
  const { importArchive } = await import('../archive/import-archive.ts');
  const outcome = await withOwnEngine('write', async engine => {
    const opened = await openArchive(file);
    let ballots = 0;
    const onProgress = (done: number) => {
      ballots = done;
    };
    const options = { ...scope, items: opened.items, nowMs: Date.now(), onProgress };
    try {
      return await withProgress(
        () => (ballots === 0 ? 'checking the archive' : `${counted(ballots, 'ballot')} so far`),
        importArchive(engine, options),
      );
    } finally {
      await opened.close();
    }
  });
  print(self, { success: 1, ...outcome }, linesOf(outcome));
}

function linesOf({ polls, ballots, records, known, expired, restart, ...keys }: ImportOutcome): string[] {
  const { operatorKeys, webhooks, keptReplies, passing } = keys.skipped;
  const skipped = [
    ...(operatorKeys > 0 ? [counted(operatorKeys, 'operator key')] : []),
    ...(webhooks > 0 ? [counted(webhooks, 'webhook')] : []),
    ...(keptReplies > 0 ? [keptReplies === 1 ? '1 kept reply' : `${keptReplies} kept replies`] : []),
  ];
  return [
    `Added: ${inWords({ polls, ballots, records })}.`,
    ...(keys.operatorKeys.length > 0
      ? [`Operator keys that are now valid: ${keys.operatorKeys.map(safeText).join(', ')}.`]
      : []),
    ...(skipped.length > 0 ? [`Skipped: ${skipped.join(', ')}. Use --with-keys to import them.`] : []),
    ...(keys.webhooksFull.length > 0
      ? [`No room for webhooks, not imported: ${keys.webhooksFull.map(safeText).join(', ')}.`]
      : []),
    ...(passing > 0 ? [`Skipped temporary data: ${counted(passing, 'record')}.`] : []),
    ...(known > 0 ? [`Already complete: ${counted(known, 'poll')}.`] : []),
    ...(expired > 0 ? [`Expired, not imported: ${counted(expired, 'poll')}.`] : []),
    ...(restart ? ['The voting secret was replaced: restart the voting front ends.'] : []),
  ];
}

function inWords({ polls, ballots, records }: ArchiveCounts): string {
  return `${counted(polls, 'poll')}, ${counted(ballots, 'ballot')} and ${counted(records, 'other record')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const WHERE = `
Opens the engine of the server directly, while it runs or not. Run it with the same environment (REDIS_URL, REDIS_PREFIX, DATA_DIR)
and as the same user.`;
const SECRETS = `The file contains the digests of all keys and the secret that identifies voters. Only its owner can read it: keep it so.`;

const BACKUP_HELP = `${WHERE}
The embedded engine writes a snapshot. From Redis it is an export, in which each poll is consistent.
${SECRETS}
${examples('tallycast backup /backups/tallycast-2027-01-31')}`;
const EXPORT_HELP = `${WHERE}
Contains polls with all ballots, names and comments, digests of the voters, shows and keys. Each poll is consistent.
${SECRETS}
${examples('tallycast export polls.jsonl.gz', 'tallycast export - | jq -c "select(.type == \\"poll\\")"')}`;
const IMPORT_HELP = `${WHERE}
The whole file is checked first: a damaged or unknown file changes nothing. Polls that are already complete stay unchanged. People
who have voted cannot vote again. Operator keys, webhooks, and replies kept for repeated requests, need --with-keys.
${examples('DATA_DIR=/var/lib/tallycast tallycast export polls.jsonl', 'REDIS_URL=redis://127.0.0.1:6379 tallycast import polls.jsonl')}`;
const RESTORE_HELP = `${WHERE}
Stop the servers first. The file is checked as for import. Includes operator keys, webhooks and kept replies.
${examples('tallycast restore /backups/tallycast-2027-01-31')}`;
