/** Recent values as points of an SVG line. */
export class Sparkline {
  #values = [];
  #capacity;
  #width;
  #height;

  constructor(capacity, width, height) {
    this.#capacity = capacity;
    this.#width = width;
    this.#height = height;
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > this.#capacity) this.#values.shift();
  }

  /** Returns the points from oldest (left) to newest (right), scaled from `floor` or the minimum. */
  points(floor) {
    const values = this.#values;
    const low = floor ?? Math.min(...values);
    const range = Math.max(...values) - low;
    const step = this.#width / (this.#capacity - 1);
    const left = this.#width - step * (values.length - 1);
    const margin = 2;
    const drawable = this.#height - 2 * margin;
    return values
      .map((value, i) => {
        const share =
          range > 0 ? (value - low) / range : floor === undefined ? 0.5 : 0;
        return `${(left + i * step).toFixed(1)},${(margin + (1 - share) * drawable).toFixed(1)}`;
      })
      .join(" ");
  }

  /** Returns the x coordinate of the oldest point, for closing an area. */
  get left() {
    return (
      this.#width -
      (this.#width / (this.#capacity - 1)) * (this.#values.length - 1)
    );
  }
}
