import { Latencies } from "./latencies.js";
import { Sparkline } from "./sparkline.js";

const DRAW_EVERY_MS = 500;
const BUCKETS = 4; // half a second each: the rate covers the last two seconds
const TRACE_POINTS = 60;

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const timeOfDay = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** Gauges of message rate, latency and gaps, drawn twice per second. */
export class Gauges {
  #parts;
  #latencies = new Latencies();
  #trace = new Sparkline(TRACE_POINTS, 120, 40);
  #buckets = [];
  #total = 0;
  #counted = 0;
  #gaps = 0;
  #lastMessageAt;
  #lastDrawAt;

  constructor(root) {
    const part = (selector) => root.querySelector(selector);
    this.#parts = {
      rate: part("[data-testid=rate]"),
      total: part("[data-part=total]"),
      median: part("[data-testid=latency-median]"),
      p99: part("[data-testid=latency-p99]"),
      gaps: part("[data-testid=gaps]"),
      lastGap: part("[data-part=last-gap]"),
      line: part(".trace-line"),
      area: part(".trace-area"),
    };
  }

  onMessage() {
    this.#total++;
    this.#lastMessageAt = performance.now();
  }

  onLatency(latencyMs) {
    this.#latencies.add(latencyMs, performance.now());
  }

  onGap(reason) {
    this.#gaps++;
    this.#parts.gaps.textContent = whole.format(this.#gaps);
    this.#parts.lastGap.textContent = `${reason}, ${timeOfDay.format(new Date())}`;
  }

  /** Returns the time since the last message; 0 before the first. */
  quietMs(now) {
    return this.#lastMessageAt === undefined
      ? 0
      : Math.max(0, now - this.#lastMessageAt);
  }

  draw(now) {
    this.#lastDrawAt ??= now;
    const elapsed = now - this.#lastDrawAt;
    if (elapsed < DRAW_EVERY_MS) return;
    this.#lastDrawAt = now;
    this.#drawRate(elapsed);
    this.#drawLatency(now);
  }

  #drawRate(elapsedMs) {
    this.#buckets.push({ count: this.#total - this.#counted, elapsedMs });
    this.#counted = this.#total;
    if (this.#buckets.length > BUCKETS) this.#buckets.shift();
    const sum = (name) =>
      this.#buckets.reduce((total, bucket) => total + bucket[name], 0);
    const rate = (sum("count") * 1_000) / sum("elapsedMs");
    this.#trace.add(rate);
    const points = this.#trace.points(0);
    const { line, area } = this.#parts;
    line.setAttribute("points", points);
    area.setAttribute(
      "points",
      `${this.#trace.left.toFixed(1)},40 ${points} 120,40`,
    );
    if (this.#total === 0) return;
    this.#parts.rate.textContent = whole.format(rate);
    this.#parts.total.textContent = `${whole.format(this.#total)} so far`;
  }

  #drawLatency(now) {
    const latency = this.#latencies.percentiles(now);
    this.#parts.median.textContent = latency
      ? milliseconds(latency.median)
      : "–";
    this.#parts.p99.textContent = latency ? milliseconds(latency.p99) : "–";
  }
}

function milliseconds(value) {
  return value < 10 ? value.toFixed(1) : whole.format(value);
}
