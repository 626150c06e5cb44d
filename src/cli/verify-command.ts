import { writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { type Command, Option } from 'commander';
import { counted, grouped } from '../audit/counted.ts';
import type { PublishedResults, Verdict } from '../audit/verify-log.ts';
import { parsePollUrl } from '../client/poll-url.ts';
import { nameOfRound } from '../poll/poll.ts';
import {
  addRelayOptions,
  askRelay,
  keyFor,
  type PollTarget,
  pollTarget,
  type RelayOptions,
  requestRelay,
  TIMEOUT_MS,
} from './relay-request.ts';
import { CommandFailure, examples, print, readLocal, safeText, withProgress } from './terminal.ts';

interface VerifyOptions extends RelayOptions {
  /** Paths of files. */
  readonly checkpoint: readonly string[];
  readonly receipt?: string;
  readonly logKey?: string;
  readonly save?: string;
  readonly round?: number;
}

type Results = PublishedResults & { readonly title: string };

const RETRY_MS = 1_000;
const MAX_ATTEMPTS = 30;

export function addVerifyCommand(program: Command): void {
  const verify = program
    .command('verify')
    .description('verify the result of a verifiable poll: its log, its ballots and its counts')
    .argument('<poll>', 'id or URL of the poll or its log')
    .option(
      '--checkpoint <file>',
      'checkpoint saved earlier, may be repeated',
      (file: string, files: string[]) => [...files, file],
      [],
    )
    .addOption(
      new Option('--round <number>', 'an earlier round instead of the present one').argParser(Number),
    )
    .option('--receipt <code>', 'also find the ballot of this receipt')
    .option('--log-key <key>', "the log's key from another source, instead of the one that the relay sends")
    .option('--save <file>', 'save the present checkpoint; the file must not exist')
    .addHelpText('after', HELP);
  addRelayOptions(verify, "the poll's view key or admin key, if the results are hidden").action(
    async (poll: string, options: VerifyOptions, self: Command) => {
      const hasRelay = self.getOptionValueSource('url') !== 'default';
      const target = await logTarget(poll, options.url, hasRelay);
      const key = keyFor(target, options);
      const round = options.round ?? (await roundOf(poll, target));
      const read = await askRelay<Results>(`${target.url}?round=${round}`, { key }).catch(unlessHidden);
      // While results are revealed by steps, only a part of the counts is public.
      const results = read && 'version' in read ? read : undefined;
      const verdict = await verifyTarget(
        { ...target, id: nameOfRound({ id: target.id, round }) },
        key,
        results,
        options,
      );
      if (options.save !== undefined && verdict.checkpoint) await save(options.save, verdict.note);
      printVerdict(self, verdict, results);
      if (verdict.faults.length > 0) process.exitCode = 1;
    },
  );
}

const HELP = `
During the poll: verifies that the log is signed, and that it only grew since the checkpoints of earlier calls. After the end: verifies
each ballot, and that their counts are the published results. A checkpoint saved during the poll proves any later change of a ballot.
Exit code 0: verified as far as it is possible now. 1: something is wrong, or the relay cannot be reached.
${examples(
  'tallycast verify https://vote.example/<poll id>',
  'tallycast verify <poll id> --save seen-at-20-15.txt',
  'tallycast verify <poll id> --checkpoint seen-at-20-15.txt --receipt <code>',
  'tallycast verify <poll id> --round 1',
)}`;

/** Without `--url`, the URL names the relay, or is of a voting front end, whose page names it. */
async function logTarget(poll: string, relay: string, hasRelay: boolean): Promise<PollTarget> {
  const target = poll
    .replace(/(\/api\/poll\/[\w-]+)(?:~\d+)?\/log(?:\/[^?#]*)?/, '$1')
    .replace(/\/check\/?(?=[?#]|$)/, '');
  if (hasRelay || !URL.canParse(target)) return pollTarget(target, relay);
  const named = pollTarget(target, relayOf(target) ?? relay);
  const page = await fetch(named.url.replace(/\/api\/poll(\/[\w-]+)$/, '$1/check'), {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => undefined);
  await page?.body?.cancel();
  const link = /^<([^>]+)>; rel="describedby"/.exec(page?.headers.get('link') ?? '')?.[1];
  return link === undefined ? named : { ...pollTarget(link, relay), key: named.key };
}

function relayOf(url: string): string | undefined {
  try {
    return parsePollUrl(url).relay;
  } catch {
    // Reported by `pollTarget`.
    return undefined;
  }
}

/** The round of a log's URL, or else the present one. */
async function roundOf(poll: string, { url }: PollTarget): Promise<number> {
  const [, ofLog] = /~(\d+)\/log\b/.exec(poll) ?? [];
  if (ofLog !== undefined) return Number(ofLog);
  const { round = 1 } = await askRelay<{ readonly round?: number }>(`${url}/definition`, {});
  return round;
}

/** The log may be public nevertheless. */
function unlessHidden(error: unknown): undefined {
  const code = error instanceof CommandFailure ? error.reply?.code : undefined;
  if (code !== 'api_key_required' && code !== 'api_key_rejected') throw error;
}

async function verifyTarget(
  { url, id }: PollTarget,
  key: string | undefined,
  results: Results | undefined,
  { checkpoint, receipt, logKey }: VerifyOptions,
): Promise<Verdict> {
  const { verifyLog } = await import('../audit/verify-log.ts');
  const { nodeCrypto } = await import('../audit/node-crypto.ts');
  const seen = await Promise.all(
    checkpoint.map(async file => ({ name: `the checkpoint in ${file}`, note: `${await readLocal(file)}` })),
  );
  let progress = 'verifying';
  const verdict = verifyLog({
    pollId: id,
    crypto: nodeCrypto,
    results,
    seen,
    receipt,
    pinnedKey: logKey,
    read: path => readPatiently(`${url.slice(0, url.lastIndexOf('/'))}/${id}${path}`, key),
    onProgress: (verified, size) => {
      progress = `verified ${grouped(verified)} of ${grouped(size)} ballots`;
    },
  });
  return withProgress(() => progress, verdict).catch(error => {
    if (error instanceof CommandFailure) throw error;
    // Another shape than documented.
    if (error instanceof SyntaxError) throw new CommandFailure('The relay sends no log that can be read.');
    throw error;
  });
}

/** A relay that builds a long log, or has lost its engine, replies soon. */
async function readPatiently(url: string, key: string | undefined): Promise<Response> {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await requestRelay(url, { key });
    } catch (error) {
      const isSoon = error instanceof CommandFailure && error.reply?.code.endsWith('_unavailable');
      if (!isSoon || attempt === MAX_ATTEMPTS) throw error;
      await pause(RETRY_MS);
    }
}

async function save(file: string, note: string): Promise<void> {
  await writeFile(file, note, { flag: 'wx' }).catch(error => {
    throw new CommandFailure(
      error.code === 'EEXIST' ? `${file} exists already.` : `${file} cannot be written (${error.code}).`,
    );
  });
}

function printVerdict(self: Command, verdict: Verdict, results: Results | undefined): void {
  const { faults, isComplete, key, checkpoint, contained, voided, changes, ballot } = verdict;
  const reply = {
    success: faults.length === 0 ? 1 : 0,
    complete: isComplete,
    faults: faults.map(({ text }) => text),
    log_key: key,
    origin: checkpoint?.origin ?? null,
    size: checkpoint?.size ?? null,
    root: checkpoint === undefined ? null : Buffer.from(checkpoint.root).toString('base64'),
    voided,
    changes,
    contained,
    ...(ballot && {
      ballot: {
        sequence: ballot.sequence,
        answers: ballot.answers,
        voided: ballot.isVoided,
        changed_by: ballot.changedBy ?? null,
      },
    }),
  };
  print(self, reply, linesOf(verdict, results).map(safeText));
}

function linesOf(verdict: Verdict, results: Results | undefined): string[] {
  const { faults, contained, ballot, checkpoint, key } = verdict;
  const title = results === undefined ? [] : [results.title];
  const notes = [
    ...contained.map(
      ({ name, size }) =>
        `The log contains ${name}: ${counted(size)}, and ${grouped(checkpoint!.size - size)} since.`,
    ),
    ...(ballot ? [ballotLine(ballot, results)] : []),
    `Key of the log: ${key}`,
  ];
  if (faults.length > 0 || checkpoint === undefined)
    return [...title, 'The result is NOT verified.', ...faults.map(({ text }) => `- ${text}`), ...notes];
  return [...title, ...successLines(verdict, checkpoint.size), ...notes];
}

const UNSEEN =
  'Changes before now would not show: that takes a checkpoint saved during the poll (--checkpoint), or a receipt (--receipt).';

function successLines({ isComplete, voided, changes, contained, ballot }: Verdict, size: number): string[] {
  const changed = changes === 0 ? '' : ` with ${grouped(changes)} ${changes === 1 ? 'change' : 'changes'}`;
  if (isComplete)
    return [
      `The result is verified: ${counted(size - changes)}${changed}, ${grouped(voided)} of them voided. The published counts are those of the ballots.`,
      ...(contained.length > 0 || ballot ? [] : [UNSEEN]),
    ];
  const grew = contained.length > 0 ? ' and has only grown since the earlier checkpoints' : '';
  return [
    `The log has ${counted(size)} so far. It is signed${grew}.`,
    'Ballots and counts can be verified once the poll has ended and its results are visible.',
    'A checkpoint saved now (--save <file>) proves any later change of these ballots.',
  ];
}

function ballotLine(
  { sequence, answers, isVoided, changedBy }: NonNullable<Verdict['ballot']>,
  results?: Results,
): string {
  const texts = answers.map(id => results?.poll_answers.find(answer => answer.id === id)?.answer ?? id);
  const chosen = texts.length === 0 ? 'a withdrawal' : texts.join(', ');
  const counts = isVoided ? 'It is voided and does not count.' : 'It counts.';
  const state =
    changedBy === undefined ? counts : `It was changed: number ${grouped(changedBy)} replaces it.`;
  return `The ballot of the receipt is number ${grouped(sequence)}: ${chosen}. ${state}`;
}
