import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** Redis without a client of ours, so that what is measured is Redis. */

export interface Listeners {
  /** How many messages came, at all of them together. */
  readonly heard: number;
  close(): void;
}

const CHANNEL_MESSAGE = Buffer.from('$7\r\nmessage\r\n');

/** Connections that have subscribed to a channel, as so many relays have that watch a poll. */
export async function listen(port: number, channel: string, count: number): Promise<Listeners> {
  const sockets: Socket[] = [];
  let heard = 0;
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`SUBSCRIBE ${channel}\r\n`);
    await once(socket, 'data');
    // A message that is cut in two is not counted: some of many thousands.
    socket.on('data', (data: Buffer) => {
      for (let at = data.indexOf(CHANNEL_MESSAGE); at >= 0; at = data.indexOf(CHANNEL_MESSAGE, at + 1))
        heard += 1;
    });
  }
  return {
    get heard() {
      return heard;
    },
    close() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** What Redis says that its data take, in bytes. */
export async function usedMemory(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write('INFO memory\r\n');
  let reply = '';
  while (!/used_memory:\d+\r\n/.test(reply)) reply += `${(await once(socket, 'data'))[0]}`;
  socket.destroy();
  return Number(/used_memory:(\d+)/.exec(reply)?.[1]);
}
