import { bareSend } from './bare-send.ts';
import { mosquitto, nats } from './brokers.ts';
import type { Contender } from './contender.ts';
import { nchan } from './nchan.ts';
import { socketIo, wsBroadcast } from './node-controls.ts';
import { tallycast, tallycastByDefault, tallycastCompact } from './tallycast.ts';
import { centrifugo, mercure } from './web-hubs.ts';

/** All servers that send one poll's results to many. */
export const CONTENDERS: readonly Contender[] = [
  tallycast,
  tallycastByDefault,
  tallycastCompact,
  bareSend,
  wsBroadcast,
  socketIo,
  nchan,
  nats,
  mosquitto,
  centrifugo,
  mercure,
];

export const OURS = tallycast.name;
export const OURS_BY_DEFAULT = tallycastByDefault.name;
export const OURS_COMPACT = tallycastCompact.name;
export const FLOOR = bareSend.name;
export const WS_LOOP = wsBroadcast.name;
/** What people would use instead. */
export const PEERS = [wsBroadcast, socketIo, nchan, nats, mosquitto, centrifugo, mercure].map(
  ({ name }) => name,
);
