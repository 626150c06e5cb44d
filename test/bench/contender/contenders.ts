import { bareSend } from './bare-send.ts';
import { mosquitto, nats } from './brokers.ts';
import type { Contender } from './contender.ts';
import { nchan } from './nchan.ts';
import { socketIo, wsBroadcast } from './node-controls.ts';
import { tallycast } from './tallycast.ts';

/** Everyone who sends one poll's results to many. */
export const CONTENDERS: readonly Contender[] = [
  tallycast,
  bareSend,
  wsBroadcast,
  socketIo,
  nchan,
  nats,
  mosquitto,
];

export const FLOOR = bareSend.name;
export const OURS = tallycast.name;
/** What people would use instead: everyone but us and the floor. */
export const PEERS = CONTENDERS.filter(({ name }) => name !== FLOOR && name !== OURS).map(({ name }) => name);
