import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Two ends of one TCP connection. */
export async function openSocketPair(): Promise<{ near: Socket; far: Socket }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const far = connect(port, '127.0.0.1');
  const [near] = (await once(server, 'connection')) as [Socket];
  server.close();
  return { near, far };
}
