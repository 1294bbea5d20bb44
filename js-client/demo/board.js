import { StockRow } from "./stock-row.js";

// A phone shows a short list, which the search narrows.
const SHORT = 12;
const narrow = window.matchMedia("(max-width: 760px)");
const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Board of all stocks, in the order of their topics. Draws only changed rows. */
export class Board {
  #root;
  #list;
  #more;
  #rows = new Map();
  #dirty = new Set();
  #query = "";
  #onSelect;

  /**
   * @param onSelect - Receives the entry of a selected stock.
   */
  constructor(root, onSelect) {
    this.#root = root;
    this.#onSelect = onSelect;
    this.#list = root.querySelector("[data-testid=stocks]");
    this.#more = root.querySelector("[data-part=more]");
    const search = root.querySelector("[data-testid=search]");
    search.addEventListener("input", () => {
      this.#query = search.value.trim().toLowerCase();
      this.#filter();
    });
    narrow.addEventListener("change", () => this.#filter());
    this.#list.addEventListener("keydown", (event) => this.#onKey(event));
  }

  onEntry(entry) {
    let row = this.#rows.get(entry.topic);
    if (!row) {
      row = this.#add(entry);
      this.#filter();
    }
    this.#dirty.add(row);
  }

  /** Sets whether the shown prices are current. */
  setFresh(fresh) {
    this.#root.dataset.fresh = String(fresh);
  }

  /** Draws changed rows that are shown, and after a sample their lines. */
  draw(sampled) {
    for (const row of this.#dirty) {
      if (row.element.hidden || !row.draw()) this.#dirty.delete(row);
    }
    if (sampled) this.#shown().forEach((row) => row.drawSpark());
  }

  select(entry) {
    for (const row of this.#rows.values()) {
      const selected = row.entry === entry;
      row.button.setAttribute("aria-pressed", String(selected));
      row.button.tabIndex = selected ? 0 : -1;
    }
  }

  #add(entry) {
    const row = new StockRow(entry);
    this.#rows.set(entry.topic, row);
    row.button.addEventListener("click", () => this.#onSelect(entry));
    const order = number(entry.topic);
    const after = [...this.#list.children].find((other) => number(other.dataset.topic) > order);
    this.#list.insertBefore(row.element, after ?? null);
    return row;
  }

  #shown() {
    return [...this.#rows.values()].filter((row) => !row.element.hidden);
  }

  #filter() {
    const matching = [...this.#list.children]
      .map((element) => this.#rows.get(element.dataset.topic))
      .filter((row) => this.#hide(row, !this.#matches(row)));
    const limit = narrow.matches ? SHORT : matching.length;
    matching.slice(limit).forEach((row) => this.#hide(row, true));
    const hidden = Math.max(0, matching.length - limit);
    this.#more.hidden = hidden === 0 && matching.length > 0;
    this.#more.textContent =
      matching.length === 0 ? "No stock matches." : `${hidden} more: search by name or symbol.`;
  }

  /** Hides or shows a row; returns whether it is shown. */
  #hide(row, hidden) {
    row.element.hidden = hidden;
    if (!hidden) this.#dirty.add(row);
    return !hidden;
  }

  #matches({ entry: { stock, sector } }) {
    const text = `${stock.symbol} ${stock.name} ${sector}`.toLowerCase();
    return text.includes(this.#query);
  }

  #onKey(event) {
    const step = STEPS[event.key];
    const shown = [...this.#list.children].filter((element) => !element.hidden);
    const at = shown.indexOf(event.target.closest("li"));
    if (step === undefined || at < 0) return;
    event.preventDefault();
    shown[Math.min(shown.length - 1, Math.max(0, at + step))].querySelector("button").focus();
  }
}

/** Returns the last level of a topic as a number, for the order of the board. */
function number(topic) {
  return Number(topic.slice(topic.lastIndexOf(".") + 1)) || 0;
}
