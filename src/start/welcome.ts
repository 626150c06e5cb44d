import { styleText } from 'node:util';
import { type QrCode, qrCode } from '../http/qr-code.ts';
import { type Config, settingsOf } from './config.ts';

/**
 * Returns what a terminal shows after a start: addresses, and a command to create a poll.
 *
 * @param lan with `--lan`: addresses of this machine in its network
 */
export function welcome(config: Config, lan?: readonly string[]): string {
  const { relayUrl, voteUrl } = settingsOf(config);
  const poll = { title: 'Which song next?', answers: ['Waterloo', 'Volare'], mip: true, priv: true };
  const engine = config.REDIS_URL === undefined ? `embedded engine in ${config.DATA_DIR}` : 'redis engine';
  const relay = [`  Relay    ${relayUrl}`, `  Overlay  ${relayUrl}/overlay`];
  const voting = [`  Voting   ${voteUrl}`, `  Create   ${voteUrl}/new`];
  const hasRelay = config.ROLE === 'all' || config.ROLE === 'relay';
  const create = [
    '',
    '  Create a poll:',
    '',
    `  curl ${relayUrl}/api/poll -H 'Content-Type: application/json' -d '${JSON.stringify({ poll })}'`,
  ];
  return [
    '',
    `  Tallycast is running (${engine})`,
    '',
    ...(hasRelay ? relay : []),
    ...(config.ROLE === 'all' || config.ROLE === 'voting' ? voting : []),
    ...(hasRelay ? create : []),
    ...(lan ? ['', ...lanLines(config, voteUrl, lan)] : []),
    '',
    '',
  ].join('\n');
}

function lanLines(config: Config, voteUrl: string, [first, ...others]: readonly string[]): string[] {
  if (first === undefined) return ['  This machine is in no network: links open on this computer only'];
  const mayCreate = config.CREATE_REQUIRES_KEY
    ? 'can vote. Creating polls takes a key'
    : 'can vote and create polls (CREATE_REQUIRES_KEY=true asks for a key)';
  return [
    ...terminalCode(qrCode(voteUrl)),
    '',
    `  Scan it with a phone: anyone in your network ${mayCreate}`,
    '  If the address of this machine changes, new links follow it. Printed codes do not',
    ...(others.length > 0 ? [`  Other addresses of this machine: ${others.join(', ')}`] : []),
  ];
}

const HALF_BLOCKS = [' ', '\u2584', '\u2580', '\u2588'];

/** A QR code as lines of text, two modules above each other in a character. Black on white on any terminal. */
function terminalCode({ modules, isDark }: QrCode): string[] {
  return Array.from({ length: Math.ceil(modules / 2) }, (_, row) => {
    const line = Array.from({ length: modules }, (__, x) => {
      const [upper, lower] = [isDark(x, row * 2), isDark(x, row * 2 + 1)];
      return HALF_BLOCKS[(upper ? 2 : 0) + (lower ? 1 : 0)];
    });
    return `  ${styleText(['black', 'bgWhiteBright'], line.join(''))}`;
  });
}
