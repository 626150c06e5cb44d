/** How to reach a server, and what has to be said before it sends anything. */
export interface Dial {
  readonly port: number;
  readonly path: string;
  readonly tongue: 'plain' | 'socket-io' | 'nats' | 'mqtt' | 'centrifugo' | 'sse';
}

export const TOPIC = 'poll';
/** Every socket may use the same: the server only echoes a hash of it. */
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const MQTT_SUBSCRIBE = Buffer.from([0x82, 9, 0, 1, 0, 4, ...Buffer.from(TOPIC), 0]);

export function upgradeRequest({ port, path, tongue }: Dial): string {
  if (tongue === 'sse')
    return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n\r\n`;
  const subprotocol = tongue === 'mqtt' ? 'Sec-WebSocket-Protocol: mqtt\r\n' : '';
  return (
    `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: ${KEY}\r\nSec-WebSocket-Version: 13\r\n${subprotocol}\r\n`
  );
}

/** What to say once the connection is upgraded. */
export function openingWords({ tongue }: Dial, serial: number): Buffer | undefined {
  if (tongue === 'mqtt') return clientFrame(mqttConnect(`bench-${process.pid}-${serial}`), 2);
  if (tongue === 'centrifugo')
    return clientFrame(
      Buffer.from(`{"id":1,"connect":{}}\n{"id":2,"subscribe":{"channel":"${TOPIC}","recover":true}}`),
      1,
    );
  return undefined;
}

/** What to reply to a message that is not an update: greetings and signs of life. */
export function replyTo({ tongue }: Dial, message: Buffer): Buffer | undefined {
  if (tongue === 'socket-io') {
    if (message[0] === 0x30) return clientFrame(Buffer.from('40'), 1);
    if (message.length === 1 && message[0] === 0x32) return clientFrame(Buffer.from('3'), 1);
  } else if (tongue === 'nats') {
    const text = message.toString('latin1');
    if (text.startsWith('INFO'))
      return clientFrame(Buffer.from(`CONNECT {"verbose":false,"pedantic":false}\r\nSUB ${TOPIC} 1\r\n`), 2);
    if (text.startsWith('PING')) return clientFrame(Buffer.from('PONG\r\n'), 2);
  } else if (tongue === 'centrifugo') {
    if (message.length === 2) return clientFrame(Buffer.from('{}'), 1);
  } else if (tongue === 'mqtt' && message[0] === 0x20) return clientFrame(MQTT_SUBSCRIBE, 2);
  return undefined;
}

/** Masked with zeros, as the protocol allows: the payload stays as it is. */
export function clientFrame(payload: Buffer, opcode: number): Buffer {
  const short = payload.length < 126;
  const head = Buffer.alloc(short ? 6 : 8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | (short ? payload.length : 126);
  if (!short) head.writeUInt16BE(payload.length, 2);
  return Buffer.concat([head, payload]);
}

/** MQTT 3.1.1, a clean session without keep-alive. */
export function mqttConnect(clientId: string): Buffer {
  const body = Buffer.from([
    0,
    4,
    ...Buffer.from('MQTT'),
    4,
    2,
    0,
    0,
    0,
    clientId.length,
    ...Buffer.from(clientId),
  ]);
  return Buffer.concat([Buffer.from([0x10, body.length]), body]);
}
