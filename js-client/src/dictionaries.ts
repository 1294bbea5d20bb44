/** Trained dictionary: content that precedes the first message of a stream. */
export type Dictionary = Uint8Array<ArrayBuffer>;

/** Maximum number of dictionaries in memory, and in the browser's cache. */
export const MAX_DICTIONARIES = 16;
/** Maximum size of a dictionary. */
export const MAX_DICTIONARY_BYTES = 32 * 1024;

// Clients of a page share the dictionaries, which their hashes identify.
const known = new Map<string, Dictionary>();

/** Returns the dictionary with a hash; undefined if it is not loaded. */
export function dictionaryOf(hash: string): Dictionary | undefined {
  return known.get(hash);
}

/** Returns the hashes of the loaded dictionaries, the oldest first. */
export function dictionaryHashes(): string[] {
  return [...known.keys()];
}

/** Adds a verified dictionary; removes the oldest one above the limit. */
export function addDictionary(hash: string, content: Dictionary): void {
  known.set(hash, content);
  const [oldest] = known.keys();
  if (known.size > MAX_DICTIONARIES && oldest !== undefined) known.delete(oldest);
}

/** Removes all dictionaries; for tests. */
export function clearDictionaries(): void {
  known.clear();
}
