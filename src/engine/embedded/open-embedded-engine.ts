import { DataLock } from './data-lock.ts';
import { EmbeddedEngine } from './embedded-engine.ts';
import { openTables } from './embedded-tables.ts';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** 0 keeps polls for ever. */
  readonly retentionDays: number;
}

/** @throws Error where the directory cannot be written, or another process uses it */
export async function openEmbeddedEngine({
  dataDir,
  retentionDays,
}: EmbeddedOptions): Promise<EmbeddedEngine> {
  const lock = await DataLock.take(dataDir);
  const engine = new EmbeddedEngine(openTables(dataDir), lock, retentionDays);
  await engine.tidy();
  return engine;
}
