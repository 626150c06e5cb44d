import type { Command } from 'commander';
import { askRelay, type RelayRequest } from '../ask-relay.ts';
import { examples } from '../examples.ts';
import { pollTarget } from '../poll-target.ts';
import { print } from '../print.ts';
import { addRelayOptions, environmentKey, type RelayOptions } from '../relay-options.ts';
import { safeText } from '../terminal-text.ts';

interface ShowOptions extends RelayOptions {
  readonly json?: boolean;
}

interface ShowBody {
  readonly name: string;
  readonly title: string;
  readonly on_air: string | null;
}

interface NewShow extends ShowBody {
  readonly show_key: string;
  readonly links: Readonly<Record<'overlay' | 'vote' | 'desk', string>>;
}

const OWNERS_KEY = "the key of the show, or an operator's";

export function addShowCommands(program: Command): void {
  const show = program
    .command('show')
    .description('shows: named places on air, which overlays follow')
    .addHelpText(
      'after',
      examples(
        'tallycast show create friday-night --title "Friday Night Live"',
        'TALLYCAST_KEY=show_… tallycast show point friday-night <poll id>',
        'TALLYCAST_KEY=show_… tallycast show clear friday-night',
        'tallycast show status friday-night --json',
        'TALLYCAST_KEY=show_… tallycast show delete friday-night',
      ),
    );
  const command = (name: string, what: string, keys = OWNERS_KEY) =>
    addRelayOptions(
      show.command(name).description(what).argument('<show>', 'name of the show: a-z, 0-9 and -'),
      keys,
    );

  command(
    'create',
    'take the name of a show; its key is shown this once',
    "an operator's, where creating needs one",
  )
    .option('--title <title>', 'what it is called')
    .action(async (name: string, { title }, self: Command) => {
      const body = { show: { name, ...(title !== undefined && { title }) } };
      const made = await ask<NewShow>(self, '', { method: 'POST', body });
      print(self, made, [
        `${made.name} is yours.`,
        `overlay   ${made.links.overlay}`,
        `show key  ${made.show_key}`,
      ]);
    });

  command('status', 'say what is on air').action(async (name: string, _, self: Command) => {
    const body = await ask<ShowBody>(self, name);
    print(self, body, [body.on_air === null ? `${name} shows nothing` : `${name} shows ${body.on_air}`]);
  });

  command('point', 'put a poll on air: every overlay that follows the show switches at once')
    .argument('<poll>', 'id or URL of the poll')
    .action(async (name: string, poll: string, _, self: Command) => {
      const { id } = pollTarget(poll, self.optsWithGlobals<ShowOptions>().url);
      await pointShow(self, name, id);
    });

  command('clear', 'put nothing on air').action((name: string, _, self: Command) =>
    pointShow(self, name, null),
  );

  command('delete', 'give the name back; its polls stay').action(async (name: string, _, self: Command) => {
    print(self, await ask(self, name, { method: 'DELETE' }), [`${name} is free again`]);
  });
}

async function pointShow(self: Command, name: string, id: string | null): Promise<void> {
  const body = await ask<ShowBody>(self, name, { method: 'PATCH', body: { show: { on_air: id } } });
  const overlay = `${self.optsWithGlobals<ShowOptions>().url}/overlay/show/${name}`;
  print(self, body, [id === null ? `${name} shows nothing now` : `${name} shows ${id} now: ${overlay}`]);
}

function ask<T>(self: Command, name: string, request?: RelayRequest): Promise<T> {
  const { url, key } = self.optsWithGlobals<ShowOptions>();
  const asked = `${url}/api/show${name && `/${encodeURIComponent(safeText(name))}`}`;
  return askRelay<T>(asked, { ...request, key: key ?? environmentKey(asked, url) });
}
