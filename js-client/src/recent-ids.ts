// Substitute for the identity zero, because zeros mark an empty slot.
const ZERO_SUBSTITUTE = 0x9e3779b1;

/** Set of 64-bit identities: pairs of words in an open-addressed table; zeros mark empty slots. */
class IdSet {
  size: number;
  #words = new Uint32Array(16);
  /** Slot of the identity that was last looked up, or the empty slot for it. */
  #slot = 0;

  constructor() {
    this.size = 0;
  }

  has(high: number, low: number): boolean {
    const words = this.#words;
    const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
    for (let slot = 2 * (mixed ^ (mixed >>> 15)); ; slot += 2) {
      this.#slot = slot &= words.length - 1;
      if (words[slot] === high && words[slot + 1] === low) return true;
      if (!words[slot] && !words[slot + 1]) return false;
    }
  }

  /** Adds an identity that is not in the set and was looked up last. */
  add(high: number, low: number): void {
    this.#words.set([high, low], this.#slot);
    // Linear probing requires a quarter of the slots to be empty.
    if (8 * ++this.size > 3 * this.#words.length) this.#grow();
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(2 * old.length);
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = old.subarray(at, at + 2);
      if ((high || low) && !this.has(high, low)) this.#words.set([high, low], this.#slot);
    }
  }
}

/**
 * Identities of a subscription's latest messages: at least `limit` of them, fewer than twice as
 * many. It grows on demand, to at most 128 KB with a limit of 4,096.
 *
 * It uses two generations instead of removing single identities: new ones are added to the younger
 * set; when that is full, it replaces the older one.
 */
export class RecentIds {
  #younger = new IdSet();
  #older = new IdSet();
  #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Raises the number of remembered identities; it is never lowered. */
  extendTo(limit: number): void {
    this.#limit = Math.max(this.#limit, limit);
  }

  /** Adds an identity of 16 hexadecimal digits; returns whether it was new. */
  add(id: string): boolean {
    const high = parseInt(id.slice(0, 8), 16);
    const low = parseInt(id.slice(8), 16) || (high ? 0 : ZERO_SUBSTITUTE);
    if (this.#younger.has(high, low)) return false;
    const isNew = !this.#older.has(high, low);
    this.#younger.add(high, low);
    if (this.#younger.size >= this.#limit) {
      this.#older = this.#younger;
      this.#younger = new IdSet();
    }
    return isNew;
  }

  /** Removes all identities. */
  clear(): void {
    this.#younger = new IdSet();
    this.#older = new IdSet();
  }
}
