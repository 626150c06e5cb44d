import { type Command, InvalidArgumentError } from 'commander';
import { environmentKey, type PollTarget, pollTarget, relayUrl, seconds } from './relay-request.ts';
import { examples, print, withProgress } from './terminal.ts';

interface BenchOptions {
  readonly subscribers: number;
  readonly rate: number;
  readonly duration: number;
  readonly hz?: number;
  readonly whole?: true;
  readonly key?: string;
}

const SIMULATED_POLL = 'rehearsal';

export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('measure how fast a poll reaches many subscribers; read-only')
    .argument('<url>', 'URL of a relay, for its simulated poll, or URL of a poll')
    .option('-n, --subscribers <n>', 'number of subscribers', wholeNumber, 100)
    .option('--rate <n>', 'connections opened each second', wholeNumber, 500)
    .option('--duration <time>', 'how long to measure: 90, 90s, 10m', seconds, 10)
    .option('--hz <n>', 'the most updates a second, 1 to 20', wholeNumber)
    .option('--whole', 'request whole results instead of the small frames of compact=1')
    .option('--key <key>', "the poll's view key, if the results are hidden (env: TALLYCAST_KEY)")
    .addHelpText('after', HELP)
    .action(async (url: string, options: BenchOptions, self: Command) => {
      const target = targetOf(url);
      const { bench, linesOf } = await import('./bench.ts');
      const interrupted = new AbortController();
      process.once('SIGINT', () => interrupted.abort());
      const running = bench({
        ...options,
        target,
        key: options.key ?? target.key ?? environmentKey(target.url),
        signal: interrupted.signal,
      });
      const report = await withProgress(running.describe, running.done);
      print(self, report, linesOf(report));
      const isLost = Object.keys(report.lost).length > 0 || report.out_of_order > 0;
      if (!isLost && report.connected === report.subscribers) return;
      console.error('tallycast: Not all subscribers were served.');
      process.exitCode = 1;
    });
}

function targetOf(url: string): PollTarget {
  const { origin, pathname } = new URL(relayUrl(url));
  return pathname === '/' ? pollTarget(SIMULATED_POLL, origin) : pollTarget(url, origin);
}

function wholeNumber(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Use a whole number above 0.');
  return Number(text);
}

const HELP = `
A reader cannot see when a ballot was cast, so latency is measured in three ways: the spread between subscribers, the age by the
timestamps of the messages, and the round trip of a ping. One address may open MAX_CONNECTIONS_PER_ADDRESS connections (1,000 by
default), and one process \`ulimit -n\` of them. Exit code 1: a subscriber was rejected, disconnected, or got an older version.
${examples(
  'tallycast bench http://127.0.0.1:8080',
  'tallycast bench http://127.0.0.1:8080/api/poll/<poll id> -n 1000 --duration 30s',
  'tallycast bench https://relay.example --hz 1 --json',
)}`;
