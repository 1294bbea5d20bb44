import { ClientEmitter, type ClientEvents } from "../engine/client-events.js";
import type { Client } from "../engine/client-type.js";
import type { ClockOffset } from "../engine/clock.js";
import type { Undo } from "../engine/emitter.js";
import { SluiceError, type ClientErrorCode } from "../engine/errors.js";
import type { MessagesOptions } from "../engine/messages-options.js";
import type { MessageHandler, Subscription } from "../engine/observer.js";
import type { Token, Transport } from "../engine/options.js";
import {
  toPublication,
  type Destination,
  type Publication,
  type PublishOptions,
  type PublishPayload,
} from "../engine/publish-options.js";
import type { Presence } from "../queues/presence-types.js";
import type { PendingPublish } from "../engine/pending-publish.js";
import type { Hello } from "../engine/frames.js";
import { BlobReads } from "../engine/blob-reads.js";
import { toContent } from "../engine/content.js";
import { errorAt } from "../queues/queue-error.js";
import type { Consumer } from "../queues/consumer-types.js";
import type { Queue } from "../queues/queue-types.js";
import type { Reply } from "../queues/request-types.js";
import { PublishChecks } from "../engine/publish-checks.js";
import { ready } from "../engine/ready.js";
import { MirroredClock } from "./shared-clock.js";
import {
  fromPlain,
  ACK_INTERVAL,
  thrownToPlain,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import { TabTopics } from "./shared-topics.js";
import type { SchemaMap } from "../engine/topic-map.js";
import { initialState, type ConnectionState } from "../engine/state.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";
import { openSubscription, type SubscriptionClient } from "../engine/subscription.js";
import type {
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "../queues/subscription-types.js";

interface UnansweredPublish {
  readonly publication: Publication;
  readonly since: number;
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
}

/** Lifecycle of the shared worker as seen by a tab. */
export interface WorkerLifecycle {
  /** Returns the tab's end of a port to the worker; starts the worker if there is none. */
  openPort(): MessagePort;
  /** Calls `onGone` when the worker, which holds this lock, has ended. */
  onWorker(lock: string, onGone: () => void): void;
  /** Releases the worker. */
  release(): void;
}

type OpenMessage = Extract<TabMessage, { readonly type: "open" }>;
type MessageOf<Type> = Extract<WorkerMessage, { readonly type: Type }>;

/** Returns a function that rejects what needs a connection that no other tab uses. */
function refusal(where: Parameters<typeof errorAt>[0]): () => Promise<never> {
  const message = "a shared client can subscribe and publish only; use a client of connect";
  return () => Promise.reject(errorAt(where, "unsupported", message));
}

// Maximum number of consecutive workers that may end before one has opened a session.
const MAX_WORKER_ENDS = 3;

/**
 * Client whose connection is in a shared worker. Each of its subscriptions is one of the worker,
 * which decides what they share. The worker may end before the tab, for example in the process of
 * another tab that crashes. The client then continues with another worker, at its positions.
 */
export class SharedClient implements Client {
  readonly #open: Promise<OpenMessage>;
  readonly #token: Token | undefined;
  readonly #checks: PublishChecks | undefined;
  readonly #blobs = new BlobReads();
  readonly #events = new ClientEmitter();
  readonly #topics: TabTopics;
  readonly #clock = new MirroredClock();
  readonly #subscriptionClient: SubscriptionClient;
  readonly #pending = new Map<number, UnansweredPublish>();
  readonly #worker: WorkerLifecycle;
  #port: MessagePort;
  /** Workers that have ended since the last session. */
  #workerEnds = 0;
  #lastId = 0;
  /** Received messages that are not acknowledged to the worker yet. */
  #unacknowledged = 0;
  #state: ConnectionState = initialState;
  #transport: Transport | undefined;
  /** Subject of the latest session; undefined if it is unknown. */
  #subject: string | undefined;

  /** @param open - Resolves with the message that opens a port, once the tab holds its lock. */
  constructor(
    open: Promise<OpenMessage>,
    token: Token | undefined,
    worker: WorkerLifecycle,
    schemas: SchemaMap | undefined,
  ) {
    this.#open = open;
    this.#subscriptionClient = {
      events: this.#events,
      schemas,
      add: (topic, observer, settings) => {
        if (this.#isClosed()) throw this.#closedError();
        return this.#topics.add(topic, observer, settings);
      },
    };
    this.#checks = schemas && new PublishChecks(schemas);
    this.#token = token;
    this.#worker = worker;
    this.#topics = new TabTopics(this.#clock, {
      send: (message) => {
        this.#send(message);
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

  readonly subscribe = ((
    topic: string,
    handler?: MessageHandler<never> | MessagesOptions,
    options?: SubscribeOptions,
  ): Subscription =>
    openSubscription(this.#subscriptionClient, topic, handler, options)) as Client["subscribe"];

  readonly messages = ((topic: string, options?: MessagesOptions): unknown =>
    this.subscribe(topic, options)[Symbol.asyncIterator]()) as Client["messages"];

  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void> {
    return this.#publish({ topic }, payload, options);
  }

  get pendingPublishes(): readonly PendingPublish[] {
    return [...this.#pending.values()].map(({ publication: { destination, options }, since }) => ({
      topic: destination.topic,
      queue: destination.queue,
      id: options.id,
      status: "sent",
      since,
    }));
  }

  queue(name: string): Queue {
    const refuse = refusal({ queue: name });
    return {
      name,
      publish: (payload, options) => this.#publish({ queue: name }, payload, options),
      request: refuse,
      consume: refuse,
      serve: refuse,
      browse: refuse,
    };
  }

  request(topic: string): Promise<Reply<never>> {
    return refusal({ topic })();
  }

  serve(queue: string): Promise<Consumer> {
    return refusal({ queue })();
  }

  durable(topic: string, name: string): DurableSubscription {
    const refuse = refusal({ topic });
    return { topic, name, consume: refuse, serve: refuse, delete: refuse };
  }

  shared(topic: string, name: string): SharedSubscription {
    return this.durable(topic, name);
  }

  durables(): Promise<DurableList> {
    return refusal({})();
  }

  transaction(): Promise<void> {
    return refusal({})();
  }

  presence(topic: string): Promise<Presence> {
    return refusal({ topic })();
  }

  async #publish(
    destination: Destination,
    payload: unknown,
    options: PublishOptions | undefined,
  ): Promise<void> {
    const encoded = toContent(payload, options);
    const read = this.#blobs.read(encoded);
    const content = read ? await read : encoded;
    const publication = toPublication(destination, content, options);
    if (this.#isClosed()) throw this.#closedError();
    if (this.#checks) await this.#checks.check(destination, content);
    if (this.#isClosed()) throw this.#closedError();
    const id = ++this.#lastId;
    await new Promise<void>((resolve, reject) => {
      this.#pending.set(id, { publication, since: Date.now(), resolve, reject });
      this.#onPending();
      this.#send({ type: "publish", id, publication, subject: this.#subject });
    });
  }

  #onPending(): void {
    this.#events.emit("pending", this.pendingPublishes);
  }

  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    return this.#events.on(name, listener);
  }

  ready(): Promise<void> {
    return ready(this);
  }

  /** Not for a tab: the connection is that of all tabs. */
  pause(): void {
    throw new SluiceError("unsupported", "a client of connectShared cannot be paused");
  }

  resume(): void {
    // Never paused.
  }

  retryNow(): void {
    this.#send({ type: "retry" });
  }

  close(): void {
    this.#send({ type: "close" });
    this.#terminate(undefined);
  }

  /** Closes the client with an error: the worker failed to start, or has ended. */
  fail(cause: unknown): void {
    if (this.#isClosed()) return;
    const message = "the shared worker failed to start, or has ended";
    const error = new SluiceError("refused", message, undefined, cause);
    this.#terminate(error);
    this.#events.report(error);
  }

  #openPort(): MessagePort {
    const port = this.#worker.openPort();
    port.addEventListener("message", ({ data }: MessageEvent<WorkerMessage>) => {
      if (port === this.#port) this.#onMessage(data);
    });
    port.start();
    // Later messages are sent after this one.
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

  #send(message: TabMessage): void {
    if (this.#isClosed()) return;
    const port = this.#port;
    const send = (): void => {
      port.postMessage(message);
    };
    // On failure the client is already closed.
    this.#open.then(send, () => undefined);
  }

  /** Handles the end of the worker while the tab is active. */
  #onWorkerEnd(): void {
    if (this.#isClosed()) return;
    this.#port.close();
    if (++this.#workerEnds > MAX_WORKER_ENDS) {
      this.fail(undefined);
      return;
    }
    this.#transport = undefined;
    this.#unacknowledged = 0;
    this.#failPublishes(
      "connection-lost",
      "the shared worker has ended before the answer",
      undefined,
    );
    const lastEnd = { code: 1006, reason: "the shared worker has ended" };
    const failures = this.#workerEnds;
    this.#setState({ status: "connecting", failures, retryAt: undefined, lastEnd });
    this.#topics.onLost();
    if (this.#isClosed()) return; // closed by an event handler
    try {
      this.#port = this.#openPort();
    } catch (cause) {
      this.fail(cause);
      return;
    }
    this.#topics.subscribeAll();
  }

  #onMessage(message: WorkerMessage): void {
    if (this.#isClosed()) return;
    switch (message.type) {
      case "worker":
        this.#worker.onWorker(message.lock, () => {
          this.#onWorkerEnd();
        });
        return;
      case "state":
        this.#onState(message);
        return;
      case "transport":
        this.#transport = message.transport;
        return;
      case "clock":
        this.#clock.offset = message.clockOffset;
        return;
      case "event":
        this.#onEvent(message);
        return;
      case "error":
        this.#events.report(fromPlain(message.error));
        return;
      case "published":
        this.#removePending(message.id)?.resolve();
        return;
      case "not-published":
        this.#removePending(message.id)?.reject(fromPlain(message.error));
        return;
      case "ask-token":
        void this.#sendToken(message.id);
        return;
      default:
        if (message.type === "message") this.#acknowledge();
        this.#topics.onWorkerMessage(message);
    }
  }

  /** Checks the subject, as another worker does not contain that of the one before. */
  #onHello(hello: Hello): void {
    const from = this.#subject;
    const to = hello.subject;
    this.#topics.onHello(hello);
    this.#subject = to ?? from;
    if (from === undefined || this.#subject === from) return;
    this.#failPublishes("identity-changed", "the credential has another subject", undefined);
    this.#topics.restart();
    this.#events.emit("identity-changed", { from, to });
  }

  #onEvent({ name, event }: MessageOf<"event">): void {
    if (name === "identity-changed") this.#subject = undefined;
    if (name === "hello") this.#onHello(event as Hello);
    this.#events.emit(name, event);
  }

  /**
   * Counts a received message and acknowledges in batches, from which the worker computes the tab's
   * lag.
   */
  #acknowledge(): void {
    if (++this.#unacknowledged < ACK_INTERVAL) return;
    this.#send({ type: "heard", count: this.#unacknowledged });
    this.#unacknowledged = 0;
  }

  #onState({ state, transport }: MessageOf<"state">): void {
    if (state.status === "closed") {
      const error = state.error && fromPlain(state.error);
      this.#terminate(error);
      if (error) this.#events.report(error);
    } else {
      this.#transport = transport;
      if (state.status !== "connecting") this.#workerEnds = 0;
      this.#setState(state);
    }
  }

  #setState(state: ConnectionState): void {
    this.#state = state;
    this.#events.emit("state", state);
  }

  #removePending(id: number): UnansweredPublish | undefined {
    const pending = this.#pending.get(id);
    if (this.#pending.delete(id)) this.#onPending();
    return pending;
  }

  async #sendToken(id: number): Promise<void> {
    try {
      const token = typeof this.#token === "function" ? await this.#token() : (this.#token ?? "");
      this.#send({ type: "token", id, token });
    } catch (thrown) {
      this.#send({ type: "no-token", id, error: thrownToPlain(thrown) });
    }
  }

  #terminate(error: SluiceError | undefined): void {
    if (this.#isClosed()) return;
    this.#transport = undefined;
    this.#setState({ status: "closed", error });
    this.#topics.onClosed();
    this.#failPublishes("connection-lost", "the client was closed before the answer", error);
    const end = (): void => {
      this.#worker.release();
      this.#port.close();
    };
    this.#open.then(end, end);
  }

  #failPublishes(code: ClientErrorCode, message: string, cause: SluiceError | undefined): void {
    const all = [...this.#pending.values()];
    this.#pending.clear();
    if (all.length > 0) this.#onPending();
    for (const { publication, reject } of all) {
      const text = `${message}; the message may have been published`;
      reject(errorAt(publication.destination, code, text, cause));
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
