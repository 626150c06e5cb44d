import { createHash } from 'node:crypto';
import { createReadStream, type ReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import type { Archive } from '../engine/archive.ts';
import { toStoredPoll } from '../poll/stored-poll.ts';
import { ArchiveFault, type ArchiveItem, FORMAT, parseLine } from './archive-line.ts';
import { kindOfRecord } from './archived-records.ts';

/** An archive as a file: lines of JSON, the first and the last of which say what it is and that it is whole. */

/** How much of what there is has been done. Counts go up; nobody knows how far. */
export interface ArchiveCounts {
  records: number;
  polls: number;
  ballots: number;
}

const GZIP = Buffer.of(0x1f, 0x8b);
const BRACE = '{'.charCodeAt(0);
/** No line is longer: a record may hold a kept reply of 128 KiB, sealed, and a hundred thousand digests are 1.9 MB. */
const MAX_LINE = 16 * 1024 * 1024;
/** Ballots compress about six times; a file of one repeated byte a thousand times. Less than the first bound is always read. */
const FREE_BYTES = 32 * 1024 * 1024;
const MAX_EXPANSION = 100;

/** What a file begins with: `copy` is the embedded engine's own. @throws where it cannot be read */
export async function kindOfFile(path: string): Promise<'lines' | 'gzip' | 'copy'> {
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

/** Everything in an engine but its passing records. @param counts is kept up to date */
export async function* itemsOf(
  archive: Archive,
  counts?: ArchiveCounts,
): AsyncIterable<readonly ArchiveItem[]> {
  for await (const record of archive.readRecords(isLasting)) {
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

function isLasting(name: string): boolean {
  return kindOfRecord(name) !== undefined;
}

function toLine(item: ArchiveItem): object {
  return item.type === 'poll' ? { ...item, poll: toStoredPoll(item.poll) } : item;
}

/** The text of an archive, in pieces. */
export async function* writeLines(
  archive: Archive,
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
  for await (const batch of itemsOf(archive, counts)) yield summed(batch.map(toLine));
  yield `${JSON.stringify({ type: 'end', ...counts, sha256: sum.digest('hex') })}\n`;
}

/**
 * Reads an archive again.
 *
 * @throws ArchiveFault where it is none, of another format, cut off or changed: the last of it only at the end
 */
export async function* readLines(
  path: string,
  kind: 'lines' | 'gzip',
): AsyncIterable<readonly ArchiveItem[]> {
  const bytes = createReadStream(path);
  const sum = createHash('sha256');
  let number = 0;
  let isEnded = false;
  for await (const lines of linesOf(kind === 'gzip' ? expand(bytes) : bytes)) {
    const items: ArchiveItem[] = [];
    for (const bytesOfLine of lines) {
      number += 1;
      const parsed = parseLine(bytesOfLine.toString(), number);
      if (isEnded) throw new ArchiveFault(`Line ${number} stands after the end of the archive`);
      if ((number === 1) !== (parsed.type === 'tallycast'))
        throw new ArchiveFault(
          `Line ${number} is out of place: the first says what the file is, and no other`,
        );
      if (parsed.type === 'end') {
        if (parsed.sha256 !== sum.digest('hex'))
          throw new ArchiveFault('The file was changed: its sum is another one');
        isEnded = true;
      } else {
        sum.update(bytesOfLine).update('\n');
        if (parsed.type !== 'tallycast') items.push(parsed);
      }
    }
    yield items;
  }
  if (!isEnded) throw new ArchiveFault('The file is cut off: its last line is missing');
}

/** @throws ArchiveFault as soon as the text is too long for a file of this size */
async function* expand(file: ReadStream): AsyncIterable<Buffer> {
  const text = file.pipe(createGunzip());
  file.on('error', error => text.destroy(error));
  let expanded = 0;
  try {
    for await (const chunk of text as AsyncIterable<Buffer>) {
      expanded += chunk.length;
      if (expanded > FREE_BYTES && expanded > file.bytesRead * MAX_EXPANSION)
        throw new ArchiveFault(
          `The file expands more than ${MAX_EXPANSION} times, which an archive does not. If you trust it, unpack it with gunzip first`,
        );
      yield chunk;
    }
  } finally {
    file.destroy();
  }
}

async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer[]> {
  /** Of the line that is not complete yet. */
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
      if (pending > MAX_LINE) throw new ArchiveFault('A line is too long: the file is no archive');
      if (lines.length > 0) yield lines;
    }
  } catch (error) {
    if (error instanceof ArchiveFault) throw error;
    throw new ArchiveFault(`The file cannot be read: ${(error as Error).message}`);
  }
  if (pending > 0) yield [Buffer.concat(pieces)];
}
