import { checkPayload, checkProperties, toObserver } from "./arguments.js";
import { ClientEmitter, type ClientEvents } from "./client-events.js";
import type { Client } from "./client-type.js";
import type { ClockOffset } from "./clock.js";
import type { Undo } from "./emitter.js";
import { SluiceError, type ClientErrorCode } from "./errors.js";
import { iterateOver } from "./loop.js";
import type { Message, PayloadKind, Properties } from "./message.js";
import { checkMessagesOptions, type MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { Token, Transport } from "./options.js";
import { converting } from "./payload.js";
import { ToldClock } from "./shared-clock.js";
import {
  fromPlain,
  HEARD_EVERY,
  thrownToPlain,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import { TabTopics } from "./shared-topics.js";
import { onAbort } from "./signal.js";
import { initialState, type ConnectionState } from "./state.js";
import { checkSubscribe, type SubscribeOptions } from "./subscribe-options.js";
import { checkTopic } from "./topics.js";

interface PendingPublish {
  readonly topic: string;
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
}

/** What a tab and its workers know of each other's life. */
export interface WorkerBond {
  /** The tab's end of a port to the worker, which is made if there is none. */
  openPort(): MessagePort;
  /** The worker lives as long as it holds this lock. */
  onWorker(lock: string, onGone: () => void): void;
  /** The tab needs the worker no more. */
  letGo(): void;
}

type OpenMessage = Extract<TabMessage, { readonly type: "open" }>;
type ToldOf<Type> = Extract<WorkerMessage, { readonly type: Type }>;

// So many workers in a row may end before one has had a session.
const MAX_ENDS = 3;

/**
 * A client whose connection is in a worker. Each of its subscriptions is one of the worker's, which
 * decides what they share. The worker may vanish before the tab, as when it lives in the process of
 * another tab that crashes: then the client goes on with another worker, at its positions.
 */
export class SharedClient implements Client {
  readonly #open: Promise<OpenMessage>;
  readonly #token: Token | undefined;
  readonly #events = new ClientEmitter();
  readonly #topics: TabTopics;
  readonly #clock = new ToldClock();
  readonly #pending = new Map<number, PendingPublish>();
  readonly #bond: WorkerBond;
  #port: MessagePort;
  /** Workers that have ended since the latest session. */
  #ends = 0;
  #lastId = 0;
  /** Messages of which the worker does not know yet that they have come. */
  #unsaid = 0;
  #state: ConnectionState = initialState;
  #transport: Transport | undefined;

  /**
   * @param open - Resolves with the message that opens a port, once the tab's lock is held.
   */
  constructor(open: Promise<OpenMessage>, token: Token | undefined, bond: WorkerBond) {
    this.#open = open;
    this.#token = token;
    this.#bond = bond;
    this.#topics = new TabTopics(this.#clock, {
      say: (message) => {
        this.#say(message);
      },
      onGap: (gap) => this.#events.emit("gap", gap),
      onError: this.#events.report,
      onHandlerThrew: this.#events.onHandlerThrew,
    });
    this.#port = this.#openPort();
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get clockOffset(): ClockOffset | undefined {
    return this.#clock.offset;
  }

  get transport(): Transport | undefined {
    return this.#transport;
  }

  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription;
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  subscribe(
    topic: string,
    observer: MessageHandler<never>,
    options: SubscribeOptions = {},
  ): Subscription {
    const settings = checkSubscribe(topic, options);
    const { payload, signal } = options;
    const bound = toObserver(observer as MessageHandler);
    if (this.#isClosed()) throw this.#closedError();
    const heard = payload ? converting(payload, bound, this.#events.report) : bound;
    const undo = this.#topics.add(topic, heard, settings, signal);
    onAbort(signal, undo);
    return undo;
  }

  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  messages(topic: string, options: MessagesOptions = {}): AsyncGenerator<Message, void, undefined> {
    checkSubscribe(topic, options);
    checkMessagesOptions(options);
    return iterateOver(this, topic, options, this.#events.report);
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
    this.#events.report(error);
  }

  #openPort(): MessagePort {
    const port = this.#bond.openPort();
    port.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
      if (port === this.#port) this.#onMessage(data);
    });
    port.start();
    // What is said later is heard after it.
    this.#open.then(
      (message) => {
        port.postMessage(message);
      },
      (cause: unknown) => {
        this.fail(cause);
      },
    );
    return port;
  }

  #say(message: TabMessage): void {
    if (this.#isClosed()) return;
    const port = this.#port;
    const say = (): void => {
      port.postMessage(message);
    };
    // Where it fails, the client has failed.
    this.#open.then(say, () => undefined);
  }

  /** The worker is gone, and the tab is not. */
  #onGone(): void {
    if (this.#isClosed()) return;
    this.#port.close();
    if (++this.#ends > MAX_ENDS) {
      this.fail(undefined);
      return;
    }
    this.#transport = undefined;
    this.#unsaid = 0;
    this.#failPublishes("the shared worker has ended before the answer", undefined);
    const lastEnd = { code: 1006, reason: "the shared worker has ended" };
    const failures = this.#ends;
    this.#setState({ status: "connecting", failures, retryAt: undefined, lastEnd });
    this.#topics.onLost();
    if (this.#isClosed()) return; // by a handler, just now
    try {
      this.#port = this.#openPort();
    } catch (cause) {
      this.fail(cause);
      return;
    }
    this.#topics.askAll();
  }

  #onMessage(told: WorkerMessage): void {
    if (this.#isClosed()) return;
    switch (told.type) {
      case "worker":
        this.#bond.onWorker(told.lock, () => {
          this.#onGone();
        });
        return;
      case "state":
        this.#onState(told);
        return;
      case "transport":
        this.#transport = told.transport;
        return;
      case "clock":
        this.#clock.offset = told.clockOffset;
        return;
      case "event":
        this.#events.emit(told.name, told.event);
        return;
      case "error":
        this.#events.report(fromPlain(told.error));
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
      default:
        if (told.type === "message") this.#count();
        this.#topics.onTold(told);
    }
  }

  /** The worker has to know how far behind the tab is. */
  #count(): void {
    if (++this.#unsaid < HEARD_EVERY) return;
    this.#say({ type: "heard", count: this.#unsaid });
    this.#unsaid = 0;
  }

  #onState({ state, transport }: ToldOf<"state">): void {
    if (state.status === "closed") {
      const error = state.error && fromPlain(state.error);
      this.#finish(error);
      if (error) this.#events.report(error);
    } else {
      this.#transport = transport;
      if (state.status !== "connecting") this.#ends = 0;
      this.#setState(state);
    }
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#events.emit("state", state);
  }

  #take(id: number): PendingPublish | undefined {
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
    this.#transport = undefined;
    this.#setState({ status: "closed", error });
    this.#topics.onClosed();
    this.#failPublishes("the client was closed before the answer", error);
    const end = (): void => {
      this.#bond.letGo();
      this.#port.close();
    };
    this.#open.then(end, end);
  }

  #failPublishes(why: string, cause: SluiceError | undefined): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    const code: ClientErrorCode = "connection-lost";
    for (const { topic, reject } of all) {
      reject(new SluiceError(code, `${why}; the message may have been published`, topic, cause));
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
