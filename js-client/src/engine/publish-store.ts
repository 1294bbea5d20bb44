import { holdLock, toPromise, webLocks } from "./indexed-db.js";
import type { Publication } from "./publish-options.js";

/** Publish in the store. */
export interface StoredPublish {
  readonly publication: Publication;
  /** Time of the application's call, milliseconds since 1970. */
  readonly since: number;
  /** Subject of the client at the call; undefined if it was unknown. */
  readonly subject: string | undefined;
}

/** Publish of an earlier client with its key. */
export interface RestoredPublish extends StoredPublish {
  readonly key: IDBValidKey;
}

interface Row extends StoredPublish {
  /** Name of the Web Lock that the storing client holds while it is open. */
  readonly owner: string;
}

const TABLE = "publishes";

/**
 * Unanswered publishes in IndexedDB, in the order of the calls. The store of a client survives its
 * page. Clients of other open tabs with the same name keep their own publishes, by a Web Lock each.
 */
export class PublishStore {
  readonly #database: IDBDatabase;
  readonly #owner: string;
  readonly #releaseLock: () => void;

  constructor(database: IDBDatabase, owner: string, releaseLock: () => void) {
    this.#database = database;
    this.#owner = owner;
    this.#releaseLock = releaseLock;
  }

  /** Stores a publish; resolves to its key. */
  add(publish: StoredPublish): Promise<IDBValidKey> {
    return this.#run((table) => table.add({ ...publish, owner: this.#owner } satisfies Row));
  }

  /** Removes a publish; one that remains is sent again by a later client, which is harmless. */
  async remove(key: IDBValidKey): Promise<void> {
    try {
      await this.#run((table) => table.delete(key));
    } catch {
      // The broker discards the repetition.
    }
  }

  /** Returns the publishes of clients that are not open any more, and takes them over. */
  async restore(): Promise<RestoredPublish[]> {
    const keys = await this.#run((table) => table.getAllKeys());
    const rows = (await this.#run((table) => table.getAll())) as Row[];
    const owners = new Set(rows.map(({ owner }) => owner));
    for (const owner of owners) if (await isHeld(owner)) owners.delete(owner);
    const restored: RestoredPublish[] = [];
    for (const [index, row] of rows.entries()) {
      const key = keys[index];
      if (key === undefined || !owners.has(row.owner)) continue;
      restored.push({ ...row, key });
      await this.#run((table) => table.put({ ...row, owner: this.#owner }, key));
    }
    return restored;
  }

  /** Closes the store; its publishes remain for the next client. */
  close(): void {
    // Requests that were made before still complete.
    this.#database.close();
    this.#releaseLock();
  }

  #run<Result>(request: (table: IDBObjectStore) => IDBRequest<Result>): Promise<Result> {
    const table = this.#database.transaction(TABLE, "readwrite").objectStore(TABLE);
    return toPromise(request(table));
  }
}

/** Opens the store of this name; creates it if it does not exist. */
export async function openStore(
  name: string,
): Promise<{ readonly store: PublishStore; readonly stored: readonly RestoredPublish[] }> {
  const opening = indexedDB.open(`sluice-publishes-${name}`, 1);
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore(TABLE, { autoIncrement: true });
  };
  const database = await toPromise(opening);
  const owner = `sluice-publisher-${crypto.randomUUID()}`;
  const store = new PublishStore(database, owner, await holdLock(owner));
  return { store, stored: await store.restore() };
}

/** Returns whether an open client holds the lock; false if the platform has no locks. */
async function isHeld(name: string): Promise<boolean> {
  const isFree = await webLocks()?.request(name, { ifAvailable: true }, (lock) => lock !== null);
  return isFree === false;
}
