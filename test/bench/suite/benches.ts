import { ballots } from './ballots.ts';
import type { Bench } from './bench.ts';
import { bytes } from './bytes.ts';
import { crowd } from './crowd.ts';
import { desk } from './desk.ts';
import { fanOut } from './fan-out.ts';
import { frames } from './frames.ts';
import { hall } from './hall.ts';
import { hints } from './hints.ts';
import { hundredThousand } from './hundred-thousand.ts';
import { overload } from './overload.ts';
import { pixel } from './pixel.ts';
import { read } from './read.ts';
import { rush } from './rush.ts';
import { simulated } from './simulated.ts';
import { start } from './start.ts';
import { storm } from './storm.ts';
import { switches } from './switches.ts';
import { upgrades } from './upgrades.ts';
import { logs, verifiable } from './verifiable.ts';
import { voiding } from './voiding.ts';
import { voters } from './voters.ts';
import { webhooks, webhooksBeside } from './webhooks.ts';
import { workers } from './workers.ts';

export const BENCHES: readonly Bench[] = [
  fanOut,
  crowd,
  ballots,
  hints,
  storm,
  switches,
  read,
  start,
  workers,
  overload,
  pixel,
  frames,
  desk,
  voters,
  voiding,
  verifiable,
  logs,
  bytes,
  hundredThousand,
  upgrades,
  simulated,
  rush,
  hall,
  webhooks,
  webhooksBeside,
];
