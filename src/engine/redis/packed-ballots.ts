import { hash } from 'node:crypto';
import type { StoredBallot } from '../../poll/ballot.ts';

/** Ballots in bytes: as cast-ballots takes them, and as it keeps them in blocks, which create-poll describes. */

export interface UnpackedBallot {
  readonly ballotId: string;
  readonly voter: string;
  readonly address: string;
  /** Id of a solved human check; empty for none. */
  readonly proof: string;
  /** Ids with commas between. */
  readonly answers: string;
  readonly name: string;
}

const KEY_BYTES = 12;
/** Before each text. */
const LENGTH_BYTES = 2;
const MAX_TEXT_BYTES = 65_535;
const CALL_HEAD_BYTES = 7;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const UUID_CHARACTERS = 36;
const DASH = 45;
/** Up to so many characters one by one are quicker than a call of Node's own code. */
const SHORT = 40;
const ASCII_END = 128;
const UUID_BYTES = 16;
const BYTES_PER_CHARACTER = 3;

/** What begins a ballot id. */
const IS_TEXT = 0;
const IS_UUID = 1;

/** Grows to the greatest call that there was. */
let scratch = Buffer.allocUnsafe(32 * 1024);

/** Whether a text of a ballot, or its answers together, fits into what cast-ballots takes. */
export function canBePacked(text: string): boolean {
  return text.length * BYTES_PER_CHARACTER < MAX_TEXT_BYTES || Buffer.byteLength(text) < MAX_TEXT_BYTES;
}

export function packBallots(ballots: readonly UnpackedBallot[]): Buffer {
  let at = 0;
  for (const ballot of ballots) {
    const { ballotId, voter, address, proof, answers, name } = ballot;
    reserve(at, 5 * KEY_BYTES + (ballotId.length + answers.length + name.length) * BYTES_PER_CHARACTER);
    at = packKey(ballotId, at);
    at = packKey(voter, at);
    at = packKey(address, at);
    at = packKey(proof, at);
    at = packBallotId(ballotId, at);
    at = packText(answers, at);
    at = packText(name, at);
  }
  return Buffer.from(scratch.subarray(0, at));
}

/** @param block what create-poll calls `n:<number>` */
export function* unpackBlock(block: Buffer): Iterable<StoredBallot> {
  let at = 0;
  const takeText = (): Buffer => {
    const start = at + LENGTH_BYTES;
    at = start + block.readUInt16BE(at);
    return block.subarray(start, at);
  };
  while (at < block.length) {
    const castAtMs = block.readUIntBE(at, 6);
    const count = block.readUInt8(at + 6);
    at += CALL_HEAD_BYTES;
    for (let index = 0; index < count; index += 1) {
      const ballotId = ballotIdOf(takeText());
      const answers = takeText().toString().split(',');
      const name = takeText().toString();
      yield { ballotId, answers, name: name === '' ? null : name, castAtMs };
    }
  }
}

/** Doubles, so that a group of long names does not copy what is there for each of them. */
function reserve(used: number, bytes: number): void {
  if (used + bytes <= scratch.length) return;
  const greater = Buffer.allocUnsafe(Math.max(2 * scratch.length, used + bytes));
  scratch.copy(greater, 0, 0, used);
  scratch = greater;
}

/** As text of a byte a character: a digest in a Buffer of its own costs five times as much. */
function packKey(id: string, at: number): number {
  if (id === '') scratch.fill(0, at, at + KEY_BYTES);
  else {
    const digest = hash('sha256', id, 'binary');
    for (let index = 0; index < KEY_BYTES; index += 1) scratch[at + index] = digest.charCodeAt(index);
  }
  return at + KEY_BYTES;
}

function packBallotId(id: string, at: number): number {
  const start = at + LENGTH_BYTES + 1;
  const isUuid = id.length === UUID_CHARACTERS && UUID.test(id);
  scratch[start - 1] = isUuid ? IS_UUID : IS_TEXT;
  const bytes = isUuid ? writeUuid(id, start) : writeText(id, start);
  scratch.writeUInt16BE(bytes + 1, at);
  return start + bytes;
}

function packText(text: string, at: number): number {
  const start = at + LENGTH_BYTES;
  const bytes = writeText(text, start);
  scratch.writeUInt16BE(bytes, at);
  return start + bytes;
}

/** @returns how many bytes it took */
function writeText(text: string, at: number): number {
  const { length } = text;
  if (length > SHORT) return scratch.write(text, at);
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= ASCII_END) return scratch.write(text, at);
    scratch[at + index] = code;
  }
  return length;
}

/** @returns how many bytes it took */
function writeUuid(id: string, at: number): number {
  let bytes = 0;
  for (let index = 0; index < UUID_CHARACTERS; index += 2) {
    if (id.charCodeAt(index) === DASH) index += 1;
    scratch[at + bytes] = (digitAt(id, index) << 4) | digitAt(id, index + 1);
    bytes += 1;
  }
  return bytes;
}

/** Of 0 to 9 and a to f. */
function digitAt(text: string, index: number): number {
  const code = text.charCodeAt(index);
  return code < 58 ? code - 48 : code - 87;
}

function ballotIdOf(packed: Buffer): string {
  if (packed[0] !== IS_UUID || packed.length !== UUID_BYTES + 1) return packed.toString('utf8', 1);
  const hex = packed.toString('hex', 1);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)];
  return parts.join('-');
}
