import { amtool, promtool } from './monitoring.ts';

/** Vitest global setup: installs the monitoring tools before the workers start, which would wait for one another's apt lock. */
export default function setup(): void {
  promtool();
  amtool();
}
