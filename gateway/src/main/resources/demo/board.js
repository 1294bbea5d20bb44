import { StockRow } from "./stock-row.js";

// Bounds the board, because topics are external input.
const MAX_ROWS = 500;

/** Board of all stocks, in the order of their topics. Draws only changed rows. */
export class Board {
  #root;
  #list;
  #rows = new Map();
  #dirty = new Set();

  constructor(root) {
    this.#root = root;
    this.#list = root.querySelector("[data-testid=stocks]");
  }

  get size() {
    return this.#rows.size;
  }

  onStock(topic, stock) {
    const row = this.#rows.get(topic) ?? this.#add(topic, stock);
    if (!row) return;
    row.update(stock);
    this.#dirty.add(row);
  }

  /** Sets whether the shown prices are current. */
  setFresh(fresh) {
    this.#root.dataset.fresh = String(fresh);
  }

  draw(now) {
    for (const row of this.#dirty) {
      if (!row.draw(now)) this.#dirty.delete(row);
    }
  }

  #add(topic, stock) {
    if (this.#rows.size >= MAX_ROWS) return undefined;
    const row = new StockRow(topic, stock);
    this.#rows.set(topic, row);
    const after = [...this.#list.children].find(
      (other) => number(other.dataset.topic) > number(topic),
    );
    this.#list.insertBefore(row.element, after ?? null);
    return row;
  }
}

/** Returns the last level of a topic as a number, for the order of the board. */
function number(topic) {
  return Number(topic.slice(topic.lastIndexOf(".") + 1)) || 0;
}
