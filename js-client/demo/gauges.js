import { Latencies } from "./latencies.js";
import { count, duration, setText } from "./text.js";

const DRAW_EVERY_MS = 500;
const BUCKETS = 4; // half a second each: the rate covers the last two seconds

const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** Measurements of the stream and counters of its interruptions, drawn twice per second. */
export class Gauges {
  #parts;
  #latencies = new Latencies();
  #buckets = [];
  #total = 0;
  #counted = 0;
  #lastMessageAt;
  #lastDrawAt;

  constructor(root) {
    const byId = (id) => root.querySelector(`[data-testid=${id}]`);
    const ids = ["rate", "latency-median", "latency-p99", "gaps", "replayed", "reconnects"];
    ids.push("longest", "conflated", "resumable");
    this.#parts = Object.fromEntries(ids.map((id) => [id, byId(id)]));
    this.#parts.lastGap = root.querySelector("[data-part=last-gap]");
  }

  onMessage() {
    this.#total++;
    this.#lastMessageAt = performance.now();
  }

  onLatency(latencyMs) {
    this.#latencies.add(latencyMs, performance.now());
  }

  /** Returns the time since the last message; 0 before the first. */
  quietMs(now) {
    return this.#lastMessageAt === undefined ? 0 : Math.max(0, now - this.#lastMessageAt);
  }

  draw(now, continuity) {
    this.#lastDrawAt ??= now;
    const elapsed = now - this.#lastDrawAt;
    if (elapsed < DRAW_EVERY_MS) return;
    this.#lastDrawAt = now;
    this.#drawRate(elapsed);
    this.#drawLatency(now);
    this.#drawContinuity(continuity, continuity.resumableIn(now));
  }

  #drawRate(elapsedMs) {
    this.#buckets.push({ count: this.#total - this.#counted, elapsedMs });
    this.#counted = this.#total;
    if (this.#buckets.length > BUCKETS) this.#buckets.shift();
    const sum = (name) => this.#buckets.reduce((total, bucket) => total + bucket[name], 0);
    const rate = (sum("count") * 1_000) / sum("elapsedMs");
    if (this.#total > 0) setText(this.#parts.rate, count(rate));
  }

  #drawLatency(now) {
    const latency = this.#latencies.percentiles(now);
    setText(this.#parts["latency-median"], latency ? milliseconds(latency.median) : "–");
    setText(this.#parts["latency-p99"], latency ? milliseconds(latency.p99) : "–");
  }

  #drawContinuity({ gaps, replayed, reconnects, longestMs, conflated, lastGap }, resumableIn) {
    setText(this.#parts.gaps, count(gaps));
    setText(this.#parts.replayed, count(replayed));
    setText(this.#parts.reconnects, count(reconnects));
    setText(this.#parts.conflated, count(conflated));
    setText(this.#parts.longest, longestMs > 0 ? duration(longestMs) : "–");
    setText(this.#parts.resumable, resumable(resumableIn));
    const text = lastGap ? `Last gap: ${lastGap.reason}, ${timeOfDay.format(lastGap.at)}` : "";
    setText(this.#parts.lastGap, text);
  }
}

function milliseconds(value) {
  return value < 10 ? `${value.toFixed(1)} ms` : duration(value);
}

function resumable(inMs) {
  if (inMs === Infinity) return "snapshot only";
  return inMs === 0 ? "every message" : `in ${duration(inMs)}`;
}
