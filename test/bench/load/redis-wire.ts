import { once } from 'node:events';
import { connect } from 'node:net';

/** What Redis says that its data take, in bytes. */
export async function usedMemory(port: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  socket.write('INFO memory\r\n');
  let reply = '';
  while (!/used_memory:\d+\r\n/.test(reply)) reply += `${(await once(socket, 'data'))[0]}`;
  socket.destroy();
  return Number(/used_memory:(\d+)/.exec(reply)?.[1]);
}
