import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Reply } from '../api/replies.ts';
import { formatJoinCode } from '../poll/join-code.ts';
import { FLAGS } from '../poll/poll.ts';
import type { HiddenMessage, ResultsBody } from '../protocol/messages.ts';
import { addRelayCommands, type Call, type RelayCommand } from './relay-command.ts';
import {
  addRelayOptions,
  askRelay,
  keyFor,
  pollTarget,
  type RelayOptions,
  seconds,
} from './relay-request.ts';
import { CommandFailure, examples, print, safeText } from './terminal.ts';

type NewPoll = Reply<'CreatedPoll'>;

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
  results_visibility: new Option(
    '--results <when>',
    'show results always, after_deadline, after_vote or hidden',
  ),
  status: new Option('--upcoming', 'prepare the poll without opening it').preset('upcoming'),
  ...Object.fromEntries(
    Object.values(FLAGS).flatMap(({ wire, option, meaning }) =>
      option === undefined ? [] : [[wire, new Option(`--${option}`, `${meaning} (${wire})`)]],
    ),
  ),
  min_choices: new Option('--min-choices <number>', 'with --multiple: least answers in one ballot').argParser(
    wholeNumber,
  ),
  max_choices: new Option('--max-choices <number>', 'with --multiple: most answers in one ballot').argParser(
    wholeNumber,
  ),
  answer_order: new Option('--shuffle', 'show the answers in another order to each voter').preset('random'),
  mip: new Option('--one-per-network', 'count one vote from each network (mip: false)').preset(false),
};

/** @throws InvalidArgumentError */
function wholeNumber(given: string): number {
  if (!/^\d{1,3}$/.test(given)) throw new InvalidArgumentError('Use a whole number from 1 to 100.');
  return Number(given);
}

/** Settings with which a copy may differ. */
const PREPARED = ['closes_in', 'results_visibility', 'mip'] as const;
const CLOSES_IN = new Option('--closes-in <time>', 'close after 90, 90s, 10m, 2h or 1d').argParser(seconds);
const VOID_EXAMPLES = [
  'tallycast poll void <poll id> --network q8Zx0hYl3TnAa1Bc',
  'tallycast poll restore <poll id> q8Zx0hYl3TnAa1Bc',
];

export function addPollCommands(program: Command): void {
  const poll = program
    .command('poll')
    .description('create polls and manage them')
    .addHelpText('after', EXAMPLES);
  addCreate(poll);
  const argument = new Argument('<poll>', 'id or URL of the poll');
  addRelayCommands(poll, {
    argument,
    keys: ADMIN_KEY,
    targetOf: pollTarget,
    examplesOf: name => [`TALLYCAST_KEY=admin_… tallycast poll ${name} <poll id>`],
    commands: COMMANDS,
  });
}

const COMMANDS: Readonly<Record<string, RelayCommand>> = {
  show: {
    what: 'print the current results',
    keys: "the poll's view key or admin key, if the results are hidden",
    examples: ['tallycast poll show <poll id>', 'tallycast poll show <poll id> --json'],
    send: ({ ask }) => ask('GET'),
    async lines(results: ResultsBody | Omit<HiddenMessage, 'type'>) {
      const { drawResults, drawRevealed } = await import('./results-text.ts');
      const { columns = 80 } = process.stdout;
      const size = { columns, rows: Number.POSITIVE_INFINITY, color: process.stdout.isTTY === true };
      return 'version' in results ? drawResults(results, results.status, size) : drawRevealed(results);
    },
  },
  open: {
    ...changing('open an upcoming poll, or reopen a closed one', ({ options: { closesIn } }) => ({
      status: 'open',
      closes_in: closesIn,
    })),
    options: [CLOSES_IN],
  },
  close: changing('close the poll', () => ({ status: 'closed' })),
  hide: changing('hide the results from everyone without a key', () => ({ results_visibility: 'hidden' })),
  reveal: changing('show the results on all screens at once', () => ({ results_visibility: 'always' })),
  'join-code': {
    what: 'give the poll a code of six digits, by which voters find it',
    options: [new Option('--off', 'give the code up')],
    send: ({ ask, options: { off } }) => ask('PATCH', '', { poll: { join_code: !off } }),
    lines: ({ join_code: code }: ResultsBody) => [
      `Join code  ${code === undefined ? 'none' : formatJoinCode(code)}`,
    ],
  },
  'closes-in': {
    ...changing(
      'close the poll after a time; an upcoming one that long after its opening',
      ({ args: [time = ''] }) => ({ closes_in: seconds(time) }),
    ),
    args: [new Argument('<time>', '90, 90s, 10m, 2h or 1d').argParser(seconds)],
    examples: ['TALLYCAST_KEY=show_… tallycast poll closes-in <poll id> 30s'],
  },
  edit: {
    what: 'correct texts; after the first ballot the voting page shows what they were',
    options: [
      new Option('--title <title>', 'the question'),
      new Option('--description <text>', 'text on the voting page; empty removes it'),
      new Option(
        '--answer <number=text>',
        'new text of an answer, counted from 1; may be repeated',
      ).argParser(answerTexts),
    ],
    examples: [
      'TALLYCAST_KEY=admin_… tallycast poll edit <poll id> --title "Which song comes next?"',
      'TALLYCAST_KEY=admin_… tallycast poll edit <poll id> --answer 2=Volare',
    ],
    async send({ ask, self }) {
      const { title, description, answer } = self.opts<Corrections>();
      if (title === undefined && description === undefined && !answer)
        throw new InvalidArgumentError('Say what to correct: --title, --description or --answer.');
      const answers = answer && withTexts(await ask<ResultsBody>('GET'), answer);
      return ask('PATCH', '', { poll: { title, description, answers } });
    },
    lines({ id, title, edited_at, poll_answers }: ResultsBody) {
      const edited = edited_at === undefined ? '' : `, edited ${edited_at}`;
      const texts = poll_answers.map(({ sorting, answer }) => `${sorting}. ${safeText(answer)}`);
      return [`${id}${edited}`, safeText(title), ...texts];
    },
  },
  copy: {
    what: 'copy the poll without its votes; with the key of its show, into the rundown',
    options: [
      new Option('--title <title>', 'the question, instead of that of the original'),
      ...PREPARED.map(field => FIELDS[field] as Option),
    ],
    examples: [
      'TALLYCAST_KEY=admin_… tallycast poll copy <poll id>',
      'TALLYCAST_KEY=show_… tallycast poll copy <poll id> --title "Round two?" --closes-in 30s --results hidden',
    ],
    send: ({ ask, options }) =>
      ask('POST', '/copy', { poll: { title: options['title'], ...fieldsOf(options, PREPARED) } }),
    lines: (made: Reply<'CopiedPoll'>) => [...linesOf(made), `Show       ${made.show ?? 'none'}`],
  },
  again: {
    what: 'begin the next round at zero, under the same id, page and overlays',
    options: [
      new Option('--title <title>', 'the question, instead of the present one'),
      new Option('--upcoming', 'prepare the round without opening it').preset('upcoming'),
      new Option('--round <number>', 'only if this is the round that ends').argParser(Number),
      ...PREPARED.map(field => FIELDS[field] as Option),
    ],
    examples: [
      'TALLYCAST_KEY=show_… tallycast poll again <poll id>',
      'TALLYCAST_KEY=admin_… tallycast poll again <poll id> --round 1 --upcoming --closes-in 30s',
    ],
    send({ ask, options }) {
      const { title, round, upcoming: status } = options;
      return ask('POST', '/again', { round, poll: { title, status, ...fieldsOf(options, PREPARED) } });
    },
    lines: ({ id, round, title, status }: ResultsBody) => [
      `${id} is ${status}, round ${round}`,
      safeText(title),
    ],
  },
  void: {
    what: 'take the ballots of a network, a chat or a period out of the counts',
    options: [
      new Option('--network <tag>', 'tag of the network, as the manage page and its CSV have it'),
      new Option('--source <chat>', 'instead: twitch, youtube or kick'),
      new Option('--from <time>', 'with --to instead: from 2030-01-31T20:15:00Z on'),
      new Option('--to <time>', 'until this time'),
    ],
    examples: VOID_EXAMPLES,
    send: ({ ask, options: { network, source, from, to } }) =>
      ask('POST', '/void', { void: { network, source, from, to } }),
    lines: linesOfVoids,
  },
  restore: {
    what: 'count voided ballots again',
    args: [new Argument('<rule>', 'as `poll void` prints it')],
    examples: VOID_EXAMPLES,
    send: ({ ask, args: [rule = ''] }) => ask('DELETE', `/void/${encodeURIComponent(rule)}`),
    lines: linesOfVoids,
  },
  'view-key': {
    what: 'create a new view key and revoke the old one',
    send: ({ ask }) => ask('POST', '/view_key'),
    lines: ({ view_key }: Reply<'NewViewKey'>) => [view_key],
  },
  'admin-key': {
    what: 'create a new admin key and revoke the old one',
    send: ({ ask }) => ask('POST', '/admin_key'),
    lines: ({ admin_key, links }: Reply<'NewAdminKey'>) => [
      `Admin key  ${admin_key}`,
      `Manage     ${links.manage}`,
    ],
  },
  delete: {
    what: 'delete the poll with all ballots, names and comments',
    options: [new Option('--yes', 'skip the confirmation')],
    async send({ ask, self, subject, options: { yes } }) {
      if (!yes) await confirm(self, subject);
      return ask('DELETE');
    },
    lines: ({ id }: Reply<'DeletedPoll'>) => [`${id} deleted`],
  },
};

/** A change of the poll's members, which prints its state. */
function changing(what: string, membersOf: (call: Call) => object): RelayCommand {
  return {
    what,
    send: call => call.ask('PATCH', '', { poll: membersOf(call) }),
    async lines({ id, status, results_visibility, deadline, closes_in, ...counts }: ResultsBody) {
      const { removedOf } = await import('./results-text.ts');
      const { total_votes: votes, voided_votes = 0 } = counts;
      const prepared = closes_in === undefined ? '' : `, closes ${closes_in} s after opening`;
      const end = deadline === null ? prepared : `, deadline ${deadline}`;
      return [
        `${id} is ${status}${end}, results ${VISIBILITY_WORDS[results_visibility]}, ${votes} ${votes === 1 ? 'vote' : 'votes'}${removedOf(voided_votes)}`,
      ];
    },
  };
}

interface Corrections {
  readonly title?: string;
  readonly description?: string;
  readonly answer?: AnswerTexts;
}

function addCreate(poll: Command): void {
  const create = poll
    .command('create')
    .description('create a poll; its keys are shown only once')
    .argument('[title]', 'the question')
    .argument('[answers...]', '2 to 100 answers');
  create.option('--from <file>', 'read the poll from a JSON file, or - for standard input');
  for (const option of Object.values(FIELDS)) create.addOption(option);
  create.option('--show <name>', 'append it to the rundown of this show, with the key of the show');
  addRelayOptions(create, 'an operator key, if CREATE_REQUIRES_KEY is set')
    .addHelpText('after', CREATE_EXAMPLES)
    .action(async (title: string | undefined, answers: string[], given: Given, self: Command) => {
      const { show, ...relay } = self.optsWithGlobals<RelayOptions & { show?: string }>();
      const path = show === undefined ? 'poll' : `show/${encodeURIComponent(show)}/poll`;
      const target = { url: `${relay.url}/api/${path}` };
      const poll = await newPoll(title, answers, given);
      const key = keyFor(target, relay);
      const made = await askRelay<NewPoll>(target.url, { method: 'POST', key, body: { poll } });
      if (made.ignored.length > 0)
        console.error(`tallycast: unknown fields ignored: ${made.ignored.map(safeText).join(', ')}`);
      print(self, made, [
        ...linesOf(made),
        `Voters     ${poll['mip'] ? 'any number from one network; --one-per-network counts one' : 'one from each network'}`,
      ]);
    });
}

function linesOf({ id, links, admin_key, view_key, join_code }: NewPoll): string[] {
  return [
    `Poll       ${id}`,
    `Vote       ${links.vote}`,
    ...(join_code === undefined ? [] : [`Join code  ${formatJoinCode(join_code)}`]),
    `Overlay    ${links.overlay}`,
    `Manage     ${links.manage}`,
    `Admin key  ${admin_key}`,
    `View key   ${view_key}`,
  ];
}

type AnswerTexts = ReadonlyMap<number, string>;

/** Reads `2=Volare`. @throws InvalidArgumentError */
function answerTexts(given: string, before: AnswerTexts = new Map()): AnswerTexts {
  const [, number, text] = /^(\d+)=(.*)$/s.exec(given) ?? [];
  if (number === undefined || text === undefined)
    throw new InvalidArgumentError('Use the number of the answer and its new text, like 2=Volare.');
  return new Map([...before, [Number(number), text]]);
}

/** All answers of a poll, some with new texts. @throws InvalidArgumentError */
function withTexts({ poll_answers }: ResultsBody, texts: AnswerTexts): { id: string; answer: string }[] {
  for (const number of texts.keys())
    if (!poll_answers.some(({ sorting }) => sorting === number))
      throw new InvalidArgumentError(`There is no answer ${number}: the poll has ${poll_answers.length}.`);
  return poll_answers.map(({ id, sorting, answer }) => ({ id, answer: texts.get(sorting) ?? answer }));
}

function fieldsOf(given: Given, fields: readonly string[] = Object.keys(FIELDS)): Record<string, unknown> {
  const values = fields.map(field => [field, given[FIELDS[field]!.attributeName()]] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

type Given = Readonly<Record<string, unknown>> & { readonly from?: string };

/**
 * Returns the `poll` of `POST /api/poll`.
 *
 * @throws CommandFailure for an unreadable file
 * @throws InvalidArgumentError
 */
async function newPoll(
  title: string | undefined,
  answers: readonly string[],
  given: Given,
): Promise<Record<string, unknown>> {
  const poll = {
    // An audience in one hall shares a network.
    mip: true,
    ...(given.from !== undefined && (await readPoll(given.from))),
    ...(title !== undefined && { title }),
    ...(answers.length > 0 && { answers }),
    ...fieldsOf(given),
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

function linesOfVoids({ voids, total_votes, voided_votes = 0 }: Reply<'VoidedResults'>): string[] {
  return [
    `${total_votes} votes count, ${voided_votes} are voided`,
    ...voids.map(
      ({ id, network, source, from, to }) =>
        `Rule       ${id}  (${source ?? (network === undefined ? `cast from ${from}` : `network ${network}`)} until ${to})`,
    ),
  ];
}

const VISIBILITY_WORDS: Readonly<Record<ResultsBody['results_visibility'], string>> = {
  always: 'visible',
  after_deadline: 'hidden until the deadline',
  after_vote: 'visible to voters',
  hidden: 'hidden',
};

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

const EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare --closes-in 10m',
  'read -rs TALLYCAST_KEY && export TALLYCAST_KEY   # paste the admin key',
  'tallycast poll close <poll id>',
  'tallycast poll reveal <poll id>',
);

const CREATE_EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare',
  'tallycast poll create "Best act?" Ann Bob Cy --multiple --max-choices 2 --closes-in 10m --results hidden',
  'tallycast poll create "Round one?" Ann Bob --show friday-night --upcoming --results hidden --closes-in 30s',
  'tallycast poll create --from poll.json   # the body of POST /api/poll; - for standard input',
);
