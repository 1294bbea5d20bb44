import { sectorOf, SECTORS } from "./sectors.js";
import { Series } from "./series.js";

// Bounds the model, because topics are external input.
const MAX_STOCKS = 500;
const SAMPLE_MS = 500;
const SAMPLES = 240;
const INDEX_BASE = 1_000;
export const ALL = "Sluice 100";

/** Newest price of each stock, their recent history, and indices computed from them. */
export class Market {
  #stocks = new Map();
  #indices = new Map([ALL, ...SECTORS].map((name) => [name, newIndex(name)]));
  #nextSampleAt = 0;

  get stocks() {
    return [...this.#stocks.values()];
  }

  get indices() {
    return [...this.#indices.values()];
  }

  get size() {
    return this.#stocks.size;
  }

  get(topic) {
    return this.#stocks.get(topic);
  }

  /** Stores a price; returns its entry, or undefined if there are too many stocks. */
  onStock(topic, stock) {
    const known = this.#stocks.get(topic);
    if (known) {
      known.stock = stock;
      return known;
    }
    if (this.#stocks.size >= MAX_STOCKS) return undefined;
    const entry = { topic, stock, sector: sectorOf(stock.name), series: new Series(SAMPLES) };
    this.#stocks.set(topic, entry);
    return entry;
  }

  /** Adds the current prices to the history if it is time; returns whether it was. */
  sample(now) {
    if (now < this.#nextSampleAt || this.#stocks.size === 0) return false;
    this.#nextSampleAt = now + SAMPLE_MS;
    for (const { series, stock } of this.#stocks.values()) series.add(stock.price);
    for (const index of this.#indices.values()) this.#compute(index);
    return true;
  }

  /** Returns the stocks with the largest gains and losses. */
  movers(count) {
    const sorted = this.stocks.sort((a, b) => b.stock.changePercent - a.stock.changePercent);
    return { up: sorted.slice(0, count), down: sorted.slice(-count).reverse() };
  }

  /** Computes an index: the mean of the prices relative to the opening, all with equal weight. */
  #compute(index) {
    let sum = 0;
    let members = 0;
    for (const { stock, sector } of this.#stocks.values()) {
      if (index.name !== ALL && index.name !== sector) continue;
      sum += stock.changePercent;
      members++;
    }
    if (members === 0) return;
    index.members = members;
    index.changePercent = sum / members;
    index.value = INDEX_BASE * (1 + index.changePercent / 100);
    index.series.add(index.value);
  }
}

function newIndex(name) {
  return { name, value: INDEX_BASE, changePercent: 0, members: 0, series: new Series(SAMPLES) };
}
