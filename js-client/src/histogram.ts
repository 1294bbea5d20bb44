// Values up to 15 have a bucket each; above, every doubling has 8 buckets. Up to 2^32.
const EXACT = 16;
const PER_DOUBLING = 8;
const BUCKETS = EXACT + 28 * PER_DOUBLING;

/**
 * Counts values in buckets whose width grows with the value, so that a percentile is true to an
 * eighth of itself at any size, in a table of 1 KB.
 */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #max = 0;

  /** How many values there are. */
  get count(): number {
    return this.#count;
  }

  /** The largest value, rounded; 0 if there is none. */
  get max(): number {
    return this.#max;
  }

  /** Takes a value; below 0 counts as 0, and past 2^32 as that. */
  add(value: number): void {
    const whole = Math.min(2 ** 32 - 1, Math.max(0, Math.round(value)));
    const bucket = bucketOf(whole);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count++;
    this.#max = Math.max(this.#max, whole);
  }

  /** The smallest value that `percent` of the values are not above, rounded up to its bucket. */
  percentile(percent: number): number {
    let left = Math.ceil((this.#count * percent) / 100);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, highestOf(bucket));
    }
    return this.#max;
  }

  /** Forgets all values. */
  clear(): void {
    this.#counts.fill(0);
    this.#count = 0;
    this.#max = 0;
  }
}

function bucketOf(value: number): number {
  if (value < EXACT) return value;
  const doubling = 31 - Math.clz32(value);
  const part = (value >>> (doubling - 3)) & (PER_DOUBLING - 1);
  return EXACT + (doubling - 4) * PER_DOUBLING + part;
}

function highestOf(bucket: number): number {
  if (bucket < EXACT) return bucket;
  const doubling = Math.floor((bucket - EXACT) / PER_DOUBLING) + 4;
  const part = (bucket - EXACT) % PER_DOUBLING;
  return 2 ** (doubling - 3) * (PER_DOUBLING + part + 1) - 1;
}
