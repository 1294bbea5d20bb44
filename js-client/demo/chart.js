import { count, percent, price, setText, trend } from "./text.js";

const RIGHT = 60;
const BOTTOM = 22;
const TOP = 12;
const LINES = 4;
const SAMPLES_PER_MINUTE = 120;
const MIN_SAMPLES = 60;
// Steps of the time axis in seconds: the first one with at most five labels is used.
const STEPS = [5, 10, 15, 30];

/** Chart of the selected stock on a canvas, drawn after each sample and each change of its size. */
export class Chart {
  #parts;
  #canvas;
  #entry;
  #due = false;

  constructor(root) {
    const part = (name) => root.querySelector(`[data-part=chart-${name}]`);
    this.#parts = Object.fromEntries(
      ["title", "name", "price", "change", "facts"].map((name) => [name, part(name)]),
    );
    this.#canvas = root.querySelector("canvas");
    new ResizeObserver(() => this.invalidate()).observe(this.#canvas);
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.invalidate());
  }

  get entry() {
    return this.#entry;
  }

  show(entry) {
    this.#entry = entry;
    this.invalidate();
  }

  /** Requests a redraw in the next frame. */
  invalidate() {
    this.#due = true;
  }

  draw() {
    if (!this.#due || !this.#entry) return;
    this.#due = false;
    this.#drawText();
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width > 0 && height > 0) this.#drawCanvas(width, height);
  }

  #drawText() {
    const { stock, sector } = this.#entry;
    const { title, name, price: value, change, facts } = this.#parts;
    setText(title, stock.symbol);
    setText(name, stock.name);
    setText(value, price(stock.price));
    setText(change, percent(stock.changePercent));
    setText(facts, `${sector} · opened at ${price(stock.open)} · ${count(stock.volume)} traded`);
    change.dataset.trend = trend(stock.changePercent);
  }

  #drawCanvas(width, height) {
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    const pen = this.#canvas.getContext("2d");
    pen.scale(ratio, ratio);
    const style = window.getComputedStyle(this.#canvas);
    const colour = (name) => style.getPropertyValue(`--${name}`);
    const { stock, series } = this.#entry;
    const frame = scale(series, stock.open, width - RIGHT, height - BOTTOM - TOP);
    pen.font = `12px ${style.fontFamily}`;
    drawGrid(pen, frame, colour);
    drawTimes(pen, frame, colour);
    const up = stock.price >= stock.open;
    drawLine(pen, frame, series, colour(up ? "up" : "down"), colour(up ? "up-soft" : "down-soft"));
    drawTag(pen, frame, stock.price, colour(up ? "up" : "down"), colour("surface"));
  }
}

/** Returns the mapping of values and samples to coordinates. */
function scale(series, open, width, height) {
  const values = series.values.length > 0 ? series.values : [open];
  const samples = Math.max(MIN_SAMPLES, values.length);
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = Math.max((high - low) * 0.12, high * 0.0005);
  const [bottom, top] = [low - room, high + room];
  return {
    bottom,
    top,
    width,
    height,
    samples,
    x: (samplesAgo) => width - (width * samplesAgo) / (samples - 1),
    y: (value) => TOP + ((top - value) / (top - bottom)) * height,
  };
}

function drawGrid(pen, { bottom, top, width, y }, colour) {
  pen.strokeStyle = colour("line");
  pen.fillStyle = colour("quiet");
  pen.textBaseline = "middle";
  for (let i = 0; i <= LINES; i++) {
    const value = bottom + ((top - bottom) * i) / LINES;
    const at = Math.round(y(value)) + 0.5;
    pen.beginPath();
    pen.moveTo(0, at);
    pen.lineTo(width, at);
    pen.stroke();
    pen.fillText(price(value), width + 8, at);
  }
}

function drawTimes(pen, { width, height, samples, x }, colour) {
  pen.fillStyle = colour("quiet");
  pen.textAlign = "center";
  const shown = (samples * 60) / SAMPLES_PER_MINUTE;
  const step = STEPS.find((seconds) => shown / seconds <= 5);
  for (let seconds = step; seconds < shown; seconds += step) {
    const at = x((seconds * SAMPLES_PER_MINUTE) / 60);
    if (at > 30) pen.fillText(`−${seconds} s`, at, height + TOP + 13);
  }
  pen.textAlign = "end";
  pen.fillText("now", width, height + TOP + 13);
  pen.textAlign = "start";
}

function drawLine(pen, { height, x, y }, { values }, stroke, fill) {
  if (values.length < 2) return;
  const line = () => {
    pen.beginPath();
    values.forEach((value, i) => pen.lineTo(x(values.length - 1 - i), y(value)));
  };
  line();
  pen.lineTo(x(0), height + TOP);
  pen.lineTo(x(values.length - 1), height + TOP);
  pen.fillStyle = fill;
  pen.fill();
  line();
  pen.strokeStyle = stroke;
  pen.lineWidth = 2;
  pen.lineJoin = "round";
  pen.stroke();
}

function drawTag(pen, { width, top, bottom, y }, value, colour, text) {
  const at = y(Math.min(top, Math.max(bottom, value)));
  pen.fillStyle = colour;
  pen.beginPath();
  pen.roundRect(width + 2, at - 10, RIGHT - 4, 20, 5);
  pen.fill();
  pen.fillStyle = text;
  pen.fillText(price(value), width + 8, at + 0.5);
}
