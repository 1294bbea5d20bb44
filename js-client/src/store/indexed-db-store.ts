import { check, checkObject } from "../engine/arguments.js";
import { SluiceError } from "../engine/errors.js";
import { holdLock } from "../engine/indexed-db.js";
import type { Envelope, Payload } from "../engine/message.js";
import { positionOf } from "../engine/position.js";
import { covers } from "../engine/schema.js";
import { shareKey } from "../engine/subscribe-options.js";
import { MessageDatabase, type StoreBounds } from "./database.js";
import type { AddObserver, MessageStore, StoreHost } from "./message-store.js";
import { StoredTopic, type TopicStore } from "./stored-topics.js";

/** Options of {@link indexedDb}. */
export interface IndexedDbOptions {
  /**
   * The application's name of the user. Each one has a separate database: a page never shows what
   * another user of this browser has received.
   */
  readonly identity: string;
  /** Topics and patterns to store; a subscription that one of them covers is stored. */
  readonly topics: readonly string[];
  /** Maximum number of messages of a subscription, 1 to 100,000; default 1,000. */
  readonly messages?: number;
  /** Maximum size of a subscription's messages in bytes, 1,024 to 2^30; default 4,194,304. */
  readonly bytes?: number;
  /** Maximum age of a message, from its arrival, in milliseconds; default 7 days. */
  readonly age?: number;
}

/** Message in the store. */
export type StoredMessage = Payload & Envelope;

/** Store of received messages in IndexedDB. */
export interface IndexedDbStore extends MessageStore {
  /**
   * Returns the stored messages of a topic or pattern that was subscribed without `delivery`, `rate`
   * and `where`, oldest first; also without a connection.
   */
  inbox(topic: string): Promise<readonly StoredMessage[]>;
  /** Removes all messages and positions of this identity; call it at logout. */
  clear(): Promise<void>;
}

const WEEK_MS = 7 * 24 * 3_600_000;

/**
 * Returns a store for the option `store` of `connect`. Received messages are kept with the position
 * after them. A later page shows them at once, also without a connection: they are `stored`. Then it
 * resumes at the stored position, so that no message is missing or delivered twice.
 *
 * Several pages can use one store. One of them writes, by a Web Lock; when it ends, another one
 * continues. The oldest messages are removed beyond the limits.
 *
 * @throws SluiceError `invalid-argument`
 */
export function indexedDb(options: IndexedDbOptions): IndexedDbStore {
  checkObject("options", options);
  const { identity, topics, messages = 1_000, bytes = 2 ** 22, age = WEEK_MS } = options;
  check(typeof identity === "string" && identity !== "", "identity", "a name", identity);
  const isList = Array.isArray(topics) && topics.every((topic) => typeof topic === "string");
  check(isList && topics.length > 0, "topics", "a list of topics and patterns", topics);
  checkNumber("messages", messages, 1, 100_000);
  checkNumber("bytes", bytes, 1_024, 2 ** 30);
  checkNumber("age", age, 1, Number.MAX_SAFE_INTEGER);
  const patterns = topics.map((topic) => topic.split("."));
  return new Store(`sluice-messages-${identity}`, patterns, { messages, bytes, age });
}

function checkNumber(name: string, value: number, min: number, max: number): void {
  const isValid = Number.isInteger(value) && value >= min && value <= max;
  check(isValid, name, `a whole number from ${String(min)} to ${String(max)}`, value);
}

/** Store that opens its database when it is used. */
class Store implements IndexedDbStore {
  readonly #name: string;
  readonly #patterns: readonly (readonly string[])[];
  readonly #bounds: StoreBounds;
  /** Operations in their order, each of which begins when the previous one has ended. */
  #operations: Promise<unknown> = Promise.resolve();
  #database: Promise<MessageDatabase> | undefined;
  #isAttached = false;

  constructor(name: string, patterns: readonly (readonly string[])[], bounds: StoreBounds) {
    this.#name = name;
    this.#patterns = patterns;
    this.#bounds = bounds;
  }

  attach(host: StoreHost): AddObserver {
    check(!this.#isAttached, "store", "a store of no other open client", this.#name);
    this.#isAttached = true;
    const { clock, listener, add, client } = host;
    const found = new Set<StoredTopic>();
    const { lock, release } = this.#lock();
    const onFailure = (cause: unknown, topic?: string): void => {
      const message = "received messages are not stored";
      listener.onError(new SluiceError("not-stored", message, topic, cause));
    };
    const store: TopicStore = {
      read: (stream) => this.#run((database) => database.read(stream)),
      end: (stream) => this.#run((database) => database.end(stream)),
      append: (stream, arrivals) => this.#run((database) => database.append(stream, arrivals)),
      bounds: this.#bounds,
      writing: lock,
      onFailure,
    };
    const remove = (topic: StoredTopic): void => {
      found.delete(topic);
    };
    client.on("hello", ({ subject }) => {
      if (subject === undefined) return;
      this.#run((database) => database.bind(subject)).then((isSame) => {
        if (!isSame) for (const topic of found) topic.restart();
      }, onFailure);
    });
    let isOther = false;
    client.on("identity-changed", () => {
      isOther = true;
      for (const topic of found) topic.detach();

      this.clear().catch(onFailure);
    });
    client.on("state", (state) => {
      if (state.status !== "closed") return;
      this.#isAttached = false;
      if (state.error?.code === "logged-out") this.clear().catch(onFailure);
      void this.#close().then(release);
    });
    return (topic, observer, settings) => {
      const levels = topic.split(".");
      const isStored = this.#patterns.some((pattern) => covers(pattern, levels));
      // The application keeps the positions of this subscription itself.
      if (isOther || !isStored || positionOf(settings.from)) return add(topic, observer, settings);
      const stream = shareKey(topic, settings);
      const shared = [...found].find((other) => other.stream === stream);
      if (shared && !shared.canShare(topic, settings)) return add(topic, observer, settings);
      const stored =
        shared ?? new StoredTopic(topic, settings, { clock, listener, add, store, remove });
      found.add(stored);
      return stored.add(observer);
    };
  }

  async inbox(topic: string): Promise<readonly StoredMessage[]> {
    const stream = shareKey(topic, { from: undefined, delivery: undefined, rate: undefined });
    const { events } = await this.#run((database) => database.read(stream));
    return events.filter((event) => "id" in event);
  }

  clear(): Promise<void> {
    return this.#run((database) => database.clear());
  }

  #run<Result>(operation: (database: MessageDatabase) => Promise<Result>): Promise<Result> {
    this.#database ??= MessageDatabase.open(this.#name, this.#bounds);
    const database = this.#database;
    const result = this.#operations.then(async () => operation(await database));
    this.#operations = result.catch(() => undefined);
    return result;
  }

  async #close(): Promise<void> {
    // Operations may add further ones.
    for (let last; last !== this.#operations; await last) last = this.#operations;
    const database = this.#database;
    this.#database = undefined;
    await database?.then(
      (opened) => {
        opened.close();
      },
      () => undefined,
    );
  }

  /** Requests the lock of the page that writes. */
  #lock(): { readonly lock: Promise<void>; readonly release: () => void } {
    const held = holdLock(this.#name);
    const release = (): void => {
      held.then(
        (end) => {
          end();
        },
        () => undefined,
      );
    };
    return {
      lock: held.then(
        () => undefined,
        () => undefined,
      ),
      release,
    };
  }
}
