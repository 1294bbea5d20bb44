import { SluiceClient } from "../engine/client.js";
import type { Undo } from "../engine/emitter.js";
import { SluiceError } from "../engine/errors.js";
import { toSettings, type ConnectOptions } from "../engine/options.js";
import {
  fromPlain,
  toPlain,
  type TabMessage,
  type ForwardedEvent,
  type WorkerMessage,
} from "./shared-protocol.js";
import { SharedTab, type TabConnection } from "./shared-tab.js";
import type { ConnectionState } from "../engine/state.js";

/** Required part of `navigator.locks`. */
export interface Locks {
  request(
    name: string,
    options: { readonly signal?: AbortSignal },
    callback: () => unknown,
  ): Promise<unknown>;
}

/** Acquires an exclusive lock; it is released by the returned function, or when its holder ends. */
export async function acquireLock(locks: Locks, name: string): Promise<Undo> {
  return new Promise((resolve, reject) => {
    const held = (): Promise<void> =>
      new Promise((release) => {
        resolve(release);
      });
    locks.request(name, {}, held).catch(reject);
  });
}

type OpenMessage = Extract<TabMessage, { readonly type: "open" }>;

const FORWARDED_EVENTS: readonly ForwardedEvent[] = [
  "hello",
  "stale",
  "live",
  "draining",
  "moved",
  "identity-changed",
];

/** Connections of all tabs of an origin; runs in the shared worker. */
export class SharedHub {
  readonly #locks: Locks;
  readonly #environment: ConnectOptions;
  readonly #connections = new Map<string, SharedConnection>();
  readonly #lock = `sluice-worker-${crypto.randomUUID()}`;
  readonly #lockAcquired: Promise<unknown>;

  /** @param environment - Options that no tab can send: classes and functions, for tests. */
  constructor(locks: Locks, environment: ConnectOptions = {}) {
    this.#locks = locks;
    this.#environment = environment;
    this.#lockAcquired = acquireLock(locks, this.#lock);
  }

  /** Number of connections. */
  get size(): number {
    return this.#connections.size;
  }

  /** Accepts the port of a tab. */
  accept(port: MessagePort): void {
    port.addEventListener(
      "message",
      ({ data }: MessageEvent<OpenMessage>) => {
        this.#open(port, data);
      },
      { once: true },
    );
    port.start();
  }

  #open(port: MessagePort, message: OpenMessage): void {
    void this.#lockAcquired.then(() => {
      port.postMessage({ type: "worker", lock: this.#lock } satisfies WorkerMessage);
    });
    const { urls, options, asksForToken, share, identity, lock } = message;
    const key = JSON.stringify([urls, options, asksForToken, share, identity]);
    const connection = this.#connections.get(key) ?? this.#create(key, message);
    const leave = connection.addTab(port, asksForToken);
    // Granted when the tab has ended for any reason.
    void this.#locks.request(lock, {}, leave);
  }

  #create(key: string, { urls, options, asksForToken }: OpenMessage): SharedConnection {
    const created: SharedConnection = new SharedConnection(
      (token) => {
        const all = { ...options, ...this.#environment, ...(asksForToken ? { token } : {}) };
        return new SluiceClient(toSettings(urls, all));
      },
      () => {
        if (this.#connections.get(key) === created) this.#connections.delete(key);
      },
    );
    this.#connections.set(key, created);
    return created;
  }
}

/** Connection shared by the tabs that use the same addresses and options. */
class SharedConnection implements TabConnection {
  readonly client: SluiceClient;
  readonly #onEmpty: () => void;
  readonly #tabs = new Set<SharedTab>();

  constructor(createClient: (token: () => Promise<string>) => SluiceClient, onEmpty: () => void) {
    this.#onEmpty = onEmpty;
    this.client = createClient(() => this.#requestToken());
    this.#forwardEvents(this.client);
  }

  /** Adds a tab; the returned function removes it. */
  addTab(port: MessagePort, asksForToken: boolean): Undo {
    const tab = new SharedTab(port, this, asksForToken);
    this.#tabs.add(tab);
    tab.start();
    return () => {
      this.removeTab(tab);
    };
  }

  /** Removes a tab; closes the connection after the last one. */
  removeTab(tab: SharedTab): void {
    if (!this.#tabs.delete(tab)) return;
    tab.end();
    if (this.#tabs.size > 0) return;
    this.client.close();
    this.#onEmpty();
  }

  #forwardEvents(client: SluiceClient): void {
    client.on("error", (error) => {
      for (const tab of this.#tabs) tab.send({ type: "error", error: toPlain(error) });
    });
    client.on("state", (state) => {
      for (const tab of this.#tabs) tab.sendState(state);
      this.#removeIfClosed(state);
    });
    // A new session may use another transport without a change of the state.
    client.on("hello", () => {
      const { transport } = client;
      for (const tab of this.#tabs) tab.send({ type: "transport", transport });
    });
    for (const name of FORWARDED_EVENTS) {
      client.on(name, (event) => {
        for (const tab of this.#tabs) tab.send({ type: "event", name, event });
      });
    }
  }

  /** Removes a connection that a node has refused permanently; the next tab creates a new one. */
  #removeIfClosed(state: ConnectionState): void {
    if (state.status === "closed" && this.#tabs.size > 0) this.#onEmpty();
  }

  /** Requests a credential from the tabs, round robin, as the first one may be suspended. */
  async #requestToken(): Promise<string> {
    for (const tab of [...this.#tabs]) {
      if (!tab.asksForToken || !this.#tabs.has(tab)) continue;
      this.#tabs.delete(tab);
      this.#tabs.add(tab);
      const answer = await tab.requestToken();
      if (typeof answer === "string") return answer;
      if (answer !== undefined) throw fromPlain(answer);
    }
    throw new SluiceError("no-token", "no tab can provide a credential");
  }
}
