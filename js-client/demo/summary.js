import { spark } from "./spark.js";
import { create, percent, price, setText, trend } from "./text.js";

const MOVERS = 5;

/** Indices at the top of the page and the stocks that have moved most, drawn after each sample. */
export class Summary {
  #indices;
  #up;
  #down;

  /**
   * @param onSelect - Receives the entry of a selected stock.
   */
  constructor(root, indices, onSelect) {
    const list = root.querySelector("[data-part=indices]");
    this.#indices = indices.map((index) => indexCard(list, index));
    const movers = (part) => {
      const parent = root.querySelector(`[data-part=${part}]`);
      return Array.from({ length: MOVERS }, () => moverRow(parent, onSelect));
    };
    this.#up = movers("up");
    this.#down = movers("down");
  }

  draw(market) {
    this.#indices.forEach((card) => card.draw());
    const { up, down } = market.movers(MOVERS);
    this.#up.forEach((row, i) => row.draw(up[i]));
    this.#down.forEach((row, i) => row.draw(down[i]));
  }
}

function indexCard(list, index) {
  const card = list.appendChild(create("li", "index"));
  const cell = (name) => card.appendChild(create("span", name));
  const [name, line, value, change] = [cell("index-name"), spark(), cell("value"), cell("change")];
  card.append(line.element);
  setText(name, index.name);
  return {
    draw() {
      setText(value, price(index.value));
      setText(change, percent(index.changePercent));
      card.dataset.trend = trend(index.changePercent);
      line.draw(index.series);
    },
  };
}

function moverRow(list, onSelect) {
  const item = list.appendChild(create("li", ""));
  const button = item.appendChild(create("button", "mover"));
  button.type = "button";
  const cell = (name) => button.appendChild(create("span", name));
  const [symbol, name, change] = ["symbol", "name", "change"].map(cell);
  let shown;
  button.addEventListener("click", () => shown && onSelect(shown));
  return {
    draw(entry) {
      item.hidden = entry === undefined;
      if (!entry) return;
      shown = entry;
      setText(symbol, entry.stock.symbol);
      setText(name, entry.stock.name);
      setText(change, percent(entry.stock.changePercent));
      button.dataset.trend = trend(entry.stock.changePercent);
    },
  };
}
