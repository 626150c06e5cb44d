import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { VoidBody } from '../api/void-routes.ts';
import { FLAGS } from '../poll/poll.ts';
import type { ResultsBody } from '../protocol/messages.ts';
import {
  addRelayOptions,
  askRelay,
  environmentKey,
  keyFor,
  pollTarget,
  type RelayOptions,
  type RelayRequest,
  seconds,
} from './relay-request.ts';
import { CommandFailure, examples, print, safeText } from './terminal.ts';

interface NewPoll {
  readonly id: string;
  readonly admin_key: string;
  readonly view_key: string;
  readonly ignored: readonly string[];
  readonly links: Readonly<Record<'vote' | 'overlay' | 'manage', string>>;
}

const ADMIN_KEY = "the poll's admin key or an operator key";

/** The options of `poll create` by the field of the request body that they set. */
const FIELDS: Readonly<Record<string, Option>> = {
  description: new Option('--description <text>', 'text on the voting page'),
  image: new Option('--image <url>', 'https URL of a picture on the voting page'),
  closes_in: new Option(
    '--closes-in <time>',
    'close after 90, 90s, 10m, 2h or 1d; with --upcoming counted from the opening',
  ).argParser(seconds),
  deadline: new Option('--deadline <time>', 'close at this time: 2030-01-31T18:00:00Z'),
  results_visibility: new Option('--results <when>', 'show results always, after_deadline or hidden'),
  status: new Option('--upcoming', 'prepare the poll without opening it').preset('upcoming'),
  ...Object.fromEntries(
    Object.values(FLAGS).flatMap(({ wire, option, meaning }) =>
      option === undefined ? [] : [[wire, new Option(`--${option}`, `${meaning} (${wire})`)]],
    ),
  ),
  mip: new Option('--one-per-network', 'count one vote from each network (mip: false)').preset(false),
};

export function addPollCommands(program: Command): void {
  const poll = program
    .command('poll')
    .description('create polls and manage them')
    .addHelpText('after', EXAMPLES);
  addCreate(poll);
  const command = (name: string, what: string, keys = ADMIN_KEY) =>
    addRelayOptions(poll.command(name).description(what).argument('<poll>', 'id or URL of the poll'), keys);
  const changing = (name: string, what: string) =>
    command(name, what).addHelpText(
      'after',
      examples(`TALLYCAST_KEY=admin_… tallycast poll ${name} <poll id>`),
    );

  command('show', 'print the current results', "the poll's view key or admin key, if the results are hidden")
    .addHelpText('after', examples('tallycast poll show <poll id>', 'tallycast poll show <poll id> --json'))
    .action(async (target: string, _, self: Command) => {
      const { drawResults } = await import('./results-text.ts');
      const results = await ask<ResultsBody>(self, target);
      const { columns = 80 } = process.stdout;
      const size = { columns, rows: Number.POSITIVE_INFINITY, color: process.stdout.isTTY === true };
      print(self, results, drawResults(results, results.status, size));
    });

  changing('open', 'open an upcoming poll, or reopen a closed one')
    .addOption(new Option('--closes-in <time>', 'close after 90, 90s, 10m, 2h or 1d').argParser(seconds))
    .action((_, { closesIn }, self: Command) => change(self, { status: 'open', closes_in: closesIn }));
  changing('close', 'close the poll').action((_, __, self) => change(self, { status: 'closed' }));
  changing('hide', 'hide the results from everyone without a key').action((_, __, self) =>
    change(self, { results_visibility: 'hidden' }),
  );
  changing('reveal', 'show the results on all screens at once').action((_, __, self) =>
    change(self, { results_visibility: 'always' }),
  );

  command('void', 'take the ballots of a network or a period out of the counts')
    .option('--network <tag>', 'tag of the network, as the manage page and its CSV have it')
    .option('--from <time>', 'with --to instead: from 2030-01-31T20:15:00Z on')
    .option('--to <time>', 'until this time')
    .addHelpText('after', VOID_EXAMPLES)
    .action(async (target: string, { network, from, to }, self: Command) => {
      const body = { void: { network, from, to } };
      printVoids(self, await ask<Voided>(self, target, { method: 'POST', body }, '/void'));
    });
  command('restore', 'count voided ballots again')
    .argument('<rule>', 'as `poll void` prints it')
    .addHelpText('after', VOID_EXAMPLES)
    .action(async (target: string, rule: string, _, self: Command) => {
      const path = `/void/${encodeURIComponent(rule)}`;
      printVoids(self, await ask<Voided>(self, target, { method: 'DELETE' }, path));
    });

  changing('view-key', 'create a new view key and revoke the old one').action(
    async (target: string, _, self: Command) => {
      const reply = await ask<{ view_key: string }>(self, target, { method: 'POST' }, '/view_key');
      print(self, reply, [reply.view_key]);
    },
  );

  changing('admin-key', 'create a new admin key and revoke the old one').action(
    async (target: string, _, self: Command) => {
      const reply = await ask<Pick<NewPoll, 'admin_key' | 'links'>>(
        self,
        target,
        { method: 'POST' },
        '/admin_key',
      );
      print(self, reply, [`Admin key  ${reply.admin_key}`, `Manage     ${reply.links.manage}`]);
    },
  );

  changing('delete', 'delete the poll with all ballots, names and comments')
    .option('--yes', 'skip the confirmation')
    .action(async (target: string, { yes }, self: Command) => {
      if (!yes) await confirm(self, target);
      const reply = await ask<{ id: string }>(self, target, { method: 'DELETE' });
      print(self, reply, [`${reply.id} deleted`]);
    });
}

function addCreate(poll: Command): void {
  const create = poll
    .command('create')
    .description('create a poll; its keys are shown only once')
    .argument('[title]', 'the question')
    .argument('[answers...]', '2 to 100 answers');
  create.option('--from <file>', 'read the poll from a JSON file, or - for standard input');
  for (const option of Object.values(FIELDS)) create.addOption(option);
  create.option('--show <name>', 'append it to the run-down of this show, with the key of the show');
  addRelayOptions(create, 'an operator key, if CREATE_REQUIRES_KEY is set')
    .addHelpText('after', CREATE_EXAMPLES)
    .action(async (title: string | undefined, answers: string[], given: Given, self: Command) => {
      const { url, key, show } = self.optsWithGlobals<RelayOptions & { show?: string }>();
      const asked =
        show === undefined ? `${url}/api/poll` : `${url}/api/show/${encodeURIComponent(show)}/poll`;
      const draft = await newPoll(title, answers, given);
      const body = { poll: draft };
      const made = await askRelay<NewPoll>(asked, {
        method: 'POST',
        key: key ?? environmentKey(asked, url),
        body,
      });
      if (made.ignored.length > 0)
        console.error(`tallycast: unknown fields ignored: ${made.ignored.map(safeText).join(', ')}`);
      print(self, made, [
        `Poll       ${made.id}`,
        `Vote       ${made.links.vote}`,
        `Overlay    ${made.links.overlay}`,
        `Manage     ${made.links.manage}`,
        `Admin key  ${made.admin_key}`,
        `View key   ${made.view_key}`,
        `Voters     ${draft['mip'] ? 'any number from one network; --one-per-network counts one' : 'one from each network'}`,
      ]);
    });
}

type Given = Readonly<Record<string, unknown>> & { readonly from?: string };

/** Returns the `poll` of `POST /api/poll`. @throws CommandFailure for an unreadable file @throws InvalidArgumentError */
async function newPoll(
  title: string | undefined,
  answers: readonly string[],
  given: Given,
): Promise<Record<string, unknown>> {
  const fields = Object.entries(FIELDS).map(
    ([field, option]) => [field, given[option.attributeName()]] as const,
  );
  const poll = {
    // An audience in one hall shares a network.
    mip: true,
    ...(given.from !== undefined && (await readPoll(given.from))),
    ...(title !== undefined && { title }),
    ...(answers.length > 0 && { answers }),
    ...Object.fromEntries(fields.filter(([, value]) => value !== undefined)),
  };
  if (given.from === undefined && (title === undefined || answers.length === 0))
    throw new InvalidArgumentError(
      'A poll needs a title and answers: tallycast poll create "Which song next?" Waterloo Volare',
    );
  return poll;
}

async function readPoll(file: string): Promise<Record<string, unknown>> {
  const isPipe = file === '-';
  const name = isPipe ? 'Standard input' : file;
  const read = await (isPipe ? text(process.stdin) : readFile(file, 'utf8')).catch(
    ({ code }: NodeJS.ErrnoException) => {
      throw new CommandFailure(`${name} cannot be read (${code}).`);
    },
  );
  try {
    const body = JSON.parse(read);
    return body.poll ?? body;
  } catch (error) {
    throw new CommandFailure(`${name} is not JSON: ${(error as Error).message}`);
  }
}

async function change(self: Command, poll: Readonly<Record<string, unknown>>): Promise<void> {
  const results = await ask<ResultsBody>(self, self.args[0] as string, { method: 'PATCH', body: { poll } });
  const { id, status, results_visibility: visibility, deadline, closes_in, total_votes: votes } = results;
  const { removedOf } = await import('./results-text.ts');
  const removed = removedOf(results.voided_votes ?? 0);
  const prepared = closes_in === undefined ? '' : `, closes ${closes_in} s after opening`;
  const end = deadline === null ? prepared : `, deadline ${deadline}`;
  print(self, results, [
    `${id} is ${status}${end}, results ${VISIBILITY_WORDS[visibility]}, ${votes} ${votes === 1 ? 'vote' : 'votes'}${removed}`,
  ]);
}

type Voided = ResultsBody & { readonly voids: readonly VoidBody[] };

function printVoids(self: Command, results: Voided): void {
  const { voids, total_votes, voided_votes = 0 } = results;
  print(self, results, [
    `${total_votes} votes count, ${voided_votes} are voided`,
    ...voids.map(
      ({ id, network, from, to }) =>
        `Rule       ${id}  (${network === undefined ? `cast from ${from}` : `network ${network}`} until ${to})`,
    ),
  ]);
}

const VISIBILITY_WORDS: Readonly<Record<ResultsBody['results_visibility'], string>> = {
  always: 'visible',
  after_deadline: 'hidden until the deadline',
  hidden: 'hidden',
};

function ask<T>(self: Command, poll: string, request?: RelayRequest, path = ''): Promise<T> {
  const options = self.optsWithGlobals<RelayOptions>();
  const target = pollTarget(poll, options.url);
  return askRelay<T>(target.url + path, { ...request, key: keyFor(target, options) });
}

async function confirm(self: Command, target: string): Promise<void> {
  if (!process.stdin.isTTY) self.error('error: cannot ask for confirmation here; use --yes');
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface(process.stdin, process.stderr);
  const answer = await terminal.question(
    `Delete ${safeText(target)} with all its votes? This cannot be undone. Type yes: `,
  );
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') self.error('error: nothing was deleted');
}

const VOID_EXAMPLES = examples(
  'tallycast poll void <poll id> --network q8Zx0hYl3TnAa1Bc',
  'tallycast poll restore <poll id> q8Zx0hYl3TnAa1Bc',
);

const EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare --closes-in 10m',
  'read -rs TALLYCAST_KEY && export TALLYCAST_KEY   # paste the admin key',
  'tallycast poll close <poll id>',
  'tallycast poll reveal <poll id>',
);

const CREATE_EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare',
  'tallycast poll create "Best act?" Ann Bob Cy --multiple --closes-in 10m --results hidden',
  'tallycast poll create --from poll.json   # the body of POST /api/poll; - for standard input',
);
