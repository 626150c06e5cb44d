import { type Command, InvalidArgumentError } from 'commander';
import { seconds } from './poll-fields.ts';
import { type PollTarget, pollTarget, relayUrl } from './poll-target.ts';
import { environmentKey } from './relay-options.ts';
import { examples, print, withProgress } from './terminal.ts';

interface BenchOptions {
  readonly subscribers: number;
  readonly rate: number;
  readonly duration: number;
  readonly hz?: number;
  readonly whole?: true;
  readonly key?: string;
}

/** The simulated poll of every relay, whose counts move without anybody. */
const SIMULATED = 'rehearsal';

export function addBenchCommand(program: Command): void {
  program
    .command('bench')
    .description('watch a poll as a crowd, and say how fast it is served: it only reads')
    .argument('<url>', 'a relay, for its simulated poll, or the URL of a poll')
    .option('-n, --subscribers <n>', 'how many watch', whole, 100)
    .option('--rate <n>', 'how many of them are connected in a second', whole, 500)
    .option('--duration <time>', 'for how long: 90, 90s, 10m', seconds, 10)
    .option('--hz <n>', 'at most so many updates a second, 1 to 20', whole)
    .option('--whole', 'whole results each time, not the small frames of compact=1')
    .option('--key <key>', "the poll's view key, where the results are hidden (env: TALLYCAST_KEY)")
    .addHelpText('after', HELP)
    .action(async (url: string, options: BenchOptions, self: Command) => {
      const target = targetOf(url);
      const { bench } = await import('./bench.ts');
      const { linesOf } = await import('./bench-report.ts');
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
      const lost = Object.keys(report.lost).length > 0 || report.out_of_order > 0;
      if (!lost && report.connected === report.subscribers) return;
      console.error('tallycast: Not everybody was served.');
      process.exitCode = 1;
    });
}

function targetOf(url: string): PollTarget {
  const { origin, pathname } = new URL(relayUrl(url));
  return pathname === '/' ? pollTarget(SIMULATED, origin) : pollTarget(url, origin);
}

function whole(text: string): number {
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new InvalidArgumentError('Write a whole number above 0.');
  return Number(text);
}

const HELP = `
Latency is told three ways, since only reading shows nobody's ballot: the spread between subscribers, the age by the messages' own
timestamps, and the round trip of a ping. One address may have MAX_CONNECTIONS_PER_ADDRESS connections (1,000 by default), and one
process \`ulimit -n\` of them. Ends with 1 where somebody was refused, lost, or got a version that went back.
${examples(
  'tallycast bench http://127.0.0.1:8080',
  'tallycast bench http://127.0.0.1:8080/api/poll/<poll id> -n 1000 --duration 30s',
  'tallycast bench https://relay.example --hz 1 --json',
)}`;
