import { create, percent, price as priceText, setText, trend } from "./text.js";
import { spark } from "./spark.js";

// Relative changes at which a move is shown as medium and as large.
const MEDIUM = 0.0004;
const LARGE = 0.001;

const still = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Row of one stock: a button that selects it, with its newest price. */
export class StockRow {
  #entry;
  #shownPrice;
  #flashing = false;
  #cells;

  constructor(entry) {
    this.#entry = entry;
    this.element = create("li", "");
    this.button = create("button", "stock");
    this.button.type = "button";
    this.button.tabIndex = -1;
    this.element.dataset.testid = "row";
    this.element.dataset.topic = entry.topic;
    this.element.append(this.button);
    const cell = (name) => this.button.appendChild(create("span", name));
    this.#cells = { symbol: cell("symbol"), name: cell("name"), spark: spark() };
    this.button.append(this.#cells.spark.element);
    this.#cells.price = cell("price");
    this.#cells.change = cell("change");
    this.#cells.price.dataset.testid = "price";
    setText(this.#cells.symbol, entry.stock.symbol);
    setText(this.#cells.name, entry.stock.name);
  }

  get entry() {
    return this.#entry;
  }

  /** Shows the newest price; returns whether it must be drawn again to end the flash. */
  draw() {
    const { price, changePercent } = this.#entry.stock;
    const shown = this.#shownPrice;
    this.#shownPrice = price;
    if (shown !== undefined && price !== shown) this.#flash(price / shown - 1);
    else if (this.#flashing) this.#endFlash();
    setText(this.#cells.price, priceText(price));
    setText(this.#cells.change, percent(changePercent));
    const direction = trend(changePercent);
    if (this.button.dataset.trend !== direction) this.button.dataset.trend = direction;
    return this.#flashing;
  }

  drawSpark() {
    this.#cells.spark.draw(this.#entry.series);
  }

  // The colour shows the direction, its strength the size. It fades by a transition of the style
  // sheet, which needs a frame without the attribute.
  #flash(change) {
    if (still.matches) return;
    const size = Math.abs(change);
    const { dataset } = this.#cells.price;
    dataset.move = change > 0 ? "up" : "down";
    dataset.size = size >= LARGE ? "large" : size >= MEDIUM ? "medium" : "small";
    this.#flashing = true;
  }

  #endFlash() {
    delete this.#cells.price.dataset.move;
    this.#flashing = false;
  }
}
