import { ballots } from './ballots.ts';
import type { Bench } from './bench.ts';
import { changes } from './changes.ts';
import { chat } from './chat.ts';
import { crowd } from './crowd.ts';
import { fanOut } from './fan-out.ts';
import { frames } from './frames.ts';
import { hall } from './hall.ts';
import { pictures } from './pictures.ts';
import { storm } from './storm.ts';
import { verifiable } from './verifiable.ts';
import { waiting } from './waiting.ts';
import { webhooks } from './webhooks.ts';
import { workers } from './workers.ts';

export const BENCHES: readonly Bench[] = [
  fanOut,
  crowd,
  ballots,
  storm,
  workers,
  frames,
  verifiable,
  changes,
  webhooks,
  chat,
  hall,
  waiting,
  pictures,
];
