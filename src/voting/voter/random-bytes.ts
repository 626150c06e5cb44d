import { randomFillSync } from 'node:crypto';

/** A call takes longer than the bytes do, and each voter needs some for a name and a task. */
const POOL_BYTES = 4_096;
const pool = Buffer.allocUnsafeSlow(POOL_BYTES);
let used = POOL_BYTES;

/** Bytes that nobody can guess, and that are given to nobody else. @param size at most 4,096 */
export function drawBytes(size: number): Buffer {
  if (used + size > POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const drawn = Buffer.from(pool.subarray(used, used + size));
  // What was given away is in nobody's memory but the receiver's.
  pool.fill(0, used, used + size);
  used += size;
  return drawn;
}
