import { type Command, Option } from 'commander';
import {
  addRelayOptions,
  askRelay,
  environmentKey,
  pollTarget,
  type RelayOptions,
  type RelayRequest,
} from './relay-request.ts';
import { examples, print, safeText } from './terminal.ts';

/** A poll of the run-down; only `id` and `gone` if it was deleted. */
interface RundownPoll {
  readonly id: string;
  readonly gone: boolean;
  readonly title?: string;
  readonly status?: string;
  readonly results_visibility?: string;
  /** Null while hidden. */
  readonly total_votes?: number | null;
}

/** A reply of the API; each has some of the later members. */
interface Show {
  readonly name: string;
  readonly on_air: string | null;
  readonly skipped: readonly string[];
  readonly rundown: readonly RundownPoll[];
  readonly show_key: string;
  readonly polls: readonly unknown[];
  readonly left_out: readonly string[];
  readonly links: Readonly<Record<'overlay' | 'vote' | 'desk', string>>;
}

const OWNER_KEY = 'the key of the show or an operator key';

export function addShowCommands(program: Command): void {
  const show = program
    .command('show')
    .description('create and run shows, whose polls overlays follow')
    .addHelpText(
      'after',
      examples(
        'tallycast show create friday-night --title "Friday Night Live"',
        'export TALLYCAST_KEY=show_…',
        'tallycast poll create "Which song next?" Waterloo Volare --show friday-night',
        'tallycast show order friday-night <poll id> <poll id>',
        'tallycast show rundown friday-night',
        'tallycast show next friday-night',
        'tallycast show previous friday-night',
        'tallycast show status friday-night --json',
        'tallycast show results friday-night --format csv',
        'tallycast show copy friday-night saturday-night',
        'tallycast show point friday-night <poll id>',
        'tallycast show clear friday-night',
        'tallycast show new-key friday-night',
        'tallycast show delete friday-night',
      ),
    );
  const command = (name: string, what: string, keys = OWNER_KEY) =>
    addRelayOptions(
      show.command(name).description(what).argument('<show>', 'name of the show: a-z, 0-9 and -'),
      keys,
    );

  command(
    'create',
    'create a show; its key is shown only once',
    'an operator key, if CREATE_REQUIRES_KEY is set',
  )
    .option('--title <title>', 'title of the show')
    .action(async (name: string, { title }, self: Command) => {
      const body = { show: { name, ...(title !== undefined && { title }) } };
      const made = await ask(self, '', { method: 'POST', body });
      print(self, made, [
        `Created ${made.name}.`,
        `overlay   ${made.links.overlay}`,
        `show key  ${made.show_key}`,
      ]);
    });

  command('status', 'print the poll on air').action(async (name: string, _, self: Command) => {
    const body = await ask(self, name);
    print(self, body, [body.on_air === null ? `${name}: no poll on air` : `${name}: ${body.on_air} on air`]);
  });

  command('point', 'put a poll on air, on all overlays of the show')
    .argument('<poll>', 'id or URL of the poll')
    .action(async (name: string, poll: string, _, self: Command) => {
      const { id } = pollTarget(poll, self.optsWithGlobals<RelayOptions>().url);
      const onAir = { show: { on_air: id } };
      print(self, ...switched(self, name, await ask(self, name, { method: 'PATCH', body: onAir })));
    });

  for (const [button, what] of BUTTONS)
    command(button, what).action(async (name: string, _, self: Command) => {
      const show = await ask(self, name, { method: 'POST' }, `/${button}`);
      for (const id of show.skipped) console.error(`tallycast: skipped ${id}, which was deleted`);
      print(self, ...switched(self, name, show));
    });

  command('rundown', 'print the polls of the run-down in order').action(
    async (name: string, _, self: Command) => {
      const body = await ask(self, name, {}, '/rundown');
      print(
        self,
        body,
        body.rundown.length === 0 ? ['The run-down is empty'] : body.rundown.map(lineOf(body)),
      );
    },
  );

  command('results', 'print the results of all polls, as JSON or as CSV for a spreadsheet')
    .addOption(new Option('--format <format>', 'json or csv').choices(['json', 'csv']).default('json'))
    .addHelpText('after', examples('tallycast show results friday-night --format csv > friday-night.csv'))
    .action(async (name: string, { format }, self: Command) => {
      const body = await ask(self, name, {}, `/results?format=${format}`);
      console.log(typeof body === 'string' ? (body as string).trimEnd() : JSON.stringify(body));
    });

  command('copy', 'copy the show with its polls, look and logo, without votes')
    .argument('<name>', 'name of the new show')
    .option('--title <title>', 'title of the new show, instead of that of the original')
    .addHelpText('after', examples('tallycast show copy friday-night saturday-night --title Saturday'))
    .action(async (name: string, to: string, { title }, self: Command) => {
      const body = { show: { name: to, ...(title !== undefined && { title }) } };
      const made = await ask(self, name, { method: 'POST', body }, '/copy');
      for (const id of made.left_out)
        console.error(`tallycast: left out ${id}, which was deleted or is not a poll of ${safeText(name)}`);
      print(self, made, [
        `Created ${made.name} with ${made.polls.length} ${made.polls.length === 1 ? 'poll' : 'polls'}.`,
        `overlay   ${made.links.overlay}`,
        `show key  ${made.show_key}`,
      ]);
    });

  command('order', 'set the polls of the run-down and their order')
    .argument('[polls...]', 'ids or URLs of all polls')
    .action(async (name: string, polls: string[], _, self: Command) => {
      const rundown = polls.map(poll => pollTarget(poll, self.optsWithGlobals<RelayOptions>().url).id);
      const body = await ask(self, name, { method: 'PATCH', body: { show: { rundown } } });
      print(self, body, [`${rundown.length} polls in the run-down of ${name}`]);
    });

  command('new-key', 'create a new key and revoke the old one').action(
    async (name: string, _, self: Command) => {
      const body = await ask(self, name, { method: 'POST' }, '/show_key');
      print(self, body, [body.show_key]);
    },
  );

  command('delete', 'delete the show and keep its polls').action(async (name: string, _, self: Command) => {
    print(self, await ask(self, name, { method: 'DELETE' }), [`${name} deleted`]);
  });
}

const BUTTONS = [
  ['next', 'put the next poll of the run-down on air'],
  ['previous', 'put the previous poll on air'],
  ['clear', 'take the poll off air'],
] as const;

function switched(self: Command, name: string, show: Show): [Show, string[]] {
  if (show.on_air === null) return [show, [`${name}: no poll on air`]];
  const { url } = self.optsWithGlobals<RelayOptions>();
  return [show, [`${name}: ${show.on_air} on air at ${url}/overlay/show/${name}`]];
}

function lineOf({ on_air }: Show): (poll: RundownPoll) => string {
  return ({ id, gone, title = '', status = '', results_visibility, total_votes }) => {
    const mark = id === on_air ? '>' : ' ';
    if (gone) return `${mark} ${id}  deleted`;
    const votes = total_votes == null ? '' : `, ${total_votes} votes`;
    const hidden = results_visibility === 'always' ? '' : ', hidden';
    return `${mark} ${id}  ${status}${hidden}${votes}  ${safeText(title)}`;
  };
}

function ask(self: Command, name: string, request?: RelayRequest, path = ''): Promise<Show> {
  const { url, key } = self.optsWithGlobals<RelayOptions>();
  const asked = `${url}/api/show${name && `/${encodeURIComponent(safeText(name))}`}${path}`;
  return askRelay<Show>(asked, { ...request, key: key ?? environmentKey(asked, url) });
}
