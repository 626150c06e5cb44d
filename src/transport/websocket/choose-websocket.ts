import type { FastifyBaseLogger } from 'fastify';
import { tryLean } from './lean/lean-trial.ts';
import { LeanWebSocket } from './lean/lean-websocket.ts';
import { PlainWebSocket } from './plain-websocket.ts';
import type { WebsocketClass } from './upgrade-owner.ts';

/** `lean` leans on private parts of Node and `ws`, where they are as known; `plain` never does. */
export type WebsocketKind = 'lean' | 'plain';

/** The WebSockets of a relay: those that were asked for, or on a Node or `ws` where they do not work, plain ones. */
export async function chooseWebsocket(kind: WebsocketKind, log: FastifyBaseLogger): Promise<WebsocketClass> {
  if (kind === 'plain') return PlainWebSocket;
  const { isLean, faults } = await tryLean(reason => log.warn(`frames go through public streams: ${reason}`));
  if (faults.length > 0)
    log.warn(`${isLean ? 'frames go through public streams' : 'WebSockets are plain'}: ${faults.join('; ')}`);
  return isLean ? LeanWebSocket : PlainWebSocket;
}
