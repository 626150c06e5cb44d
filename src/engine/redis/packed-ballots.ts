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
/** A letter and a key. */
const FIELD_BYTES = 1 + KEY_BYTES;
const [BALLOT, VOTER] = [66, 86];
/** Before each text. */
const LENGTH_BYTES = 2;
/** Before the three texts of a ballot, and what begins its id. */
const HEADS_BYTES = 3 * LENGTH_BYTES + 1;
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

/** The arguments of cast-ballots that are about ballots. */
export type PackedBallots = readonly [fields: Buffer, addresses: Buffer, proofs: Buffer, texts: Buffer];

/** Whether a text of a ballot, or its answers together, fits into what cast-ballots takes. */
export function canBePacked(text: string): boolean {
  return text.length * BYTES_PER_CHARACTER < MAX_TEXT_BYTES || Buffer.byteLength(text) < MAX_TEXT_BYTES;
}

export function packBallots(ballots: readonly UnpackedBallot[]): PackedBallots {
  const { length } = ballots;
  const fields = Buffer.allocUnsafe(length * 2 * FIELD_BYTES);
  const addresses = Buffer.allocUnsafe(length * KEY_BYTES);
  const proofs = Buffer.allocUnsafe(length * KEY_BYTES);
  for (let index = 0; index < length; index += 1) {
    const { ballotId, voter, address, proof } = ballots[index]!;
    const at = index * 2 * FIELD_BYTES;
    fields[at] = BALLOT;
    packKey(ballotId, fields, at + 1);
    fields[at + FIELD_BYTES] = VOTER;
    packKey(voter, fields, at + FIELD_BYTES + 1);
    packKey(address, addresses, index * KEY_BYTES);
    packKey(proof, proofs, index * KEY_BYTES);
  }
  return [fields, addresses, proofs, packTexts(ballots)];
}

/** What is kept of ballots, in a block of their own but for its head. */
export function packTexts(ballots: readonly Pick<UnpackedBallot, 'ballotId' | 'answers' | 'name'>[]): Buffer {
  let at = 0;
  for (const { ballotId, answers, name } of ballots) {
    reserve(at, HEADS_BYTES + (ballotId.length + answers.length + name.length) * BYTES_PER_CHARACTER);
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
function packKey(id: string, bytes: Buffer, at: number): void {
  if (id === '') {
    bytes.fill(0, at, at + KEY_BYTES);
    return;
  }
  const digest = hash('sha256', id, 'binary');
  for (let index = 0; index < KEY_BYTES; index += 1) bytes[at + index] = digest.charCodeAt(index);
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
