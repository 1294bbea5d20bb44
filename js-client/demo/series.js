/** Recent values of one quantity, at equal intervals; the oldest are discarded. */
export class Series {
  #values = [];
  #capacity;

  constructor(capacity) {
    this.#capacity = capacity;
  }

  add(value) {
    this.#values.push(value);
    if (this.#values.length > this.#capacity) this.#values.shift();
  }

  get values() {
    return this.#values;
  }

  get capacity() {
    return this.#capacity;
  }

  /** Returns at most so many of the newest values. */
  last(count) {
    return this.#values.slice(-count);
  }
}
