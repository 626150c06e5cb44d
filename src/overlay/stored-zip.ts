import { crc32 } from 'node:zlib';

export interface ZipEntry {
  /** ASCII, with `/` between folders. */
  readonly name: string;
  readonly bytes: Buffer;
}

const LOCAL_HEADER = 0x04034b50;
const CENTRAL_HEADER = 0x02014b50;
const END_OF_CENTRAL = 0x06054b50;
const VERSION = 20;
/** 1980-01-01, the first day a zip knows: the same content gives the same archive. */
const DATE = 0x21;

/** An archive of a few small files, uncompressed, as the PKWARE note lays it out. */
export function storedZip(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes } of entries) {
    const path = Buffer.from(name, 'ascii');
    const common = describeFile(path, bytes);
    const local = Buffer.concat([littleEndian([LOCAL_HEADER, 4]), common, path, bytes]);
    directory.push(
      littleEndian([CENTRAL_HEADER, 4], [VERSION, 2]),
      common,
      // Comment length, disk, internal and external attributes, then where the file begins.
      littleEndian([0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]),
      path,
    );
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = entries.length;
  const end = littleEndian(
    [END_OF_CENTRAL, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [central.length, 4],
    [offset, 4],
    [0, 2],
  );
  return Buffer.concat([...files, central, end]);
}

/** The part that both headers of a file share: version, flags, method, time, date, checksum, sizes, lengths. */
function describeFile(path: Buffer, bytes: Buffer): Buffer {
  const { length } = bytes;
  return littleEndian(
    [VERSION, 2],
    [0, 2],
    [0, 2],
    [0, 2],
    [DATE, 2],
    [crc32(bytes), 4],
    [length, 4],
    [length, 4],
    [path.length, 2],
    [0, 2],
  );
}

function littleEndian(...fields: readonly (readonly [value: number, size: number])[]): Buffer {
  const buffer = Buffer.alloc(fields.reduce((sum, [, size]) => sum + size, 0));
  let at = 0;
  for (const [value, size] of fields) at = buffer.writeUIntLE(value, at, size);
  return buffer;
}
