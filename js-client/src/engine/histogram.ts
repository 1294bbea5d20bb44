// Values up to 15 have one bucket each; above, every doubling up to 2^32 has 8 buckets.
const EXACT = 16;
const PER_DOUBLING = 8;
const BUCKETS = EXACT + 28 * PER_DOUBLING;

/**
 * Histogram with buckets that grow with the value: percentiles are accurate to one eighth, in 1 KB.
 */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #count = 0;
  #max = 0;

  /** Number of values. */
  get count(): number {
    return this.#count;
  }

  /** Largest value, rounded; 0 if there is none. */
  get max(): number {
    return this.#max;
  }

  /** Records a value; values outside 0 to 2^32-1 are clamped. */
  add(value: number): void {
    const whole = Math.min(2 ** 32 - 1, Math.max(0, Math.round(value)));
    const bucket = bucketOf(whole);
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#count++;
    this.#max = Math.max(this.#max, whole);
  }

  /** Returns the given percentile, rounded up to its bucket. */
  percentile(percent: number): number {
    let left = Math.ceil((this.#count * percent) / 100);
    for (const [bucket, count] of this.#counts.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.#max, highestOf(bucket));
    }
    return this.#max;
  }

  /** Discards all values. */
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
