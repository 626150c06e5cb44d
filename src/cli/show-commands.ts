import { readFile } from 'node:fs/promises';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Reply } from '../api/replies.ts';
import type { Parameter } from '../picture/parameters.ts';
import { type Look, lookNames, lookOf, lookParameters, lookQuery } from '../picture/show-look.ts';
import { type ChatLink, otherLinks, readChannel } from '../poll/chat-link.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { formatJoinCode } from '../poll/join-code.ts';
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

type Show = Reply<'WholeShow'>;
type NewShow = Reply<'CreatedShow'>;

const OWNER_KEY = 'the key of the show or an operator key';
const SHOW = new Argument('<show>', 'name of the show: a-z, 0-9 and -');
const CHAT = [
  new Argument('<platform>', 'of the chat').choices(CHAT_PLATFORMS),
  new Argument('<channel>', 'name or address of the channel; on YouTube of the live video, or a @handle'),
];

export function addShowCommands(program: Command): void {
  const show = program
    .command('show')
    .description('create and run shows, whose polls overlays follow')
    .addHelpText('after', EXAMPLES);
  addCreate(show);
  const targetOf = (name: string, relay: string) => ({
    url: `${relay}/api/show/${encodeURIComponent(safeText(name))}`,
  });
  addRelayCommands(show, { argument: SHOW, keys: OWNER_KEY, targetOf, commands: COMMANDS });
}

function addCreate(show: Command): void {
  const create = show
    .command('create')
    .description('create a show; its key is shown only once')
    .addArgument(SHOW);
  addRelayOptions(create, 'an operator key, if CREATE_REQUIRES_KEY is set')
    .option('--title <title>', 'title of the show')
    .option('--join-code', 'give the show a code of six digits, by which its audience finds it')
    .action(async (name: string, { title, joinCode }) => {
      const relay = create.optsWithGlobals<RelayOptions>();
      const target = { url: `${relay.url}/api/show` };
      const body = { show: { name, title, join_code: joinCode } };
      const made = await askRelay<NewShow>(target.url, { method: 'POST', body, key: keyFor(target, relay) });
      print(create, made, [`Created ${made.name}.`, ...linksOf(made)]);
    });
}

const COMMANDS: Readonly<Record<string, RelayCommand>> = {
  status: {
    what: 'print the poll on air',
    send: ({ ask }) => ask('GET'),
    lines: ({ on_air }: Show, { subject }) => [`${subject}: ${on_air ?? 'no poll'} on air`],
  },
  point: {
    what: 'put a poll on air, on all overlays of the show',
    args: [new Argument('<poll>', 'id or URL of the poll')],
    send: ({ ask, args: [poll = ''], relay }) =>
      ask('PATCH', '', { show: { on_air: pollTarget(poll, relay).id } }),
    lines: switched,
  },
  next: switching('next', 'put the next poll of the rundown on air'),
  previous: switching('previous', 'put the previous poll on air'),
  clear: switching('clear', 'take the poll off air'),
  open: pressing('open', 'open the poll on air', 'closes_in', closesIn()),
  close: pressing('close', 'close the poll on air, at once or after a time', 'closes_in', closesIn()),
  step: pressing(
    'step',
    'reveal the next place of the poll on air, from the lowest up',
    'to',
    new Option('--to <place>', 'reveal all down to this place').argParser(Number),
  ),
  reveal: pressing(
    'reveal',
    'show all results of the poll on air',
    'confirm',
    new Option('--confirm', 'also while voting is open'),
  ),
  undo: {
    what: 'take back the last press, of any desk or program',
    send: ({ ask }) => ask('POST', '/undo'),
    warnings: ({ undone }: Reply<'UndoneShow'>) => (undone?.seen ? ['viewers have already seen it'] : []),
    lines: ({ undone, poll, on_air }: Reply<'UndoneShow'>, { subject }) => [
      `${subject}: took back ${undone?.press}; ${on_air ?? 'nothing'} on air${stateOf(poll)}`,
    ],
  },
  options: {
    what: 'change how the buttons of the show work',
    options: [
      choice('--final-two', 'reveal the last two places together'),
      choice('--close-before-next', 'close an open poll when another one is taken'),
      choice('--join-code', 'give the show a code of six digits, or give it up'),
    ],
    examples: ['tallycast show options friday-night --final-two on'],
    send: ({ ask, options: { finalTwo, closeBeforeNext, joinCode } }) =>
      ask('PATCH', '', {
        show: { final_two: finalTwo, close_before_next: closeBeforeNext, join_code: joinCode },
      }),
    lines: ({ final_two, close_before_next, join_code: code }: Show, { subject }) => [
      `${subject}: final two ${onOff(final_two)}, close before next ${onOff(close_before_next)}, join code ${code === undefined ? 'none' : formatJoinCode(code)}`,
    ],
  },
  chats: {
    what: 'print the linked chats, whose messages are votes, with their state',
    send: ({ ask }) => ask('GET'),
    lines({ chat_state: chats }: Show) {
      if (!chats) throw new CommandFailure(`Chats need ${OWNER_KEY}: use --key or set TALLYCAST_KEY.`);
      return chats.length === 0 ? ['No chat is linked'] : chats.map(lineOfChat);
    },
  },
  link: {
    what: 'link a chat, whose messages are votes while a poll of the show is on air',
    args: CHAT,
    send: call => changeChat(call, (others, link) => [...others, link]),
    lines: lineOfLinks,
  },
  unlink: {
    what: 'unlink a chat',
    args: CHAT,
    send: call => changeChat(call, others => others),
    lines: lineOfLinks,
  },
  rundown: {
    what: 'print the polls of the rundown in order',
    send: ({ ask }) => ask('GET', '/rundown'),
    lines: ({ rundown, on_air }: Reply<'Rundown'>) =>
      rundown.length === 0 ? ['The rundown is empty'] : rundown.map(poll => lineOf(poll, on_air)),
  },
  results: {
    what: 'print the results of all polls, as JSON or as CSV for a spreadsheet',
    options: [new Option('--format <format>', 'json or csv').choices(['json', 'csv']).default('json')],
    examples: ['tallycast show results friday-night --format csv > friday-night.csv'],
    async send({ ask, options: { format } }) {
      const body = await ask<unknown>('GET', `/results?format=${format}`);
      console.log(typeof body === 'string' ? body.trimEnd() : JSON.stringify(body));
    },
  },
  copy: {
    what: 'copy the show with its polls, look and images, without votes',
    args: [new Argument('<name>', 'name of the new show')],
    options: [new Option('--title <title>', 'title of the new show, instead of that of the original')],
    examples: ['tallycast show copy friday-night saturday-night --title Saturday'],
    send: ({ ask, args: [name], options: { title } }) => ask('POST', '/copy', { show: { name, title } }),
    warnings: ({ left_out }: Reply<'CopiedShow'>, { subject }) =>
      left_out.map(id => `left out ${id}, which was deleted or is not a poll of ${safeText(subject)}`),
    lines: (made: Reply<'CopiedShow'>) => [
      `Created ${made.name} with ${made.polls.length} ${made.polls.length === 1 ? 'poll' : 'polls'}.`,
      ...linksOf(made),
    ],
  },
  order: {
    what: 'set the polls of the rundown and their order',
    args: [new Argument('[polls...]', 'ids or URLs of all polls')],
    send: ({ ask, args, relay }) =>
      ask('PATCH', '', { show: { rundown: args.map(poll => pollTarget(poll, relay).id) } }),
    lines: (_, { args, subject }) => [`${args.length} polls in the rundown of ${subject}`],
  },
  look: {
    what: 'print or change the look that all overlays and voting pages share',
    options: lookOptions(),
    send: changeLook,
    lines: linesOfLook,
  },
  'new-key': {
    what: 'create a new key and revoke the old one',
    send: ({ ask }) => ask('POST', '/show_key'),
    lines: ({ show_key }: Reply<'NewShowKey'>) => [show_key],
  },
  delete: {
    what: 'delete the show and keep its polls',
    send: ({ ask }) => ask('DELETE'),
    lines: (_, { subject }) => [`${subject} deleted`],
  },
};

function closesIn(): Option {
  return new Option('--closes-in <time>', 'close after 90, 90s, 10m, 2h or 1d').argParser(seconds);
}

/** A button that changes what is on air. */
function switching(button: string, what: string): RelayCommand {
  return {
    what,
    send: ({ ask }) => ask('POST', `/${button}`),
    warnings: ({ skipped }: Reply<'SteppedShow'>) => skipped.map(id => `skipped ${id}, which was deleted`),
    lines: switched,
  };
}

/** A button that changes the poll on air. @param member of the body, with the value of the option */
function pressing(button: string, what: string, member: string, option: Option): RelayCommand {
  return {
    what,
    options: [option],
    send: ({ ask, options }) =>
      ask('POST', `/${button}`, { show: { [member]: options[option.attributeName()] } }),
    lines: ({ on_air, poll }: Reply<'PressedShow'>, { subject }) => [`${subject}: ${on_air}${stateOf(poll)}`],
  };
}

/** @param change gets the links of the show without the named one */
async function changeChat(
  { ask, args }: Call,
  change: (others: readonly ChatLink[], link: ChatLink) => readonly ChatLink[],
): Promise<Show> {
  const [platform, channel] = args as [ChatLink['platform'], string];
  const { chat: before, version } = await ask<Show>('GET');
  const link = { platform, channel: readChannel(platform, channel) ?? channel };
  // With the version, links that another desk adds meanwhile are not lost.
  return ask('PATCH', '', { show: { chat: change(otherLinks(before, link), link), version } });
}

/** An option for each parameter of a look. Those that are not named stay. */
function lookOptions(): Option[] {
  const ofParameters = lookNames.map(name => {
    const what = describe(lookParameters[name]!);
    return new Option(`--${name} <value>`, what).argParser(value => {
      if (lookOf(new URLSearchParams({ [name]: value }))[name] !== undefined) return value;
      throw new InvalidArgumentError(`It must be ${what}.`);
    });
  });
  return [
    ...ofParameters,
    new Option('--from <url>', 'replace the look by that of an overlay URL').argParser(lookOfUrl),
    new Option('--reset', 'remove the look; the options above set a new one'),
    new Option('--logo <file>', 'replace the logo by a PNG, JPEG or WebP image of up to 200 KB'),
    new Option('--no-logo', 'remove the logo'),
    new Option(
      '--ground-image <file>',
      'replace the image behind full pictures: PNG, JPEG or WebP of up to 1 MB',
    ),
    new Option('--no-ground-image', 'remove the image behind full pictures'),
  ];
}

interface LookOptions extends Readonly<Record<string, unknown>> {
  readonly from?: Look;
  readonly reset?: true;
  /** Paths of files; false removes the image. `ground` is a color of the look. */
  readonly logo?: string | false;
  readonly groundImage?: string | false;
}

async function changeLook({ self, ask }: Call): Promise<Show> {
  const options = self.opts<LookOptions>();
  let show = await ask<Show>('GET');
  const named = lookNames.filter(parameter => options[parameter] !== undefined);
  if (options.from || options.reset || named.length > 0) {
    const query = lookQuery(options.from ?? (options.reset ? {} : (show.look ?? {})));
    for (const parameter of named) query.set(parameter, String(options[parameter]));
    show = await ask('PATCH', '', { show: { look: lookOf(query) } });
  }
  const images = { logo: options.logo, ground: options.groundImage };
  for (const [kind, file] of Object.entries(images)) {
    if (file === false) show = await ask('DELETE', `/${kind}`);
    else if (file !== undefined) show = await ask('PUT', `/${kind}`, await readImage(file));
  }
  return show;
}

function describe(parameter: Parameter): string {
  switch (parameter.kind) {
    case 'choice':
      return `one of ${parameter.choices.join(', ')}`;
    case 'flag':
      return '1 or 0';
    case 'number':
      return `a number from ${parameter.min} to ${parameter.max}`;
    case 'colors':
      return 'colors of the answers, such as 1e90ff,ff8800';
    case 'font':
      return 'the name of an installed font';
    default:
      return 'a color such as 1e90ff';
  }
}

function lookOfUrl(url: string): Look {
  const look = URL.canParse(url) ? lookOf(new URL(url).searchParams) : {};
  if (Object.keys(look).length > 0) return look;
  throw new InvalidArgumentError('It must be the URL of an overlay, with parameters of a look.');
}

async function readImage(path: string): Promise<Buffer> {
  return readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailure(`Cannot read ${path} (${error.code}).`);
  });
}

function linesOfLook({ name, look, logo, ground }: Show, { relay }: Call): string[] {
  const images = Object.entries({ logo, 'ground image': ground }).filter(([, path]) => path);
  const lines = [...lookQuery(look ?? {}), ...images.map(([what, path]) => [what, relay + path])];
  if (lines.length === 0) return [`${name}: no look`];
  return lines.map(([parameter = '', value = '']) => safeText(`${parameter.padEnd(11)} ${value}`));
}

function switched({ on_air }: Show, { subject, relay }: Call): string[] {
  if (on_air === null) return [`${subject}: no poll on air`];
  return [`${subject}: ${on_air} on air at ${relay}/overlay/show/${subject}`];
}

function lineOfLinks({ chat }: Show, { subject }: Call): string[] {
  const names = chat.map(({ platform, channel }) => `${platform} ${channel}`);
  return [safeText(`${subject}: ${names.join(', ') || 'no chat is linked'}`)];
}

/** Describes the poll on air, such as " closed, revealed from place 3". */
function stateOf(poll: Reply<'PressedShow'>['poll']): string {
  if (!poll) return '';
  const { status, results_visibility, revealed_from } = poll;
  if (revealed_from !== undefined) return ` ${status}, revealed from place ${revealed_from}`;
  return results_visibility === 'always' ? ` ${status}` : ` ${status}, results hidden`;
}

/** Such as "twitch fridaynight  connected, 12 messages a second, 341 votes". */
function lineOfChat(chat: NonNullable<Show['chat_state']>[number]): string {
  const { platform, channel, state, fault, messages_per_second: messages, votes, lost, early, late } = chat;
  const reason = fault === null ? '' : ` (${fault})`;
  const losses = (lost > 0 ? `, ${lost} lost` : '') + (early > 0 ? `, ${early} before the opening` : '');
  const lateness = late === null ? '' : `, messages ${late} s late`;
  return safeText(
    `${platform} ${channel}  ${state}${reason}, ${messages} messages a second, ${votes} votes${losses}${lateness}`,
  );
}

function choice(flags: string, what: string): Option {
  return new Option(`${flags} <on|off>`, what).argParser((text: string) => {
    if (text === 'on' || text === 'off') return text === 'on';
    throw new InvalidArgumentError('It must be on or off.');
  });
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off';
}

function lineOf(poll: Reply<'Rundown'>['rundown'][number], onAir: string | null): string {
  const mark = poll.id === onAir ? '>' : ' ';
  if (poll.gone) return `${mark} ${poll.id}  deleted`;
  const votes = poll.total_votes === null ? '' : `, ${poll.total_votes} votes`;
  const hidden = poll.results_visibility === 'always' ? '' : ', hidden';
  return `${mark} ${poll.id}  ${poll.status}${hidden}${votes}  ${safeText(poll.title)}`;
}

/** The addresses of a new show, each on a line. The desk's contains the key, which is shown only once. */
function linksOf({ links, show_key: key, join_code: code }: NewShow): string[] {
  return [
    `desk      ${links.desk.split('#')[0]}#key=${key}`,
    `overlay   ${links.overlay}`,
    `vote      ${links.vote}`,
    ...(code === undefined ? [] : [`join code ${formatJoinCode(code)}`]),
    `show key  ${key}`,
  ];
}

const EXAMPLES = examples(
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
  'tallycast show open friday-night --closes-in 60s',
  'tallycast show close friday-night',
  'tallycast show step friday-night',
  'tallycast show reveal friday-night',
  'tallycast show clear friday-night',
  'tallycast show undo friday-night',
  'tallycast show link friday-night twitch your_channel',
  'tallycast show chats friday-night',
  'tallycast show unlink friday-night twitch your_channel',
  'tallycast show look friday-night --theme light --accent 1e90ff --logo logo.png',
  'tallycast show look friday-night --from "https://relay.example/overlay/rehearsal?style=donut"',
  'tallycast show new-key friday-night',
  'tallycast show delete friday-night',
);
