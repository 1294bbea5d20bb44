/**
 * Identities of a subscription's latest messages: at least `limit` of them, fewer than twice as
 * many; about 360 KB with a limit of 4,096.
 *
 * It uses two generations instead of removing single identities: new ones are added to the younger
 * set; when that is full, it replaces the older one. Sets of BigInt take about three times the
 * memory of a hash table in typed arrays, but hardly any code, which all pages load.
 */
export class RecentIds {
  #younger = new Set<bigint>();
  #older = new Set<bigint>();
  /** Number of identities to remember, at least. */
  limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Remembers an identity of 16 hexadecimal digits; returns whether it was new. */
  add(id: string): boolean {
    const key = BigInt(`0x${id}`);
    const isNew = !this.#younger.has(key) && !this.#older.has(key);
    this.#younger.add(key);
    if (this.#younger.size >= this.limit) {
      this.#older = this.#younger;
      this.#younger = new Set();
    }
    return isNew;
  }

  /** Forgets all identities. */
  clear(): void {
    this.#younger = new Set();
    this.#older = new Set();
  }
}
