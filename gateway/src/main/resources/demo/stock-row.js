import { Sparkline } from "./sparkline.js";

const SPARK_POINTS = 32;
const SPARK_EVERY_MS = 500;
const SVG = "http://www.w3.org/2000/svg";

const prices = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const percents = new Intl.NumberFormat("en-US", {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
  signDisplay: "exceptZero",
});

/** Row of one stock: its newest price and the elements that show it. */
export class StockRow {
  #stock;
  #shownPrice;
  #flashing = false;
  #nextSparkAt = 0;
  #sparkline = new Sparkline(SPARK_POINTS, 64, 24);
  #cells;

  constructor(topic, stock) {
    this.#stock = stock;
    this.element = document.createElement("li");
    this.element.className = "stock";
    this.element.dataset.testid = "row";
    this.element.dataset.topic = topic;
    this.#cells = {
      symbol: this.#cell("symbol"),
      name: this.#cell("name"),
      spark: this.#spark(),
      price: this.#cell("price"),
      change: this.#cell("change"),
    };
    this.#cells.price.dataset.testid = "price";
  }

  update(stock) {
    this.#stock = stock;
  }

  /** Shows the newest price; returns whether it must be drawn again to end the flash. */
  draw(now) {
    const { price, changePercent, symbol, name } = this.#stock;
    const moved = this.#shownPrice !== undefined && price !== this.#shownPrice;
    if (moved) this.#flash(price > this.#shownPrice ? "up" : "down");
    else if (this.#flashing) this.#endFlash();
    if (price !== this.#shownPrice)
      this.#setText(this.#cells.price, prices.format(price));
    this.#shownPrice = price;
    this.#setText(this.#cells.symbol, symbol);
    this.#setText(this.#cells.name, name);
    const percent = percents.format(changePercent);
    this.#setText(this.#cells.change, `${percent.replace("-", "−")} %`);
    this.#setTrend(
      percent.startsWith("+")
        ? "up"
        : percent.startsWith("-")
          ? "down"
          : "none",
    );
    if (now >= this.#nextSparkAt) this.#drawSpark(now, price);
    return this.#flashing;
  }

  #setTrend(trend) {
    if (this.element.dataset.trend !== trend)
      this.element.dataset.trend = trend;
  }

  // The colour appears at once and fades by a transition of the style sheet.
  #flash(direction) {
    this.#cells.price.dataset.move = direction;
    this.#flashing = true;
  }

  #endFlash() {
    delete this.#cells.price.dataset.move;
    this.#flashing = false;
  }

  #drawSpark(now, price) {
    this.#nextSparkAt = now + SPARK_EVERY_MS;
    this.#sparkline.add(price);
    this.#cells.spark.setAttribute("points", this.#sparkline.points());
  }

  #setText(cell, text) {
    if (cell.firstChild.data !== text) cell.firstChild.data = text;
  }

  #cell(className) {
    const cell = document.createElement("span");
    cell.className = className;
    cell.append("");
    this.element.append(cell);
    return cell;
  }

  #spark() {
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("class", "spark");
    svg.setAttribute("viewBox", "0 0 64 24");
    svg.setAttribute("preserveAspectRatio", "none");
    svg.setAttribute("aria-hidden", "true");
    const line = document.createElementNS(SVG, "polyline");
    svg.append(line);
    this.element.append(svg);
    return line;
  }
}
