import { toPromise } from "../engine/indexed-db.js";
import type { MessageFrame } from "../engine/message.js";
import type { Position } from "../engine/position.js";
import type { GapReason } from "../engine/subscription-state.js";

/** Received message, or a gap. */
export type StoredEvent = MessageFrame | { readonly gap: GapReason };

/** Event with the position after it, if there is one. */
export interface Arrival {
  readonly event: StoredEvent;
  /** Estimated size. */
  readonly bytes: number;
  readonly position?: Position | undefined;
}

/** Events of a stream, oldest first. */
export interface StoredStream {
  readonly events: readonly StoredEvent[];
  /** Position after the last event; undefined if nothing is stored. */
  readonly position: Position | undefined;
}

/** End of a stream. */
export interface StreamEnd {
  /** Identity of the last stored message. */
  readonly lastId: string | undefined;
  readonly position: Position | undefined;
}

/** Bounds of each stream. */
export interface StoreBounds {
  readonly messages: number;
  readonly bytes: number;
  /** Milliseconds. */
  readonly age: number;
}

interface EventRow {
  readonly stream: string;
  readonly event: StoredEvent;
  readonly bytes: number;
  /** Local time of the write, milliseconds since 1970. */
  readonly at: number;
}

interface StreamRow extends StreamEnd {
  readonly stream: string;
  readonly messages: number;
  readonly bytes: number;
  /** Local time of the last write, milliseconds since 1970. */
  readonly at: number;
}

const EVENTS = "events";
const STREAMS = "streams";
const OWNER = "owner";
const TABLES = [EVENTS, STREAMS, OWNER];
/** Estimated size of an event's members without its payload and properties. */
const EVENT_BYTES = 200;

/** Received messages of one identity in IndexedDB. */
export class MessageDatabase {
  readonly #database: IDBDatabase;
  readonly #bounds: StoreBounds;

  private constructor(database: IDBDatabase, bounds: StoreBounds) {
    this.#database = database;
    this.#bounds = bounds;
    // Another page deletes the database, which would wait for this connection.
    database.onversionchange = () => {
      database.close();
    };
  }

  /** Opens the database of a name; creates it if it does not exist. */
  static async open(name: string, bounds: StoreBounds): Promise<MessageDatabase> {
    const opening = indexedDB.open(name, 1);
    opening.onupgradeneeded = () => {
      const { result } = opening;
      result.createObjectStore(EVENTS, { autoIncrement: true }).createIndex("stream", "stream");
      result.createObjectStore(STREAMS, { keyPath: "stream" });
      result.createObjectStore(OWNER);
    };
    const database = new MessageDatabase(await toPromise(opening), bounds);
    await database.#expire();
    return database;
  }

  /** Returns a stream; a message that two pages have stored is returned once. */
  async read(stream: string): Promise<StoredStream> {
    const transaction = this.#database.transaction([EVENTS, STREAMS]);
    const rows = transaction.objectStore(EVENTS).index("stream").getAll(stream);
    const found = transaction.objectStore(STREAMS).get(stream);
    await toEnd(transaction);
    const since = Date.now() - this.#bounds.age;
    const ids = new Set<string>();
    const events = (rows.result as EventRow[])
      .filter(({ at }) => at >= since)
      .map(({ event }) => event)
      .filter((event) => "gap" in event || ids.size < ids.add(event.id).size);
    return { events, position: (found.result as StreamRow | undefined)?.position };
  }

  async end(stream: string): Promise<StreamEnd | undefined> {
    const table = this.#database.transaction(STREAMS).objectStore(STREAMS);
    return (await toPromise(table.get(stream))) as StreamRow | undefined;
  }

  /** Stores events with the position after the last one, and removes those beyond the bounds. */
  async append(stream: string, arrivals: readonly Arrival[]): Promise<void> {
    const at = Date.now();
    const transaction = this.#database.transaction([EVENTS, STREAMS], "readwrite");
    const events = transaction.objectStore(EVENTS);
    const streams = transaction.objectStore(STREAMS);
    const found = (await toPromise(streams.get(stream))) as StreamRow | undefined;
    let { messages = 0, bytes = 0, lastId } = found ?? {};
    for (const { event, bytes: size } of arrivals) {
      events.add({ stream, event: detach(event), bytes: size, at } satisfies EventRow);
      messages++;
      bytes += size;
      if ("id" in event) lastId = event.id;
    }
    const position = arrivals.at(-1)?.position ?? found?.position;
    const since = at - this.#bounds.age;
    const cursors = events.index("stream").openCursor(stream);
    const isBeyond = (row: EventRow): boolean =>
      messages > this.#bounds.messages || bytes > this.#bounds.bytes || row.at < since;
    cursors.onsuccess = () => {
      const cursor = cursors.result;
      const row = cursor?.value as EventRow | undefined;
      if (!cursor || !row || !isBeyond(row)) {
        streams.put({ stream, position, lastId, messages, bytes, at } satisfies StreamRow);
        return;
      }
      cursor.delete();
      messages--;
      bytes -= row.bytes;
      cursor.continue();
    };
    await toEnd(transaction);
  }

  /**
   * Binds the database to the subject that the node has named.
   *
   * @returns false if it was that of another subject; then it is empty
   */
  async bind(subject: string): Promise<boolean> {
    const transaction = this.#database.transaction(TABLES, "readwrite");
    const owner = transaction.objectStore(OWNER);
    const known = (await toPromise(owner.get(OWNER))) as string | undefined;
    const isSame = known === undefined || known === subject;
    if (!isSame) for (const table of TABLES) transaction.objectStore(table).clear();
    owner.put(subject, OWNER);
    await toEnd(transaction);
    return isSame;
  }

  /** Removes all content. */
  async clear(): Promise<void> {
    const transaction = this.#database.transaction(TABLES, "readwrite");
    for (const table of TABLES) transaction.objectStore(table).clear();
    await toEnd(transaction);
  }

  /** Closes the database; writes that have begun are completed. */
  close(): void {
    this.#database.close();
  }

  /** Removes streams that no page has written within the maximum age. */
  async #expire(): Promise<void> {
    const since = Date.now() - this.#bounds.age;
    const transaction = this.#database.transaction([EVENTS, STREAMS], "readwrite");
    const events = transaction.objectStore(EVENTS);
    const streams = transaction.objectStore(STREAMS);
    const rows = (await toPromise(streams.getAll())) as StreamRow[];
    for (const { stream } of rows.filter(({ at }) => at < since)) {
      streams.delete(stream);
      const keys = events.index("stream").openKeyCursor(stream);
      keys.onsuccess = () => {
        const cursor = keys.result;
        if (!cursor) return;
        events.delete(cursor.primaryKey);
        cursor.continue();
      };
    }
    await toEnd(transaction);
  }
}

/** Returns the event with separate bytes, as a clone would contain the whole received frame. */
function detach(event: StoredEvent): StoredEvent {
  if ("gap" in event || event.kind !== "bytes") return event;
  return { ...event, payload: event.payload.slice() };
}

/** Returns the estimated size of an event in bytes. */
export function sizeOf(event: StoredEvent): number {
  if ("gap" in event) return EVENT_BYTES;
  const { kind, payload, properties } = event;
  const content =
    kind === "bytes"
      ? payload.byteLength
      : kind === "text"
        ? 2 * payload.length
        : 2 * ((JSON.stringify(payload) as string | undefined) ?? "").length;
  return EVENT_BYTES + content + 2 * JSON.stringify(properties).length;
}

function toEnd(transaction: IDBTransaction): Promise<void> {
  return new Promise((resolve, reject) => {
    transaction.oncomplete = () => {
      resolve();
    };
    transaction.onabort = () => {
      reject(transaction.error ?? new Error("IndexedDB transaction was aborted"));
    };
  });
}
