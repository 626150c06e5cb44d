import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { findFreePort } from '../../support/free-port.ts';
import { mqttConnect, TOPIC } from '../load/dial.ts';
import { end, findProgram, launch } from '../system/children.ts';
import type { Contender, RunningContender } from './contender.ts';
import { listens } from './probe.ts';
import { FIRST_VERSION, sampleResults } from './sample-results.ts';
import { writeSettings } from './write-settings.ts';

/** Message brokers that speak WebSocket, published to over their own TCP protocol. */

interface Broker {
  readonly program: string;
  readonly tongue: 'nats' | 'mqtt';
  readonly path: string;
  args(file: string): string[];
  configuration(port: number, websocketPort: number): string;
  hello(): Buffer;
  message(text: string): Buffer;
}

export const nats: Contender = contender('NATS', {
  program: 'nats-server',
  tongue: 'nats',
  path: '/',
  args: file => ['-c', file],
  configuration: (port, websocketPort) => `
    listen: "127.0.0.1:${port}"
    ping_interval: "10m"
    websocket { listen: "127.0.0.1:${websocketPort}", no_tls: true }`,
  hello: () => Buffer.from('CONNECT {"verbose":false,"pedantic":false}\r\n'),
  message: text => Buffer.from(`PUB ${TOPIC} ${Buffer.byteLength(text)}\r\n${text}\r\n`),
});

export const mosquitto: Contender = contender('Mosquitto', {
  program: 'mosquitto',
  tongue: 'mqtt',
  path: '/mqtt',
  args: file => ['-c', file],
  configuration: (port, websocketPort) =>
    [
      ...(process.getuid?.() === 0 ? ['user root'] : []),
      ...['allow_anonymous true', 'persistence false', 'log_type none', 'max_connections -1'],
      `listener ${port} 127.0.0.1`,
      ...[`listener ${websocketPort} 127.0.0.1`, 'protocol websockets'],
    ].join('\n'),
  hello: () => mqttConnect('bench-publisher'),
  message(text) {
    const body = Buffer.concat([Buffer.from([0, TOPIC.length, ...Buffer.from(TOPIC)]), Buffer.from(text)]);
    return Buffer.concat([Buffer.from([0x30, 0x80 | (body.length & 0x7f), body.length >> 7]), body]);
  },
});

function contender(name: string, broker: Broker): Contender {
  return {
    name,
    findObstacle: () => (findProgram(broker.program) ? undefined : `there is no ${broker.program} here`),
    start: () => start(broker),
  };
}

async function start(broker: Broker): Promise<RunningContender> {
  const port = await findFreePort();
  const websocketPort = await findFreePort();
  const settings = await writeSettings('broker.conf', () => broker.configuration(port, websocketPort));
  const child = launch(findProgram(broker.program) ?? '', broker.args(settings.file));
  const up = (await listens(port, 5_000)) && (await listens(websocketPort, 5_000));
  if (!up) throw new Error(`${broker.program} does not listen`);
  const publisher = await openPublisher(port, broker);
  let version = FIRST_VERSION;
  return {
    dial: { port: websocketPort, path: broker.path, tongue: broker.tongue },
    pids: () => [child.pid ?? 0],
    async publish() {
      version += 1;
      publisher.write(broker.message(sampleResults(version)));
      return version;
    },
    async stop() {
      publisher.destroy();
      await end(child);
      await settings.remove();
    },
  };
}

async function openPublisher(port: number, broker: Broker): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', data => {
    // NATS asks for signs of life.
    if (data.toString('latin1').startsWith('PING')) socket.write('PONG\r\n');
  });
  await once(socket, 'connect');
  socket.write(broker.hello());
  return socket;
}
