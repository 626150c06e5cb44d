import { text } from 'node:stream/consumers';
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Reply } from '../api/replies.ts';
import { formatJoinCode } from '../poll/join-code.ts';
import { FLAGS } from '../poll/poll.ts';
import type { HiddenMessage, ResultsBody } from '../protocol/messages.ts';
import {
  addRelayOptions,
  askRelay,
  environmentKey,
  keyFor,
  onOrOff,
  pollTarget,
  type RelayOptions,
  type RelayRequest,
  seconds,
} from './relay-request.ts';
import { CommandFailure, examples, print, readLocal, safeText } from './terminal.ts';

type NewPoll = Reply<'CreatedPoll'>;

const SHUFFLE = 'show the answers in another order to each voter';
const ADMIN_KEY = "the poll's admin key or an operator key";

/** No limit: Commander has no null. */
const NONE = 'none';
type Options = Readonly<Record<string, Option>>;

/** The options of `poll create` by the field of the request body that they set. */
const FIELDS: Options = {
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
  ...ofFlags((name, meaning) => new Option(name, meaning)),
  min_choices: new Option('--min-choices <number>', 'with --multiple: least answers in one ballot').argParser(
    wholeNumber,
  ),
  max_choices: new Option('--max-choices <number>', 'with --multiple: most answers in one ballot').argParser(
    wholeNumber,
  ),
  answer_order: new Option('--shuffle', SHUFFLE).preset('random'),
  mip: new Option('--one-per-network', 'count one vote from each network (mip: false)').preset(false),
};

/**
 * The rules that `poll edit` changes until the first ballot, by their fields. `join_code` has a
 * command of its own, and the letters of `chat_words` belong to a show.
 */
const RULES: Options = {
  ...ofFlags(onOrOff, ['join_code', 'chat_words']),
  min_choices: new Option('--min-choices <number>', 'least answers in one ballot, or none').argParser(limit),
  max_choices: new Option('--max-choices <number>', 'most answers in one ballot, or none').argParser(limit),
  answer_order: onOrOff('--shuffle', SHUFFLE, ['random', 'given']),
};

function ofFlags(make: (name: string, meaning: string) => Option, without: readonly string[] = []): Options {
  const flags = Object.values(FLAGS).filter(({ wire, option }) => option && !without.includes(wire));
  return Object.fromEntries(
    flags.map(({ wire, option, meaning }) => [wire, make(`--${option}`, `${meaning} (${wire})`)]),
  );
}

function limit(given: string): number | typeof NONE {
  return given === NONE ? given : wholeNumber(given);
}

/** @throws InvalidArgumentError */
function wholeNumber(given: string): number {
  if (!/^\d{1,3}$/.test(given)) throw new InvalidArgumentError('Use a whole number from 1 to 100.');
  return Number(given);
}

/** Settings with which a copy may differ. */
const PREPARED: Options = {
  closes_in: FIELDS['closes_in']!,
  results_visibility: FIELDS['results_visibility']!,
  mip: FIELDS['mip']!,
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
      const { drawResults, drawRevealed } = await import('./results-text.ts');
      const results = await ask<ResultsBody | Omit<HiddenMessage, 'type'>>(self, target);
      const { columns = 80 } = process.stdout;
      const size = { columns, rows: Number.POSITIVE_INFINITY, color: process.stdout.isTTY === true };
      const lines = 'version' in results ? drawResults(results, results.status, size) : drawRevealed(results);
      print(self, results, lines);
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

  changing('join-code', 'give the poll a code of six digits, by which voters find it')
    .option('--off', 'remove the code')
    .action(async (target: string, { off }, self: Command) => {
      const body = { poll: { join_code: !off } };
      const results = await ask<ResultsBody>(self, target, { method: 'PATCH', body });
      const code = results.join_code === undefined ? 'none' : formatJoinCode(results.join_code);
      print(self, results, [`Join code  ${code}`]);
    });

  command('closes-in', 'close the poll after a time; an upcoming one that long after its opening')
    .argument('<time>', '90, 90s, 10m, 2h or 1d', seconds)
    .addHelpText('after', examples('TALLYCAST_KEY=show_… tallycast poll closes-in <poll id> 30s'))
    .action((_, time: number, __, self: Command) => change(self, { closes_in: time }));

  const edit = command(
    'edit',
    'correct texts, and until the first ballot rules; afterwards the voting page shows what the texts were',
  );
  for (const rule of Object.values(RULES)) edit.addOption(rule);
  edit
    .option('--title <title>', 'the question')
    .option('--description <text>', 'text on the voting page; empty removes it')
    .option('--answer <number=text>', 'new text of an answer, counted from 1; may be repeated', answerTexts)
    .addHelpText('after', EDIT_EXAMPLES)
    .action(async (target: string, { title, description, answer, ...given }, self: Command) => {
      const answers = answer && withTexts(await ask<ResultsBody>(self, target), answer);
      const rules = fieldsOf(given, RULES);
      for (const name of ['min_choices', 'max_choices']) if (rules[name] === NONE) rules[name] = null;
      const poll = { title, description, answers, ...rules };
      if (Object.values(poll).every(value => value === undefined))
        throw new InvalidArgumentError(
          'Say what to change: --title, --description, --answer or a rule, such as --multiple on.',
        );
      const results = await ask<ResultsBody>(self, target, { method: 'PATCH', body: { poll } });
      const edited = results.edited_at === undefined ? '' : `, edited ${results.edited_at}`;
      const texts = results.poll_answers.map(({ sorting, answer }) => `${sorting}. ${safeText(answer)}`);
      print(self, results, [`${results.id}${edited}`, safeText(results.title), ...texts]);
    });
  addRounds(command);
  addKeysAndEnd(changing);
}

/** Adds a command about one poll. */
type AddCommand = (name: string, what: string) => Command;

/** Copies, rounds, and which ballots count. */
function addRounds(command: AddCommand): void {
  const copy = command('copy', 'copy the poll without its votes; with the key of its show, into the rundown');
  copy.option('--title <title>', 'the question, instead of that of the original');
  for (const option of Object.values(PREPARED)) copy.addOption(option);
  copy.addHelpText('after', COPY_EXAMPLES).action(async (target: string, given: Given, self: Command) => {
    const poll = { title: given['title'], ...fieldsOf(given, PREPARED) };
    const made = await ask<Reply<'CopiedPoll'>>(self, target, { method: 'POST', body: { poll } }, '/copy');
    print(self, made, [...linesOf(made), `Show       ${made.show ?? 'none'}`]);
  });

  const again = command('again', 'begin the next round at zero, under the same id, page and overlays');
  again
    .option('--title <title>', 'the question, instead of the present one')
    .option('--upcoming', 'prepare the round without opening it')
    .addOption(new Option('--round <number>', 'only if this is the round that ends').argParser(Number));
  for (const option of Object.values(PREPARED)) again.addOption(option);
  again.addHelpText('after', AGAIN_EXAMPLES).action(async (target: string, given: Given, self: Command) => {
    const status = given['upcoming'] ? 'upcoming' : undefined;
    const poll = { title: given['title'], status, ...fieldsOf(given, PREPARED) };
    const body = { round: given['round'], poll };
    const results = await ask<ResultsBody>(self, target, { method: 'POST', body }, '/again');
    const { id, round, title } = results;
    print(self, results, [`${id} is ${results.status}, round ${round}`, safeText(title)]);
  });

  command('void', 'take the ballots of a network, a chat or a period out of the counts')
    .option('--network <tag>', 'tag of the network, as the manage page and its CSV have it')
    .option('--source <chat>', 'instead: twitch, youtube or kick')
    .option('--from <time>', 'with --to instead: from 2030-01-31T20:15:00Z on')
    .option('--to <time>', 'until this time')
    .addHelpText('after', VOID_EXAMPLES)
    .action(async (target: string, { network, source, from, to }, self: Command) => {
      const body = { void: { network, source, from, to } };
      printVoids(self, await ask<Voided>(self, target, { method: 'POST', body }, '/void'));
    });
  command('restore', 'count voided ballots again')
    .argument('<rule>', 'as `poll void` prints it')
    .addHelpText('after', VOID_EXAMPLES)
    .action(async (target: string, rule: string, _, self: Command) => {
      const path = `/void/${encodeURIComponent(rule)}`;
      printVoids(self, await ask<Voided>(self, target, { method: 'DELETE' }, path));
    });
}

function addKeysAndEnd(changing: AddCommand): void {
  changing('view-key', 'create a new view key and revoke the old one').action(
    async (target: string, _, self: Command) => {
      const reply = await ask<{ view_key: string }>(self, target, { method: 'POST' }, '/view_key');
      print(self, reply, [reply.view_key]);
    },
  );

  changing('admin-key', 'create a new admin key and revoke the old one').action(
    async (target: string, _, self: Command) => {
      const reply = await ask<Reply<'NewAdminKey'>>(self, target, { method: 'POST' }, '/admin_key');
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
  create.option('--show <name>', 'append it to the rundown of this show, with the key of the show');
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
        ...linesOf(made),
        `Voters     ${draft['mip'] ? 'any number from one network; --one-per-network counts one' : 'one from each network'}`,
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

function fieldsOf(given: Given, options: Options): Record<string, unknown> {
  const values = Object.entries(options).map(([field, option]) => [field, given[option.attributeName()]]);
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
    ...fieldsOf(given, FIELDS),
  };
  if (given.from === undefined && (title === undefined || answers.length === 0))
    throw new InvalidArgumentError(
      'A poll needs a title and answers: tallycast poll create "Which song next?" Waterloo Volare',
    );
  return poll;
}

async function readPoll(file: string): Promise<Record<string, unknown>> {
  const isPipe = file === '-';
  const read = await (isPipe ? text(process.stdin) : readLocal(file));
  try {
    const body = JSON.parse(`${read}`);
    return body.poll ?? body;
  } catch (error) {
    throw new CommandFailure(`${isPipe ? 'Standard input' : file} is not JSON: ${(error as Error).message}`);
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

type Voided = Reply<'VoidedResults'>;

function printVoids(self: Command, results: Voided): void {
  const { voids, total_votes, voided_votes = 0 } = results;
  print(self, results, [
    `${total_votes} votes count, ${voided_votes} are voided`,
    ...voids.map(
      ({ id, network, source, from, to }) =>
        `Rule       ${id}  (${source ?? (network === undefined ? `cast from ${from}` : `network ${network}`)} until ${to})`,
    ),
  ]);
}

const VISIBILITY_WORDS: Readonly<Record<ResultsBody['results_visibility'], string>> = {
  always: 'visible',
  after_deadline: 'hidden until the deadline',
  after_vote: 'visible to voters',
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

const EDIT_EXAMPLES = examples(
  'TALLYCAST_KEY=admin_… tallycast poll edit <poll id> --title "Which song comes next?"',
  'TALLYCAST_KEY=admin_… tallycast poll edit <poll id> --answer 2=Volare --multiple on --max-choices 2',
);

const COPY_EXAMPLES = examples(
  'TALLYCAST_KEY=admin_… tallycast poll copy <poll id>',
  'TALLYCAST_KEY=show_… tallycast poll copy <poll id> --title "Round two?" --closes-in 30s --results hidden',
);

const AGAIN_EXAMPLES = examples(
  'TALLYCAST_KEY=show_… tallycast poll again <poll id>',
  'TALLYCAST_KEY=admin_… tallycast poll again <poll id> --round 1 --upcoming --closes-in 30s',
);

const EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare --private --closes-in 10m',
  'read -rs TALLYCAST_KEY && export TALLYCAST_KEY   # paste the admin key',
  'tallycast poll close <poll id>',
  'tallycast poll reveal <poll id>',
);

const CREATE_EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare --private',
  'tallycast poll create "Best act?" Ann Bob Cy --private --multiple --max-choices 2 --closes-in 10m --results hidden',
  'tallycast poll create "Round one?" Ann Bob --private --show friday-night --upcoming --results hidden --closes-in 30s',
  'tallycast poll create --from poll.json   # the body of POST /api/poll; - for standard input',
);
