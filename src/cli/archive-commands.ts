import type { Command } from 'commander';
import type { ArchiveCounts } from '../archive/archive-file.ts';
import type { ImportOptions, ImportOutcome } from '../archive/import-archive.ts';
import type { Archive } from '../engine/archive.ts';
import { withOwnEngine, withOwnMigration } from './own-engine.ts';
import { examples, print, safeText, withProgress } from './terminal.ts';

const STDOUT = '-';

export function addArchiveCommands(program: Command): void {
  program
    .command('backup')
    .description('copy everything to a new file, while the server runs')
    .argument('<file>', 'where to; there must be none yet')
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
        `${file} holds ${counts ? inWords(counts) : 'everything'}.`,
      ]);
    });

  program
    .command('export')
    .description('write everything to a new file as lines of JSON, while the server runs')
    .argument('<file>', 'where to, compressed where it ends with .gz; - is the standard output')
    .addHelpText('after', EXPORT_HELP)
    .action(async (file: string, _, self: Command) => {
      const counts = await withOwnEngine('read', engine => exportTo(engine.archive, file));
      if (file !== STDOUT)
        print(self, { success: 1, file, ...counts }, [`${file} holds ${inWords(counts)}.`]);
    });

  program
    .command('import')
    .description('add what an export or a backup holds and this place does not; safe to do again')
    .argument('<file>')
    .option('--with-keys', 'operator keys and kept replies as well')
    .addHelpText('after', IMPORT_HELP)
    .action((file: string, { withKeys }: { withKeys?: true }, self: Command) =>
      importFrom(self, file, { withKeys }),
    );

  program
    .command('restore')
    .description('bring a backup or an export back into an empty place')
    .argument('<file>')
    .option('--replace', 'into a place with polls: what has the same id or name there gives way')
    .addHelpText('after', RESTORE_HELP)
    .action((file: string, { replace }: { replace?: true }, self: Command) =>
      importFrom(self, file, { into: replace ? 'replace' : 'empty', withKeys: true }),
    );

  program
    .command('migrate')
    .description('convert data of an older version in place, after a backup; safe to do again')
    .argument('<backup>', 'file for the backup, compressed where it ends with .gz; there must be none yet')
    .addHelpText('after', MIGRATE_HELP)
    .action(async (file: string, _, self: Command) => {
      const done = await withOwnMigration(async migration => {
        if (!migration) return undefined;
        const counts = await exportTo(migration.archive, file);
        const polls = await withProgress(() => 'converting', migration.convert());
        return { file, backup: counts, polls };
      });
      print(self, { success: 1, polls: 0, ...done }, [
        done
          ? `Converted ${counted(done.polls, 'poll')}. ${file} holds the backup: ${inWords(done.backup)}.`
          : 'There is nothing to convert.',
      ]);
    });
}

async function exportTo(archive: Archive, file: string): Promise<ArchiveCounts> {
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
  wishes: Pick<ImportOptions, 'into' | 'withKeys'>,
): Promise<void> {
  const { openArchive } = await import('../archive/open-archive.ts');
  const { importArchive } = await import('../archive/import-archive.ts');
  const outcome = await withOwnEngine('write', async engine => {
    const opened = await openArchive(file);
    let ballots = 0;
    const onProgress = (done: number) => {
      ballots = done;
    };
    const options = { ...wishes, items: opened.items, nowMs: Date.now(), onProgress };
    try {
      return await withProgress(
        () => (ballots === 0 ? 'looking the archive over' : `${counted(ballots, 'ballot')} so far`),
        importArchive(engine, options),
      );
    } finally {
      await opened.close();
    }
  });
  print(self, { success: 1, ...outcome }, linesOf(outcome));
}

function linesOf({ polls, ballots, records, known, expired, restart, ...keys }: ImportOutcome): string[] {
  const { operatorKeys, keptReplies, passing } = keys.skipped;
  const skipped = [
    ...(operatorKeys > 0 ? [counted(operatorKeys, 'operator key')] : []),
    ...(keptReplies > 0 ? [keptReplies === 1 ? '1 kept reply' : `${keptReplies} kept replies`] : []),
  ];
  return [
    `Added: ${inWords({ polls, ballots, records })}.`,
    ...(keys.operatorKeys.length > 0
      ? [`Operator keys that are valid here now: ${keys.operatorKeys.map(safeText).join(', ')}.`]
      : []),
    ...(skipped.length > 0 ? [`Skipped: ${skipped.join(' and ')}. Add with --with-keys.`] : []),
    ...(passing > 0 ? [`Skipped, as they only mattered at that moment: ${counted(passing, 'record')}.`] : []),
    ...(known > 0 ? [`Here already, with every ballot: ${counted(known, 'poll')}.`] : []),
    ...(expired > 0 ? [`Left out, having outlived their retention: ${counted(expired, 'poll')}.`] : []),
    ...(restart
      ? ['Voters are known as they were where the archive was made: restart the voting front ends.']
      : []),
  ];
}

function inWords({ polls, ballots, records }: ArchiveCounts): string {
  return `${counted(polls, 'poll')}, ${counted(ballots, 'ballot')} and ${counted(records, 'other record')}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

const WHERE = `
It reads the settings of the server (REDIS_URL, REDIS_PREFIX, DATA_DIR) and works on its engine directly, beside the server where
one runs: start it with the same environment and as the same user.`;
const SECRETS = `The file holds the digests of all keys and the secret that voters are known by, so it is readable by its owner alone. Keep it so.`;

const BACKUP_HELP = `${WHERE}
The embedded engine writes a copy of its own, at one moment; of Redis it is an export, each poll at one moment.
${SECRETS}
${examples('tallycast backup /backups/tallycast-2027-01-31')}`;
const EXPORT_HELP = `${WHERE}
Polls with every ballot, name and comment, who has voted (as digests), shows and keys. Each poll is at one moment.
${SECRETS}
${examples('tallycast export polls.jsonl.gz', 'tallycast export - | jq -c "select(.type == \\"poll\\")"')}`;
const IMPORT_HELP = `${WHERE}
The whole file is looked over first: nothing is changed where it is damaged, of another format, or does not fit. Polls that are
here with all their ballots are left as they are. Who has voted cannot vote again.
Operator keys, and replies that are kept for repeated requests, are skipped unless --with-keys is given.
${examples('DATA_DIR=/var/lib/tallycast tallycast export polls.jsonl', 'REDIS_URL=redis://127.0.0.1:6379 tallycast import polls.jsonl')}`;
const RESTORE_HELP = `${WHERE}
Stop the servers first. The same checks as for import. Operator keys and kept replies come back as well.
${examples('tallycast restore /backups/tallycast-2027-01-31')}`;
const MIGRATE_HELP = `${WHERE}
Stop every server first. The backup is an export, which import and restore read. After an error run it again with another file.
${SECRETS}
${examples('tallycast migrate /backups/before-2027-01-31.jsonl.gz')}`;
