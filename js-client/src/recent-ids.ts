/**
 * The identities of a subscription's latest messages: at least `limit` of them, less than twice as
 * many. It begins empty and takes some 120 bytes for each.
 *
 * Two sets take turns, so that nothing need be taken out of one: what is new goes to the younger,
 * and when that is full the older is let go.
 */
export class RecentIds {
  #younger = new Set<string>();
  #older = new Set<string>();
  #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Remembers at least so many from now on. It never remembers fewer again. */
  extendTo(limit: number): void {
    this.#limit = Math.max(this.#limit, limit);
  }

  /** Remembers an identity; returns whether it was unknown. */
  add(id: string): boolean {
    if (this.#younger.has(id)) return false;
    const isNew = !this.#older.has(id);
    this.#younger.add(id);
    if (this.#younger.size >= this.#limit) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return isNew;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#younger = new Set();
    this.#older = new Set();
  }
}
