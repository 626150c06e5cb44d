/**
 * Casts by version: `times[version - first]` is when that version's ballot was handed in, NaN where
 * that is not known.
 */
export interface Casts {
  readonly first: number;
  readonly times: Float64Array;
}

export interface Pass {
  readonly version: number;
  /** When the first and the last subscriber got it. */
  readonly firstMs: number;
  readonly lastMs: number;
  readonly frames: number;
}

const FIELDS = 3;

/** What subscribers saw while they were watched: from which version to which, and when. Flat, as there are millions. */
export class Sightings {
  #fields = new Float64Array(FIELDS * 65_536);
  #length = 0;

  add(before: number, version: number, nowMs: number): void {
    if (this.#length === this.#fields.length) {
      const grown = new Float64Array(this.#fields.length * 2);
      grown.set(this.#fields);
      this.#fields = grown;
    }
    this.#fields[this.#length] = before;
    this.#fields[this.#length + 1] = version;
    this.#fields[this.#length + 2] = nowMs;
    this.#length += FIELDS;
  }

  clear(): void {
    this.#length = 0;
  }

  /** From the ballot that a frame shows last to the frame. */
  latencies(casts: Casts): Float32Array {
    return this.#ages(casts, (_, version) => version);
  }

  /** From the oldest ballot that was not shown before to the frame: for how long the picture was old. */
  staleness(casts: Casts): Float32Array {
    return this.#ages(casts, (before, version) => Math.min(before + 1, version));
  }

  passes(): Pass[] {
    const passes = new Map<number, { version: number; firstMs: number; lastMs: number; frames: number }>();
    for (let at = 0; at < this.#length; at += FIELDS) {
      const version = this.#fields[at + 1]!;
      const nowMs = this.#fields[at + 2]!;
      const pass = passes.get(version);
      if (pass) {
        pass.firstMs = Math.min(pass.firstMs, nowMs);
        pass.lastMs = Math.max(pass.lastMs, nowMs);
        pass.frames += 1;
      } else passes.set(version, { version, firstMs: nowMs, lastMs: nowMs, frames: 1 });
    }
    return [...passes.values()];
  }

  #ages({ first, times }: Casts, ballotOf: (before: number, version: number) => number): Float32Array {
    const ages = new Float32Array(this.#length / FIELDS);
    let count = 0;
    for (let at = 0; at < this.#length; at += FIELDS) {
      const castMs = times[ballotOf(this.#fields[at]!, this.#fields[at + 1]!) - first];
      if (castMs === undefined || Number.isNaN(castMs)) continue;
      ages[count] = this.#fields[at + 2]! - castMs;
      count += 1;
    }
    return ages.slice(0, count);
  }
}
