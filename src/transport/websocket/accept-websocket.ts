import type { WebSocket } from 'ws';
import { BadMessage, type CloseEvent, TooMany } from '../../protocol/close-event.ts';
import { Connection } from '../connection.ts';
import { errorFrame } from '../error-frame.ts';
import type { Roster } from '../roster.ts';
import { WebsocketWire } from './websocket-wire.ts';

/** What a connection carries. */
export interface Session {
  /** A text message of the other side. Answers with the event that must end the connection, if any. */
  message(text: string): CloseEvent | undefined;
  /** The connection is gone. */
  close(): void;
}

/**
 * Takes over an upgraded socket. Listeners are attached before anything is awaited: what comes in first would be lost.
 *
 * @returns undefined where the address has too many connections already
 */
export function acceptWebsocket(socket: WebSocket, roster: Roster, address: string): Connection | undefined {
  // Errors come before a close, which is enough to know; and the listener that was here holds on to the whole request.
  socket.removeAllListeners('error');
  socket.on('error', ignore);
  const connection = new Connection(new WebsocketWire(socket), performance.now());
  if (!roster.hasRoomFor(address)) {
    refuse(connection, TooMany);
    return undefined;
  }
  roster.add(connection, address);
  socket.on('close', () => roster.remove(connection));
  socket.on('pong', () => connection.heard(performance.now()));
  return connection;
}

/** Told in words first, because a browser shows a page nothing of a failed upgrade. */
export function refuse(connection: Connection, event: CloseEvent, id?: string, message?: string): void {
  const frame = errorFrame(event, id, message);
  if (frame) connection.say(frame);
  connection.close(event);
}

export function serve(socket: WebSocket, connection: Connection, session: Session): void {
  socket.on('close', () => session.close());
  socket.on('message', (data, isBinary) => {
    connection.heard(performance.now());
    const event = isBinary ? BadMessage : session.message(data.toString());
    if (event) refuse(connection, event);
  });
}

function ignore(): void {}
