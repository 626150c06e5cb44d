import { bareSend } from './bare-send.ts';
import type { Contender } from './contender.ts';
import { wsBroadcast } from './node-controls.ts';
import { tallycast, tallycastCompact } from './tallycast.ts';

/** All servers that send one poll's results to many. */
export const CONTENDERS: readonly Contender[] = [tallycast, tallycastCompact, bareSend, wsBroadcast];

export const OURS = tallycast.name;
export const FLOOR = bareSend.name;
export const WS_LOOP = wsBroadcast.name;
