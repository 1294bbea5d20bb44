import { connect } from "./connect.js";
import type { Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { ConnectOptions } from "./options.js";
import { Lane } from "./shared-lanes.js";
import {
  fromPlain,
  toPlain,
  type TabMessage,
  type ToldEvent,
  type WorkerMessage,
} from "./shared-protocol.js";
import { SharedTab, type TabConnection } from "./shared-tab.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeSettings } from "./subscribe-options.js";

/** The part of `navigator.locks` that is needed. */
export interface Locks {
  request(
    name: string,
    options: { readonly signal?: AbortSignal },
    callback: () => unknown,
  ): Promise<unknown>;
}

/** Holds a lock that is nobody else's until what comes back is called, or its holder is gone. */
export async function hold(locks: Locks, name: string): Promise<Undo> {
  return new Promise((resolve, reject) => {
    const held = (): Promise<void> =>
      new Promise((release) => {
        resolve(release);
      });
    locks.request(name, {}, held).catch(reject);
  });
}

type OpenMessage = Extract<TabMessage, { readonly type: "open" }>;

const TOLD_EVENTS: readonly ToldEvent[] = ["hello", "stale", "live", "draining", "moved"];

/** What runs in the worker: the connections of all tabs of an origin. */
export class SharedHub {
  readonly #locks: Locks;
  readonly #environment: ConnectOptions;
  readonly #connections = new Map<string, SharedConnection>();
  readonly #lock = `sluice-worker-${crypto.randomUUID()}`;
  readonly #held: Promise<unknown>;

  /** @param environment - Options that no tab can give: classes and functions, for tests. */
  constructor(locks: Locks, environment: ConnectOptions = {}) {
    this.#locks = locks;
    this.#environment = environment;
    this.#held = hold(locks, this.#lock);
  }

  /** How many connections there are, those for another `delivery` or `rate` of a topic included. */
  get size(): number {
    return [...this.#connections.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** A tab has opened its port. */
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
    void this.#held.then(() => {
      port.postMessage({ type: "worker", lock: this.#lock } satisfies WorkerMessage);
    });
    const { urls, options, asksForToken, share, lock } = message;
    const key = JSON.stringify([urls, options, asksForToken, share]);
    const connection = this.#connections.get(key) ?? this.#create(key, message);
    const leave = connection.enter(port, asksForToken);
    // It is had when the tab is gone, however it went.
    void this.#locks.request(lock, {}, leave);
  }

  #create(key: string, { urls, options, asksForToken }: OpenMessage): SharedConnection {
    const created: SharedConnection = new SharedConnection(
      (token) => {
        const all = { ...options, ...this.#environment, ...(asksForToken ? { token } : {}) };
        return new Lane(connect(urls, all));
      },
      () => {
        if (this.#connections.get(key) === created) this.#connections.delete(key);
      },
    );
    this.#connections.set(key, created);
    return created;
  }
}

/** What the tabs share that connect to the same place in the same way. */
class SharedConnection implements TabConnection {
  readonly #openLane: (token: () => Promise<string>) => Lane;
  readonly #onEmpty: () => void;
  readonly #tabs = new Set<SharedTab>();
  /** The first one lives as long as there are tabs, and its state is what they see. */
  readonly #lanes: Lane[] = [];

  constructor(openLane: (token: () => Promise<string>) => Lane, onEmpty: () => void) {
    this.#openLane = openLane;
    this.#onEmpty = onEmpty;
    this.#listen(this.#addLane());
  }

  get size(): number {
    return this.#lanes.length;
  }

  get first(): Lane {
    const [first] = this.#lanes;
    if (!first) throw new SluiceError("closed", "the connection has no tabs any more");
    return first;
  }

  /** A tab comes; what is returned ends it. */
  enter(port: MessagePort, asksForToken: boolean): Undo {
    const tab = new SharedTab(port, this, asksForToken);
    this.#tabs.add(tab);
    tab.begin();
    return () => {
      this.leave(tab);
    };
  }

  /** A tab has gone. */
  leave(tab: SharedTab): void {
    if (!this.#tabs.delete(tab)) return;
    tab.end();
    if (this.#tabs.size > 0) return;
    for (const lane of this.#lanes.splice(0)) lane.client.close();
    this.#onEmpty();
  }

  /** The lane for a subscription. */
  laneFor(topic: string, settings: SubscribeSettings): Lane {
    return this.#lanes.find((lane) => lane.canTake(topic, settings)) ?? this.#addLane();
  }

  /** Something was taken off a lane. */
  onLeft(lane: Lane): void {
    const index = this.#lanes.indexOf(lane);
    if (index < 1 || !lane.isEmpty) return;
    this.#lanes.splice(index, 1);
    lane.client.close();
  }

  retryNow(): void {
    for (const { client } of this.#lanes) client.retryNow();
  }

  #addLane(): Lane {
    const lane = this.#openLane(() => this.#askForToken());
    this.#lanes.push(lane);
    // Of further lanes this says what went wrong; of the first, too.
    lane.client.on("error", (error) => {
      for (const tab of this.#tabs) tab.tell({ type: "error", error: toPlain(error) });
    });
    return lane;
  }

  #listen({ client }: Lane): void {
    client.on("state", (state) => {
      for (const tab of this.#tabs) tab.tellState(state);
      this.#giveUpIfClosed(state);
    });
    // A session that follows another one without a change of the state may go another way.
    client.on("hello", () => {
      const { transport } = client;
      for (const tab of this.#tabs) tab.tell({ type: "transport", transport });
    });
    for (const name of TOLD_EVENTS) {
      client.on(name, (event) => {
        for (const tab of this.#tabs) tab.tell({ type: "event", name, event });
      });
    }
  }

  /** What the node has refused for good is tried again for the next tab that comes. */
  #giveUpIfClosed(state: ConnectionState): void {
    if (state.status === "closed" && this.#tabs.size > 0) this.#onEmpty();
  }

  /** Asks the tabs in turn: one that sleeps is another time not the first. */
  async #askForToken(): Promise<string> {
    for (const tab of [...this.#tabs]) {
      if (!tab.asksForToken || !this.#tabs.has(tab)) continue;
      this.#tabs.delete(tab);
      this.#tabs.add(tab);
      const answer = await tab.askForToken();
      if (typeof answer === "string") return answer;
      if (answer !== undefined) throw fromPlain(answer);
    }
    throw new SluiceError("no-token", "there is no tab that could be asked");
  }
}
