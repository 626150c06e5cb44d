import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { CommandFailure } from './terminal.ts';

/** The options of `poll create`, and the member of the API's body that each of them sets. */
export interface PollFields {
  readonly from?: string;
  readonly description?: string;
  readonly image?: string;
  readonly closesIn?: number;
  readonly deadline?: string;
  readonly results?: string;
  readonly upcoming?: true;
  readonly multiple?: true;
  readonly comments?: true;
  readonly names?: true;
  readonly private?: true;
  readonly sharedAddress?: true;
  readonly signIn?: true;
  readonly vpn?: true;
}

export function addFieldOptions(create: Command): void {
  create
    .option('--from <file>', 'take the poll from a JSON file, or from a pipe (-)')
    .option('--description <text>', 'shown on the voting page')
    .option('--image <url>', 'an https URL, shown on the voting page')
    .addOption(
      new Option(
        '--closes-in <time>',
        'closes by itself after 90, 90s, 10m, 2h or 1d; with --upcoming so long after it is opened',
      ).argParser(seconds),
    )
    .option('--deadline <moment>', 'closes by itself at this moment: 2030-01-31T18:00:00Z')
    .option('--results <when>', 'who sees them: always, after_deadline or hidden')
    .option('--upcoming', 'prepare it: takes no vote until it is opened')
    .option('--multiple', 'several answers in one ballot (ma)')
    .option('--comments', 'comments under the poll (co)')
    .option('--names', 'voters give a name (enter_name)')
    .option('--private', 'listed nowhere (priv)')
    .option('--shared-address', 'several ballots from one address, as in one hall (mip)')
    .option('--sign-in', 'voters sign in (only_reg)')
    .option('--vpn', 'voters behind a VPN are allowed (vpn)');
}

/** The body of `POST /api/poll`. @throws CommandFailure where a file cannot be read @throws InvalidArgumentError */
export async function fieldsOf(
  title: string | undefined,
  answers: readonly string[],
  given: PollFields,
): Promise<{ readonly poll: Readonly<Record<string, unknown>> }> {
  const { description, image, deadline } = given;
  const named = {
    title,
    ...(answers.length > 0 && { answers }),
    description,
    image,
    deadline,
    closes_in: given.closesIn,
    results_visibility: given.results,
    status: given.upcoming && 'upcoming',
    ma: given.multiple,
    co: given.comments,
    enter_name: given.names,
    priv: given.private,
    mip: given.sharedAddress,
    only_reg: given.signIn,
    vpn: given.vpn,
  };
  if (given.from !== undefined) return { poll: { ...(await readPoll(given.from)), ...withoutAbsent(named) } };
  if (title === undefined || answers.length === 0)
    throw new InvalidArgumentError(
      'A poll needs a title and answers: tallycast poll create "Which song next?" Waterloo Volare',
    );
  return { poll: withoutAbsent(named) };
}

/** `90`, `90s`, `10m`, `2h`, `1d`, in seconds. @throws InvalidArgumentError */
export function seconds(time: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)([smhd])?$/.exec(time) ?? [];
  if (number === undefined) throw new InvalidArgumentError('Write 90, 90s, 10m, 2h or 1d.');
  return Number(number) * (SECONDS[unit] as number);
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

async function readPoll(file: string): Promise<Record<string, unknown>> {
  const read = file === '-' ? text(process.stdin) : readFile(file, 'utf8');
  const name = file === '-' ? 'What came by the pipe' : file;
  const found = await read.catch(({ code }: NodeJS.ErrnoException) => {
    throw new CommandFailure(`${name} cannot be read (${code}).`);
  });
  try {
    const body = JSON.parse(found);
    return body.poll ?? body;
  } catch (error) {
    throw new CommandFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
}

function withoutAbsent(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}
