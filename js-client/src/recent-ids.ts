const FIRST_PLACES = 8;

/** A set of identities of 64 bits: pairs of words in an open-addressed table, empty where zero. */
class IdSet {
  #words = new Uint32Array(2 * FIRST_PLACES);
  #size = 0;
  #hasZero = false;

  get size(): number {
    return this.#size;
  }

  has(high: number, low: number): boolean {
    return (high | low) === 0 ? this.#hasZero : this.#isTaken(this.#placeOf(high, low));
  }

  add(high: number, low: number): void {
    if (this.has(high, low)) return;
    this.#size++;
    if ((high | low) === 0) this.#hasZero = true;
    else this.#put(high, low);
    // Linear probing wants a quarter of the places free.
    if (8 * this.#size > 3 * this.#words.length) this.#grow();
  }

  /** Empties the set, which keeps its room. */
  clear(): void {
    this.#words.fill(0);
    this.#size = 0;
    this.#hasZero = false;
  }

  #put(high: number, low: number): void {
    const place = this.#placeOf(high, low);
    this.#words[place] = high;
    this.#words[place + 1] = low;
  }

  /** Where the identity stands, or the free place where it belongs. */
  #placeOf(high: number, low: number): number {
    const words = this.#words;
    const mask = words.length - 1;
    const mixed = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
    let place = (2 * (mixed ^ (mixed >>> 15))) & mask;
    while (this.#isTaken(place) && (words[place] !== high || words[place + 1] !== low)) {
      place = (place + 2) & mask;
    }
    return place;
  }

  #isTaken(place: number): boolean {
    return this.#words[place] !== 0 || this.#words[place + 1] !== 0;
  }

  #grow(): void {
    const old = this.#words;
    this.#words = new Uint32Array(2 * old.length);
    for (let place = 0; place < old.length; place += 2) {
      const high = old[place] ?? 0;
      const low = old[place + 1] ?? 0;
      if ((high | low) !== 0) this.#put(high, low);
    }
  }
}

/**
 * The identities of a subscription's latest messages: at least `limit` of them, less than twice as
 * many. It begins small and takes 128 KB at most where the limit is 4,096.
 *
 * Two sets take turns, so that nothing need be taken out of one: what is added goes to the younger,
 * and when that is full the older is emptied and becomes the younger.
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
    const low = parseInt(id.slice(8), 16);
    const known = this.#younger.has(high, low) || this.#older.has(high, low);
    this.#younger.add(high, low);
    if (this.#younger.size >= this.#limit) this.#turn();
    return !known;
  }

  /** Forgets all of them. */
  clear(): void {
    this.#younger.clear();
    this.#older.clear();
  }

  #turn(): void {
    const emptied = this.#older;
    emptied.clear();
    this.#older = this.#younger;
    this.#younger = emptied;
  }
}
