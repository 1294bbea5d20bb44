const WINDOW_MS = 5_000;
// At 1,000 messages a second this holds more than the window; above, the window gets shorter.
const CAPACITY = 8_192;

/** Latencies of the last seconds, in a ring of fixed size. */
export class Latencies {
  #values = new Float64Array(CAPACITY);
  #times = new Float64Array(CAPACITY);
  #next = 0;

  add(latencyMs, now) {
    this.#values[this.#next] = Math.max(0, latencyMs);
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % CAPACITY;
  }

  /** Median and 99th percentile of the window; undefined if it is empty. */
  percentiles(now) {
    const recent = this.#values.filter(
      (_, i) => this.#times[i] > 0 && this.#times[i] > now - WINDOW_MS,
    );
    if (recent.length === 0) return undefined;
    recent.sort();
    const at = (share) =>
      recent[Math.min(recent.length - 1, Math.floor(recent.length * share))];
    return { median: at(0.5), p99: at(0.99) };
  }
}
