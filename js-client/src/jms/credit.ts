/**
 * Credit of a consumer whose messages are settled later by the application. It grows with the
 * messages that the application has not settled, because the node delivers only up to the credit.
 */
export class GrowingCredit {
  readonly #prefetch: number;
  readonly #max: number;
  readonly #set: (credit: number) => void;
  #credit: number;

  /** @param set - Sends a changed credit. */
  constructor(prefetch: number, max: number, set: (credit: number) => void) {
    this.#prefetch = this.#credit = prefetch;
    this.#max = max;
    this.#set = set;
  }

  /** The number of unsettled messages has changed; returns false if the credit cannot grow. */
  onUnsettled(count: number): boolean {
    if (count === 0) this.#change(this.#prefetch);
    else if (count >= this.#credit) this.#change(Math.min(count + this.#prefetch, this.#max));
    return count < this.#credit;
  }

  #change(credit: number): void {
    if (credit === this.#credit) return;
    this.#credit = credit;
    this.#set(credit);
  }
}
