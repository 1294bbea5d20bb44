// Short, because a clock that is being set right runs away from the other meanwhile.
const REANCHOR_MS = 2_000;

/**
 * The time of day in fractions of a millisecond. Date.now() is cut off to whole milliseconds and
 * performance.now() drifts from it; the largest difference seen lately joins the two.
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
