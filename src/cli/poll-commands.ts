import { type Command, Option } from 'commander';
import type { ResultsBody } from '../protocol/messages.ts';
import { askRelay, type RelayRequest } from './relay-request.ts';
import { addFieldOptions, fieldsOf, type PollFields, seconds } from './poll-fields.ts';
import { pollTarget } from './poll-target.ts';
import { addRelayOptions, environmentKey, keyFor, type RelayOptions } from './relay-options.ts';
import { examples, print, safeText } from './terminal.ts';

interface NewPoll {
  readonly id: string;
  readonly admin_key: string;
  readonly view_key: string;
  readonly ignored: readonly string[];
  readonly links: Readonly<Record<'vote' | 'overlay' | 'manage', string>>;
}

const MANAGERS_KEY = "the poll's admin key, or an operator's";

/** A poll by program: the REST API, in words. */
export function addPollCommands(program: Command): void {
  const poll = program
    .command('poll')
    .description('create polls and manage them')
    .addHelpText('after', EXAMPLES);
  addCreate(poll);
  const command = (name: string, what: string, keys = MANAGERS_KEY) =>
    addRelayOptions(poll.command(name).description(what).argument('<poll>', 'id or URL of the poll'), keys);
  const changing = (name: string, what: string) =>
    command(name, what).addHelpText(
      'after',
      examples(`TALLYCAST_KEY=admin_… tallycast poll ${name} <poll id>`),
    );

  command(
    'show',
    'print the results as they are now',
    "the poll's view key or admin key, where they are hidden",
  )
    .addHelpText('after', examples('tallycast poll show <poll id>', 'tallycast poll show <poll id> --json'))
    .action(async (target: string, _, self: Command) => {
      const { drawResults } = await import('./results-text.ts');
      const results = await ask<ResultsBody>(self, target);
      const { columns = 80 } = process.stdout;
      const size = { columns, rows: Number.POSITIVE_INFINITY, color: process.stdout.isTTY === true };
      print(self, results, drawResults(results, results.status, size));
    });

  changing('open', 'let people vote: also what was prepared, or closed by hand')
    .addOption(
      new Option('--closes-in <time>', 'closes by itself after 90, 90s, 10m, 2h or 1d').argParser(seconds),
    )
    .action((_, { closesIn }, self: Command) => change(self, { status: 'open', closes_in: closesIn }));
  changing('close', 'take no more votes').action((_, __, self) => change(self, { status: 'closed' }));
  changing('hide', 'show the results to nobody without a key').action((_, __, self) =>
    change(self, { results_visibility: 'hidden' }),
  );
  changing('reveal', 'show the results to everybody, on every screen at once').action((_, __, self) =>
    change(self, { results_visibility: 'always' }),
  );

  changing('view-key', 'make a new view key; the old one ends at once').action(
    async (target: string, _, self: Command) => {
      const reply = await ask<{ view_key: string }>(self, target, { method: 'POST' }, '/view_key');
      print(self, reply, [reply.view_key]);
    },
  );

  changing('admin-key', 'make a new admin key; the old one ends at once').action(
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

  changing('delete', 'remove the poll with every ballot, name and comment')
    .option('--yes', 'do not ask first')
    .action(async (target: string, { yes }, self: Command) => {
      if (!yes) await confirm(self, target);
      const reply = await ask<{ id: string }>(self, target, { method: 'DELETE' });
      print(self, reply, [`${reply.id} is gone`]);
    });
}

function addCreate(poll: Command): void {
  const create = poll
    .command('create')
    .description('create a poll; its keys are shown this once')
    .argument('[title]', 'the question')
    .argument('[answers...]', '2 to 100 answers');
  addFieldOptions(create);
  create.option('--show <name>', 'at the end of the run-down of this show, with its key');
  addRelayOptions(create, "an operator's, where creating needs one")
    .addHelpText('after', CREATE_EXAMPLES)
    .action(async (title: string | undefined, answers: string[], given: PollFields, self: Command) => {
      const { url, key, show } = self.optsWithGlobals<RelayOptions & { show?: string }>();
      const asked =
        show === undefined ? `${url}/api/poll` : `${url}/api/show/${encodeURIComponent(show)}/poll`;
      const body = await fieldsOf(title, answers, given);
      const made = await askRelay<NewPoll>(asked, {
        method: 'POST',
        key: key ?? environmentKey(asked, url),
        body,
      });
      if (made.ignored.length > 0)
        console.error(`tallycast: the relay knows no ${made.ignored.map(safeText).join(', ')}; ignored`);
      print(self, made, [
        `Poll       ${made.id}`,
        `Vote       ${made.links.vote}`,
        `Overlay    ${made.links.overlay}`,
        `Manage     ${made.links.manage}`,
        `Admin key  ${made.admin_key}`,
        `View key   ${made.view_key}`,
      ]);
    });
}

async function change(self: Command, poll: Readonly<Record<string, unknown>>): Promise<void> {
  const results = await ask<ResultsBody>(self, self.args[0] as string, { method: 'PATCH', body: { poll } });
  const { id, status, results_visibility: visibility, deadline, closes_in, total_votes: votes } = results;
  const prepared = closes_in === undefined ? '' : `, closes ${closes_in} s after it is opened`;
  const end = deadline === null ? prepared : `, deadline ${deadline}`;
  print(self, results, [
    `${id} is ${status}${end}, results ${SEEN[visibility]}, ${votes} ${votes === 1 ? 'vote' : 'votes'}`,
  ]);
}

const SEEN: Readonly<Record<ResultsBody['results_visibility'], string>> = {
  always: 'shown',
  after_deadline: 'hidden until the deadline',
  hidden: 'hidden',
};

function ask<T>(self: Command, named: string, request?: RelayRequest, below = ''): Promise<T> {
  const options = self.optsWithGlobals<RelayOptions>();
  const target = pollTarget(named, options.url);
  return askRelay<T>(target.url + below, { ...request, key: keyFor(target, options) });
}

/** Votes cannot be brought back. */
async function confirm(self: Command, target: string): Promise<void> {
  if (!process.stdin.isTTY) self.error('error: deleting asks first; where nobody can answer, say --yes');
  const { createInterface } = await import('node:readline/promises');
  const terminal = createInterface(process.stdin, process.stderr);
  const answer = await terminal.question(
    `Remove ${safeText(target)} with all its votes, for ever? Type yes: `,
  );
  terminal.close();
  if (answer.trim().toLowerCase() !== 'yes') self.error('error: nothing was removed');
}

const EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare --closes-in 10m',
  'read -rs TALLYCAST_KEY && export TALLYCAST_KEY   # paste the admin key',
  'tallycast poll close <poll id>',
  'tallycast poll reveal <poll id>',
);

const CREATE_EXAMPLES = examples(
  'tallycast poll create "Which song next?" Waterloo Volare',
  'tallycast poll create "Best act?" Ann Bob Cy --multiple --closes-in 10m --results hidden',
  'tallycast poll create --from poll.json   # what POST /api/poll takes; - reads it from a pipe',
);
