import { createHash } from 'node:crypto';
import { constants, createReadStream, type ReadStream } from 'node:fs';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import { type Archive, STORE_FILE } from '../engine/engine.ts';
import { openEngine } from '../engine/open-engine.ts';
import { kindOfRecord } from '../engine/record-names.ts';
import { toStoredPoll } from '../poll/poll.ts';
import { ArchiveFault, type ArchiveItem, FORMAT, parseLine } from './archive-schema.ts';

/** An archive as a file: lines of JSON between a header with the format and an end with the checksum. */

type ReadableArchive = Pick<Archive, 'readRecords' | 'listPolls' | 'readPoll'>;

/** Progress of an export. The totals are unknown. */
export interface ArchiveCounts {
  records: number;
  polls: number;
  ballots: number;
}

const GZIP = Buffer.of(0x1f, 0x8b);
const BRACE = '{'.charCodeAt(0);
/** Longer than any line: a kept reply has 128 KiB before encryption, a hundred thousand digests 1.9 MB. */
const MAX_LINE = 16 * 1024 * 1024;
/** Ballots compress about 6 : 1, one repeated byte 1000 : 1. Files below the first bound are always read. */
const FREE_BYTES = 32 * 1024 * 1024;
const MAX_EXPANSION = 100;

/** Detects the kind by the first bytes; `copy` is a snapshot of the embedded engine. */
async function kindOfFile(path: string): Promise<'lines' | 'gzip' | 'copy'> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
    if (bytesRead < 2) throw new ArchiveFault(`${path} is empty`);
    if (buffer.equals(GZIP)) return 'gzip';
    return buffer[0] === BRACE ? 'lines' : 'copy';
  } finally {
    await file.close();
  }
}

async function* itemsOf(
  archive: ReadableArchive,
  counts?: ArchiveCounts,
): AsyncIterable<readonly ArchiveItem[]> {
  for await (const record of archive.readRecords(name => kindOfRecord(name) !== undefined)) {
    if (counts) counts.records += 1;
    yield [record];
  }
  for await (const id of archive.listPolls())
    for await (const batch of archive.readPoll(id)) {
      if (counts)
        for (const { type } of batch)
          if (type === 'poll') counts.polls += 1;
          else if (type === 'ballot') counts.ballots += 1;
      yield batch;
    }
}

export async function* writeLines(
  archive: ReadableArchive,
  counts: ArchiveCounts,
  nowMs: number,
): AsyncIterable<string> {
  const sum = createHash('sha256');
  const summed = (items: readonly object[]) => {
    const text = items.map(item => `${JSON.stringify(item)}\n`).join('');
    sum.update(text);
    return text;
  };
  yield summed([{ type: 'tallycast', format: FORMAT, writtenAtMs: nowMs }]);
  for await (const batch of itemsOf(archive, counts))
    yield summed(batch.map(item => ('poll' in item ? { ...item, poll: toStoredPoll(item.poll) } : item)));
  yield `${JSON.stringify({ type: 'end', ...counts, sha256: sum.digest('hex') })}\n`;
}

/**
 * @throws ArchiveFault if the file is not an archive, has another format, or is truncated or
 *   changed; the latter at the end
 */
async function* readLines(path: string, kind: 'lines' | 'gzip'): AsyncIterable<readonly ArchiveItem[]> {
  const bytes = createReadStream(path);
  const sum = createHash('sha256');
  let number = 0;
  let isEnded = false;
  for await (const lines of linesOf(kind === 'gzip' ? expand(bytes) : bytes)) {
    const items: ArchiveItem[] = [];
    for (const bytesOfLine of lines) {
      number += 1;
      const parsed = parseLine(bytesOfLine.toString(), number);
      if (isEnded) throw new ArchiveFault(`Line ${number} follows the end of the archive`);
      if ((number === 1) !== (parsed.type === 'tallycast'))
        throw new ArchiveFault(
          `Line ${number} is out of place: the header must be the first line, and no other`,
        );
      if (parsed.type === 'end') {
        if (parsed.sha256 !== sum.digest('hex'))
          throw new ArchiveFault('The file was changed: its checksum does not match');
        isEnded = true;
      } else {
        sum.update(bytesOfLine).update('\n');
        if (parsed.type !== 'tallycast') items.push(parsed);
      }
    }
    yield items;
  }
  if (!isEnded) throw new ArchiveFault('The file is truncated: its last line is missing');
}

/** @throws ArchiveFault once the text is too long for the size of the file */
async function* expand(file: ReadStream): AsyncIterable<Buffer> {
  const text = file.pipe(createGunzip());
  file.on('error', error => text.destroy(error));
  let expanded = 0;
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      expanded += chunk.length;
      if (expanded > FREE_BYTES && expanded > file.bytesRead * MAX_EXPANSION)
        throw new ArchiveFault(
          `The file expands more than ${MAX_EXPANSION} times, which no archive does. If you trust it, unpack it with gunzip first`,
        );
      yield chunk;
    }
  } finally {
    file.destroy();
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer[]> {
  let pieces: Buffer[] = [];
  let pending = 0;
  try {
    for await (const chunk of chunks) {
      const lines: Buffer[] = [];
      let from = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
        lines.push(Buffer.concat([...pieces, chunk.subarray(from, at)]));
        pieces = [];
        pending = 0;
        from = at + 1;
      }
      pieces.push(chunk.subarray(from));
      pending += chunk.length - from;
      if (pending > MAX_LINE) throw new ArchiveFault('A line is too long: the file is not an archive');
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (error instanceof ArchiveFault) throw error;
    throw new ArchiveFault(`The file cannot be read: ${(error as Error).message}`);
  }
  if (pending > 0) yield [Buffer.concat(pieces)];
}

interface OpenedArchive {
  readonly items: () => AsyncIterable<readonly ArchiveItem[]>;
  close(): Promise<void>;
}

/** Opens an export or a snapshot of the embedded engine. @throws ArchiveFault for any other file */
export async function openArchive(path: string): Promise<OpenedArchive> {
  const kind = await kindOfFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new ArchiveFault(`There is no file ${path}`);
    throw error;
  });
  if (kind !== 'copy') return { items: () => readLines(path, kind), close: async () => {} };
  return openCopy(path);
}

/** LMDB writes to the file that it opens, so it gets a copy. */
async function openCopy(path: string): Promise<OpenedArchive> {
  const folder = await mkdtemp(join(tmpdir(), 'tallycast-restore-'));
  try {
    await copyFile(path, join(folder, STORE_FILE), constants.COPYFILE_FICLONE);
    const engine = await openEngine({ dataDir: folder, beside: 'copy' });
    return {
      items: () => itemsOf(engine.archive),
      async close() {
        await engine.close();
        await rm(folder, { recursive: true, force: true });
      },
    };
  } catch (cause) {
    await rm(folder, { recursive: true, force: true });
    // Without the folder of the copy, which the outer error names.
    const { cause: reason = cause } = cause as Error;
    throw new ArchiveFault(`${path} cannot be read as an archive: ${(reason as Error).message}`, {
      cause: reason,
    });
  }
}
