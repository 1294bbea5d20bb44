import { checkFunction, checkObserver, checkPayload, checkProperties } from "./arguments.js";
import type { Client } from "./client-type.js";
import type { ClientEvents } from "./client.js";
import type { ClockOffset } from "./clock.js";
import { Emitter, type Undo } from "./emitter.js";
import { SluiceError, type ClientErrorCode } from "./errors.js";
import type { Message, Properties } from "./message.js";
import type { Token } from "./options.js";
import type { Position } from "./position.js";
import {
  follow,
  fromPlain,
  HEARD_EVERY,
  thrownToPlain,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import { initialState, type ConnectionState } from "./state.js";
import {
  checkShared,
  toSubscribeSettings,
  type SubscribeOptions,
  type SubscribeSettings,
} from "./subscribe-options.js";
import type {
  Gap,
  Subscription,
  SubscriptionObserver,
  SubscriptionState,
} from "./subscriptions.js";
import { checkTopic, checkTopicOrPattern } from "./topics.js";

interface SubscriptionEvents {
  message: Message;
  gap: Gap;
  state: SubscriptionState;
  error: SluiceError;
}

/** A topic of this tab; any number of its observers share it. */
interface TabTopic {
  id: number;
  readonly topic: string;
  readonly settings: SubscribeSettings;
  readonly observers: Emitter<SubscriptionEvents>;
  observerCount: number;
  state: SubscriptionState;
  position: Position | undefined;
}

interface Pending {
  readonly topic: string;
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
}

/** What a tab and the worker know of each other's life. */
export interface WorkerBond {
  /** The worker lives as long as it holds this lock. */
  onWorker(lock: string, onGone: () => void): void;
  /** The tab needs the worker no more. */
  letGo(): void;
}

type OpenMessage = Extract<TabMessage, { readonly type: "open" }>;
type ToldOf<Type> = Extract<WorkerMessage, { readonly type: Type }>;

const WAITING: SubscriptionState = { status: "waiting" };

/**
 * A client whose connection is in a worker. Each of its subscriptions is one of the worker's, which
 * decides what they share.
 */
export class SharedClient implements Client {
  readonly #port: MessagePort;
  readonly #token: Token | undefined;
  readonly #events: Emitter<ClientEvents>;
  readonly #byTopic = new Map<string, TabTopic>();
  readonly #byId = new Map<number, TabTopic>();
  readonly #pending = new Map<number, Pending>();
  readonly #worker: WorkerBond;
  readonly #opened: Promise<void>;
  #lastId = 0;
  /** Messages of which the worker does not know yet that they have come. */
  #unsaid = 0;
  #state: ConnectionState = initialState;
  #clockOffset: ClockOffset | undefined;
  #isReporting = false;

  /**
   * @param open - Resolves with the message that opens the port, once the tab's lock is held.
   */
  constructor(
    port: MessagePort,
    open: Promise<OpenMessage>,
    token: Token | undefined,
    worker: WorkerBond,
  ) {
    this.#port = port;
    this.#token = token;
    this.#worker = worker;
    this.#events = new Emitter((thrown) => {
      this.#onHandlerThrew(thrown);
    });
    port.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
      this.#onMessage(data);
    });
    port.start();
    // What is said before is heard after it.
    this.#opened = open.then(
      (message) => {
        port.postMessage(message);
      },
      (cause: unknown) => {
        this.fail(cause);
      },
    );
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get clockOffset(): ClockOffset | undefined {
    return this.#clockOffset;
  }

  subscribe(
    topic: string,
    observer: ((message: Message) => void) | SubscriptionObserver,
    options: SubscribeOptions = {},
  ): Subscription {
    checkTopicOrPattern(topic);
    const checked = typeof observer === "function" ? { onMessage: observer } : observer;
    checkObserver(checked);
    const settings = toSubscribeSettings(options);
    if (this.#isClosed()) throw this.#closedError();
    const found = this.#byTopic.get(topic);
    if (found) checkShared(found.settings, settings);
    const shared = found ?? this.#create(topic, settings);
    if (shared.state.status === "refused") this.#askAgain(shared);
    return this.#observe(shared, checked);
  }

  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void> {
    checkTopic(topic);
    checkPayload(payload);
    checkProperties(properties);
    if (this.#isClosed()) return Promise.reject(this.#closedError());
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { topic, resolve, reject });
      this.#say({ type: "publish", id, topic, payload, properties });
    });
  }

  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    checkFunction("listener", listener);
    return this.#events.on(name, listener);
  }

  retryNow(): void {
    this.#say({ type: "retry" });
  }

  close(): void {
    this.#say({ type: "close" });
    this.#finish(undefined);
  }

  /** The worker cannot be used, or not any more. */
  fail(cause: unknown): void {
    if (this.#isClosed()) return;
    const why = "the shared worker could not be started, or has ended";
    const error = new SluiceError("refused", why, undefined, cause);
    this.#finish(error);
    this.#report(error);
  }

  #say(message: TabMessage): void {
    if (this.#isClosed()) return;
    void this.#opened.then(() => {
      this.#port.postMessage(message);
    });
  }

  #create(topic: string, settings: SubscribeSettings): TabTopic {
    const created: TabTopic = {
      id: ++this.#lastId,
      topic,
      settings,
      observers: new Emitter((thrown) => {
        this.#onHandlerThrew(thrown);
      }),
      observerCount: 0,
      state: WAITING,
      position: undefined,
    };
    this.#byTopic.set(topic, created);
    this.#ask(created);
    return created;
  }

  #ask(shared: TabTopic): void {
    this.#byId.set(shared.id, shared);
    const { id, topic, settings } = shared;
    this.#say({ type: "subscribe", id, topic, settings });
  }

  #askAgain(shared: TabTopic): void {
    this.#forget(shared);
    shared.id = ++this.#lastId;
    this.#setState(shared, WAITING);
    this.#ask(shared);
  }

  #forget({ id }: TabTopic): void {
    this.#byId.delete(id);
    this.#say({ type: "unsubscribe", id });
  }

  #observe(shared: TabTopic, observer: SubscriptionObserver): Subscription {
    const { onMessage, onGap, onState, onError } = observer;
    const { observers } = shared;
    const undos = [observers.on("message", onMessage)];
    if (onGap) undos.push(observers.on("gap", onGap));
    if (onError) undos.push(observers.on("error", onError));
    if (onState) {
      undos.push(observers.on("state", onState));
      // Not within subscribe, whose caller does not hold the undo yet.
      if (shared.state !== WAITING) {
        queueMicrotask(() => {
          this.#tellSoon(shared, undos, onState);
        });
      }
    }
    shared.observerCount++;
    const undo = (): void => {
      if (undos.length === 0) return;
      for (const one of undos.splice(0)) one();
      if (--shared.observerCount > 0) return;
      this.#byTopic.delete(shared.topic);
      this.#forget(shared);
    };
    return Object.defineProperty(undo as Undo & { position: Position | undefined }, "position", {
      get: () => shared.position,
    });
  }

  #tellSoon(
    shared: TabTopic,
    undos: readonly Undo[],
    onState: (state: SubscriptionState) => void,
  ): void {
    if (undos.length === 0) return;
    try {
      onState(shared.state);
    } catch (thrown) {
      this.#onHandlerThrew(thrown);
    }
  }

  #onMessage(told: WorkerMessage): void {
    if (this.#isClosed()) return;
    switch (told.type) {
      case "worker":
        this.#worker.onWorker(told.lock, () => {
          this.fail(undefined);
        });
        return;
      case "state":
        this.#onState(told);
        return;
      case "clock":
        this.#clockOffset = told.clockOffset;
        return;
      case "event":
        this.#events.emit(told.name, told.event);
        return;
      case "error":
        this.#report(fromPlain(told.error));
        return;
      case "published":
        this.#take(told.id)?.resolve();
        return;
      case "not-published":
        this.#take(told.id)?.reject(fromPlain(told.error));
        return;
      case "ask-token":
        void this.#answer(told.id);
        return;
      default: {
        if (told.type === "message") this.#count();
        const shared = this.#byId.get(told.id);
        if (shared) this.#onTold(shared, told);
      }
    }
  }

  #onTold(
    shared: TabTopic,
    told: ToldOf<"message" | "moved" | "gap" | "subscription-state" | "refused">,
  ): void {
    switch (told.type) {
      case "message":
        shared.position =
          "position" in told ? told.position : follow(shared.position, told.message);
        shared.observers.emit("message", told.message);
        return;
      case "moved":
        shared.position = told.position;
        return;
      case "gap":
        shared.position = told.position;
        shared.observers.emit("gap", told.gap);
        this.#events.emit("gap", told.gap);
        return;
      case "subscription-state":
        shared.position = told.position;
        this.#setState(
          shared,
          told.state.status === "refused"
            ? { status: "refused", error: fromPlain(told.state.error) }
            : told.state,
        );
        return;
      case "refused": {
        const error = fromPlain(told.error);
        if (shared.state.status !== "refused") this.#setState(shared, { status: "refused", error });
        if (!shared.observers.emit("error", error)) this.#report(error);
      }
    }
  }

  /** The worker has to know how far behind the tab is. */
  #count(): void {
    if (++this.#unsaid < HEARD_EVERY) return;
    this.#say({ type: "heard", count: this.#unsaid });
    this.#unsaid = 0;
  }

  #onState({ state }: ToldOf<"state">): void {
    if (state.status === "closed") {
      const error = state.error && fromPlain(state.error);
      this.#finish(error);
      if (error) this.#report(error);
    } else {
      this.#setConnectionState(state);
    }
  }

  #setConnectionState(state: ConnectionState): void {
    this.#state = state;
    this.#events.emit("state", state);
  }

  #setState(shared: TabTopic, state: SubscriptionState): void {
    shared.state = state.status === "waiting" ? WAITING : state;
    shared.observers.emit("state", shared.state);
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    return pending;
  }

  async #answer(id: number): Promise<void> {
    try {
      const token = typeof this.#token === "function" ? await this.#token() : (this.#token ?? "");
      this.#say({ type: "token", id, token });
    } catch (thrown) {
      this.#say({ type: "no-token", id, error: thrownToPlain(thrown) });
    }
  }

  #finish(error: SluiceError | undefined): void {
    if (this.#isClosed()) return;
    this.#setConnectionState({ status: "closed", error });
    for (const { topic, reject } of this.#pending.values()) {
      const code: ClientErrorCode = "connection-lost";
      const why = "the client was closed before the answer; the message may have been published";
      reject(new SluiceError(code, why, topic, error));
    }
    this.#pending.clear();
    this.#byTopic.clear();
    this.#byId.clear();
    void this.#opened.then(() => {
      this.#worker.letGo();
      this.#port.close();
    });
  }

  #onHandlerThrew(thrown: unknown): void {
    const what = thrown instanceof Error ? thrown.message : String(thrown);
    this.#report(new SluiceError("handler-failed", `a handler threw: ${what}`, undefined, thrown));
  }

  /** Tells the application of an error, on the console if nobody listens. */
  #report(error: SluiceError): void {
    // A listener for errors that throws would be told of its own error, for ever.
    const isHeard = !this.#isReporting && this.#tell(error);
    if (!isHeard) console.error(error);
  }

  #tell(error: SluiceError): boolean {
    this.#isReporting = true;
    try {
      return this.#events.emit("error", error);
    } finally {
      this.#isReporting = false;
    }
  }

  #isClosed(): boolean {
    return this.#state.status === "closed";
  }

  #closedError(): SluiceError {
    const cause = this.#state.status === "closed" ? this.#state.error : undefined;
    return new SluiceError("closed", "the client is closed", undefined, cause);
  }
}
