// Stands for the identity zero, because a place with zeros is a free one.
const INSTEAD_OF_ZERO = 0x9e3779b1;

/** A set of identities of 64 bits: pairs of words in an open-addressed table, free where zero. */
class IdSet {
  size = 0;
  #words = new Uint32Array(16);

  /** Where the identity stands, or the free place where it belongs. */
  placeOf(high: number, low: number): number {
    const words = this.#words;
    const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
    let place = 2 * (mixed ^ (mixed >>> 15));
    for (; ; place += 2) {
      place &= words.length - 1;
      const isIt = words[place] === high && words[place + 1] === low;
      if (isIt || !this.isTaken(place)) return place;
    }
  }

  isTaken(place: number): boolean {
    return this.#words[place] !== 0 || this.#words[place + 1] !== 0;
  }

  has(high: number, low: number): boolean {
    return this.isTaken(this.placeOf(high, low));
  }

  /** Puts in an identity that is not there. */
  put(high: number, low: number): void {
    this.#words.set([high, low], this.placeOf(high, low));
    // Linear probing wants a quarter of the places free.
    if (8 * ++this.size > 3 * this.#words.length) this.#grow();
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(2 * old.length);
    this.size = 0;
    for (let at = 0; at < old.length; at += 2) {
      const [high = 0, low = 0] = old.subarray(at, at + 2);
      if (high || low) this.put(high, low);
    }
  }
}

/**
 * The identities of a subscription's latest messages: at least `limit` of them, less than twice as
 * many. It begins small and takes 128 KB at most where the limit is 4,096.
 *
 * Two sets take turns, so that nothing need be taken out of one: what is new goes to the younger,
 * and when that is full the older is let go.
 */
export class RecentIds {
  #younger = new IdSet();
  #older = new IdSet();
  #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Remembers at least so many from now on. It never remembers fewer again. */
  extendTo(limit: number): void {
    this.#limit = Math.max(this.#limit, limit);
  }

  /** Remembers an identity of 16 hexadecimal digits; returns whether it was unknown. */
  add(id: string): boolean {
    const high = parseInt(id.slice(0, 8), 16);
    const low = parseInt(id.slice(8), 16) || (high ? 0 : INSTEAD_OF_ZERO);
    if (this.#younger.has(high, low)) return false;
    const isNew = !this.#older.has(high, low);
    this.#younger.put(high, low);
    if (this.#younger.size >= this.#limit) {
      this.#older = this.#younger;
      this.#younger = new IdSet();
    }
    return isNew;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#younger = new IdSet();
    this.#older = new IdSet();
  }
}
