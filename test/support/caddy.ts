import { type BehindTheDoor, type DoorProgram, type FrontDoor, startDoor } from './front-door.ts';
import { programPath } from './programs.ts';

const CADDY: DoorProgram = {
  file: 'Caddyfile',
  joinsHosts: true,
  listen: address => `http://:${address.split(':').at(-1)}`,
  adapt: (text, _, accessLog) =>
    text.replace('(common) {', `(common) {\n\tlog {\n\t\toutput file ${accessLog}\n\t}`),
  start: (file, folder, [relay = '', vote = ''], options = '') => [
    programPath('caddy'),
    ['run', '--config', file, '--adapter', 'caddyfile'],
    {
      env: {
        ...process.env,
        // Its data, and nothing at addresses that others may have.
        HOME: folder,
        XDG_DATA_HOME: folder,
        XDG_CONFIG_HOME: folder,
        CADDY_GLOBAL_OPTIONS: `default_bind 127.0.0.1\nadmin off\nskip_install_trust\n${options}`,
        RELAY_SITE: site(relay),
        VOTE_SITE: site(vote),
      },
    },
  ],
  readLine(line) {
    const { status, request } = JSON.parse(line);
    return `${status} ${request.method} ${request.uri}`;
  },
  pids: pid => [pid],
};

/** As in docker-compose.yml. */
function site(url: string): string {
  return new URL(url).pathname === '/' ? url : `${url}*`;
}

export function startCaddy(behind: BehindTheDoor): Promise<FrontDoor> {
  return startDoor(CADDY, behind);
}
