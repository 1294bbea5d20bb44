// Short, because the two clocks diverge while one of them is adjusted.
const REANCHOR_MS = 2_000;

/**
 * Wall clock with fractions of a millisecond. Date.now() is truncated to milliseconds, and
 * performance.now() drifts from it; the largest recent difference combines the two.
 */
export class WallClock {
  #anchor = -Infinity;
  #nextAnchor = -Infinity;
  #reanchorAt = 0;

  now() {
    const elapsed = performance.now();
    const difference = Date.now() - elapsed;
    if (elapsed >= this.#reanchorAt) {
      this.#anchor = this.#nextAnchor;
      this.#nextAnchor = -Infinity;
      this.#reanchorAt = elapsed + REANCHOR_MS;
    }
    this.#nextAnchor = Math.max(this.#nextAnchor, difference);
    this.#anchor = Math.max(this.#anchor, difference);
    return this.#anchor + elapsed;
  }
}
