const WINDOW_MS = 5_000;
// Sufficient for the window at 1,000 messages per second; at higher rates the window is shorter.
const CAPACITY = 8_192;

/** Ring of the latencies of the last seconds, with a fixed size. */
export class Latencies {
  #values = new Float64Array(CAPACITY);
  #times = new Float64Array(CAPACITY);
  #next = 0;

  add(latencyMs, now) {
    this.#values[this.#next] = Math.max(0, latencyMs);
    this.#times[this.#next] = now;
    this.#next = (this.#next + 1) % CAPACITY;
  }

  /** Returns median and 99th percentile of the window; undefined if it is empty. */
  percentiles(now) {
    const recent = this.#values.filter(
      (_, i) => this.#times[i] > 0 && this.#times[i] > now - WINDOW_MS,
    );
    if (recent.length === 0) return undefined;
    recent.sort();
    const at = (share) => recent[Math.min(recent.length - 1, Math.floor(recent.length * share))];
    return { median: at(0.5), p99: at(0.99) };
  }
}
