import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import type { Reply } from '../api/replies.ts';
import type { Parameter } from '../picture/parameters.ts';
import { type Look, lookNames, lookOf, lookParameters, lookQuery } from '../picture/show-look.ts';
import { type ChatLink, otherLinks, parseChannel } from '../poll/chat-link.ts';
import { CHAT_PLATFORMS } from '../poll/chat-platform.ts';
import { formatJoinCode } from '../poll/join-code.ts';
import {
  addRelayOptions,
  askRelay,
  environmentKey,
  onOrOff,
  pollTarget,
  type RelayOptions,
  type RelayRequest,
  seconds,
} from './relay-request.ts';
import { CommandFailure, examples, print, readLocal, safeText } from './terminal.ts';

type Show = Reply<'WholeShow'>;

const OWNER_KEY = 'the key of the show or an operator key';

export function addShowCommands(program: Command): void {
  const show = program
    .command('show')
    .description('create and run shows, whose polls overlays follow')
    .addHelpText('after', EXAMPLES);
  const command = (name: string, what: string, keys = OWNER_KEY) =>
    addRelayOptions(
      show.command(name).description(what).argument('<show>', 'name of the show: a-z, 0-9 and -'),
      keys,
    );
  addOnAir(command);
  addChats(command);
  addRundown(command);
}

/** Adds a command about one show. */
type AddCommand = (name: string, what: string, keys?: string) => Command;

/** The show itself, and what is on air. */
function addOnAir(command: AddCommand): void {
  command(
    'create',
    'create a show; its key is shown only once',
    'an operator key, if CREATE_REQUIRES_KEY is set',
  )
    .option('--title <title>', 'title of the show')
    .option('--join-code', 'give the show a code of six digits, by which its audience finds it')
    .action(async (name: string, { title, joinCode }, self: Command) => {
      const body = { show: { name, title, join_code: joinCode } };
      const made = await ask<Reply<'CreatedShow'>>(self, '', { method: 'POST', body });
      print(self, made, [`Created ${made.name}.`, ...linksOf(made)]);
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
      const show = await ask<Reply<'SteppedShow'>>(self, name, { method: 'POST' }, `/${button}`);
      for (const id of show.skipped) console.error(`tallycast: skipped ${id}, which was deleted`);
      print(self, ...switched(self, name, show));
    });

  const press = (button: string, what: string, member: string, option: Option) =>
    command(button, what)
      .addOption(option)
      .action(async (name: string, given: Record<string, unknown>, self: Command) => {
        const body = { show: { [member]: given[option.attributeName()] } };
        const show = await ask<Reply<'PressedShow'>>(self, name, { method: 'POST', body }, `/${button}`);
        print(self, show, [`${name}: ${show.on_air}${stateOf(show.poll)}`]);
      });
  const closesIn = () =>
    new Option('--closes-in <time>', 'close after 90, 90s, 10m, 2h or 1d').argParser(seconds);
  press('open', 'open the poll on air', 'closes_in', closesIn());
  press('close', 'close the poll on air, at once or after a time', 'closes_in', closesIn());
  const to = new Option('--to <place>', 'reveal all down to this place').argParser(Number);
  press('step', 'reveal the next place of the poll on air, from the lowest up', 'to', to);
  const confirm = new Option('--confirm', 'also while voting is open');
  press('reveal', 'show all results of the poll on air', 'confirm', confirm);
  command('undo', 'take back the last press, of any desk or program').action(
    async (name: string, _, self: Command) => {
      const show = await ask<Reply<'UndoneShow'>>(self, name, { method: 'POST' }, '/undo');
      const { undone, on_air, poll } = show;
      if (undone?.seen) console.error('tallycast: viewers have already seen it');
      print(self, show, [
        `${name}: took back ${undone?.press}; ${on_air ?? 'nothing'} on air${stateOf(poll)}`,
      ]);
    },
  );
  command('options', 'change how the buttons of the show work')
    .addOption(onOrOff('--final-two', 'reveal the last two places together'))
    .addOption(onOrOff('--close-before-next', 'close an open poll when another one is taken'))
    .addOption(onOrOff('--join-code', 'give the show a code of six digits, or remove it'))
    .addHelpText('after', examples('tallycast show options friday-night --final-two on'))
    .action(async (name: string, { finalTwo, closeBeforeNext, joinCode }, self: Command) => {
      const show = { final_two: finalTwo, close_before_next: closeBeforeNext, join_code: joinCode };
      const body = await ask(self, name, { method: 'PATCH', body: { show } });
      print(self, body, [
        `${name}: final two ${onOff(body.final_two)}, close before next ${onOff(body.close_before_next)}, join code ${body.join_code === undefined ? 'none' : formatJoinCode(body.join_code)}`,
      ]);
    });
}

function addChats(command: AddCommand): void {
  command('chats', 'print the linked chats, whose messages are votes, with their state').action(
    async (name: string, _, self: Command) => {
      const body = await ask(self, name);
      if (!body.chat_state)
        throw new CommandFailure(`Chats need ${OWNER_KEY}: use --key or set TALLYCAST_KEY.`);
      const lines = body.chat_state.map(lineOfChat);
      print(self, body, lines.length === 0 ? ['No chat is linked'] : lines);
    },
  );
  /** @param others the links of the show without the named one */
  const changeChat = async (
    [name, platform, channel]: readonly [string, ChatLink['platform'], string],
    change: (others: readonly ChatLink[], link: ChatLink) => readonly ChatLink[],
    self: Command,
  ) => {
    const { chat: before, version } = await ask(self, name);
    const link = { platform, channel: parseChannel(platform, channel) ?? channel };
    // With the version, links that another desk adds meanwhile are not lost.
    const body = { show: { chat: change(otherLinks(before, link), link), version } };
    const show = await ask(self, name, { method: 'PATCH', body });
    const names = show.chat.map(one => `${one.platform} ${one.channel}`);
    print(self, show, [safeText(`${name}: ${names.join(', ') || 'no chat is linked'}`)]);
  };
  const chatCommand = (button: string, what: string) =>
    command(button, what)
      .addArgument(new Argument('<platform>', 'of the chat').choices(CHAT_PLATFORMS))
      .argument('<channel>', 'name or address of the channel; on YouTube of the live video, or a @handle');
  chatCommand('link', 'link a chat, whose messages are votes while a poll of the show is on air').action(
    (name, platform, channel, _, self: Command) =>
      changeChat([name, platform, channel], (others, link) => [...others, link], self),
  );
  chatCommand('unlink', 'unlink a chat').action((name, platform, channel, _, self: Command) =>
    changeChat([name, platform, channel], others => others, self),
  );
}

/** All polls of the show, and what else it has. */
function addRundown(command: AddCommand): void {
  command('rundown', 'print the polls of the rundown in order').action(
    async (name: string, _, self: Command) => {
      const body = await ask<Reply<'Rundown'>>(self, name, {}, '/rundown');
      const lines = body.rundown.map(poll => lineOf(poll, body.on_air));
      print(self, body, lines.length === 0 ? ['The rundown is empty'] : lines);
    },
  );

  command('results', 'print the results of all polls, as JSON or as CSV for a spreadsheet')
    .addOption(new Option('--format <format>', 'json or csv').choices(['json', 'csv']).default('json'))
    .addHelpText('after', examples('tallycast show results friday-night --format csv > friday-night.csv'))
    .action(async (name: string, { format }, self: Command) => {
      const body = await ask<unknown>(self, name, {}, `/results?format=${format}`);
      console.log(typeof body === 'string' ? body.trimEnd() : JSON.stringify(body));
    });

  command('copy', 'copy the show with its polls, look and images, without votes')
    .argument('<name>', 'name of the new show')
    .option('--title <title>', 'title of the new show, instead of that of the original')
    .addHelpText('after', examples('tallycast show copy friday-night saturday-night --title Saturday'))
    .action(async (name: string, to: string, { title }, self: Command) => {
      const body = { show: { name: to, title } };
      const made = await ask<Reply<'CopiedShow'>>(self, name, { method: 'POST', body }, '/copy');
      for (const id of made.left_out)
        console.error(`tallycast: left out ${id}, which was deleted or is not a poll of ${safeText(name)}`);
      print(self, made, [
        `Created ${made.name} with ${made.polls.length} ${made.polls.length === 1 ? 'poll' : 'polls'}.`,
        ...linksOf(made),
      ]);
    });

  command('order', 'set the polls of the rundown and their order')
    .argument('[polls...]', 'ids or URLs of all polls')
    .action(async (name: string, polls: string[], _, self: Command) => {
      const rundown = polls.map(poll => pollTarget(poll, self.optsWithGlobals<RelayOptions>().url).id);
      const body = await ask(self, name, { method: 'PATCH', body: { show: { rundown } } });
      print(self, body, [`${rundown.length} polls in the rundown of ${name}`]);
    });

  addLook(command('look', 'print or change the look that all overlays and voting pages share'));

  command('new-key', 'create a new key and revoke the old one').action(
    async (name: string, _, self: Command) => {
      const body = await ask<Reply<'NewShowKey'>>(self, name, { method: 'POST' }, '/show_key');
      print(self, body, [body.show_key]);
    },
  );

  command('delete', 'delete the show and keep its polls').action(async (name: string, _, self: Command) => {
    print(self, await ask(self, name, { method: 'DELETE' }), [`${name} deleted`]);
  });
}

interface LookOptions extends Record<string, unknown> {
  readonly from?: Look | undefined;
  readonly reset?: true | undefined;
  /** Paths of files; false removes the image. `ground` is a color of the look. */
  readonly logo?: string | false | undefined;
  readonly groundImage?: string | false | undefined;
}

/** An option for each parameter of a look. Those that are not named stay. */
function addLook(look: Command): void {
  for (const name of lookNames) {
    const parameter = lookParameters[name]!;
    look.addOption(
      new Option(`--${name} <value>`, describe(parameter)).argParser((value: string) => {
        if (lookOf(new URLSearchParams({ [name]: value }))[name] !== undefined) return value;
        throw new InvalidArgumentError(`It must be ${describe(parameter)}.`);
      }),
    );
  }
  look
    .option('--from <url>', 'replace the look by that of an overlay URL', lookOfUrl)
    .option('--reset', 'remove the look; the options above set a new one')
    .option('--logo <file>', 'replace the logo by a PNG, JPEG or WebP image of up to 200 KB')
    .option('--no-logo', 'remove the logo')
    .option(
      '--ground-image <file>',
      'replace the image behind full pictures: PNG, JPEG or WebP of up to 1 MB',
    )
    .option('--no-ground-image', 'remove the image behind full pictures')
    .action(async (name: string, options: LookOptions, self: Command) => {
      let show = await ask(self, name);
      const named = lookNames.filter(parameter => options[parameter] !== undefined);
      if (options.from || options.reset || named.length > 0) {
        const kept = options.from ?? (options.reset ? {} : (show.look ?? {}));
        const query = lookQuery(kept);
        for (const parameter of named) query.set(parameter, String(options[parameter]));
        show = await ask(self, name, { method: 'PATCH', body: { show: { look: lookOf(query) } } });
      }
      const images = { logo: options.logo, ground: options.groundImage };
      for (const [kind, file] of Object.entries(images)) {
        if (file === undefined) continue;
        const body = file === false ? undefined : await readLocal(file);
        const change = body ? ({ method: 'PUT', body } as const) : ({ method: 'DELETE' } as const);
        show = await ask(self, name, change, `/${kind}`);
      }
      print(self, show, linesOfLook(self, show));
    });
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

function linesOfLook(self: Command, { name, look, logo, ground }: Show): string[] {
  const { url } = self.optsWithGlobals<RelayOptions>();
  const images = Object.entries({ logo, 'ground image': ground }).filter(([, path]) => path);
  const lines = [...lookQuery(look ?? {}), ...images.map(([what, path]) => [what, url + path])];
  if (lines.length === 0) return [`${name}: no look`];
  return lines.map(([parameter = '', value = '']) => safeText(`${parameter.padEnd(11)} ${value}`));
}

const BUTTONS = [
  ['next', 'put the next poll of the rundown on air'],
  ['previous', 'put the previous poll on air'],
  ['clear', 'take the poll off air'],
] as const;

function switched(self: Command, name: string, show: Show): [Show, string[]] {
  if (show.on_air === null) return [show, [`${name}: no poll on air`]];
  const { url } = self.optsWithGlobals<RelayOptions>();
  return [show, [`${name}: ${show.on_air} on air at ${url}/overlay/show/${name}`]];
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

function ask<T = Show>(self: Command, name: string, request?: RelayRequest, path = ''): Promise<T> {
  const { url, key } = self.optsWithGlobals<RelayOptions>();
  const asked = `${url}/api/show${name && `/${encodeURIComponent(safeText(name))}`}${path}`;
  return askRelay<T>(asked, { ...request, key: key ?? environmentKey(asked, url) });
}

/** The addresses of a new show, each on a line. The desk's contains the key, which is shown only once. */
function linksOf({ links, show_key: key, join_code: code }: Reply<'CreatedShow'>): string[] {
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
  'tallycast poll create "Which song next?" Waterloo Volare --private --show friday-night',
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
