import type { SluiceClient } from "../engine/client.js";
import type { ClockOffset } from "../engine/clock.js";
import { SluiceError } from "../engine/errors.js";
import type { Message } from "../engine/message.js";
import type { Subscription, SubscriptionObserver } from "../engine/observer.js";
import type { Position } from "../engine/position.js";
import {
  advancePosition,
  isSame,
  thrownToPlain,
  toPlain,
  type PlainError,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import type { ConnectionState } from "../engine/state.js";
import type { SubscribeSettings } from "../engine/subscribe-options.js";

type PublishMessage = Extract<TabMessage, { readonly type: "publish" }>;

// Maximum staleness of a tab's clock offset, and of its position in an idle topic.
const REFRESH_MS = 1_000;
// Maximum backlog of messages in a tab's port. Pages that hold a lock are slow, but never frozen.
const MAX_UNACKNOWLEDGED = 50_000;

/** Connection that a tab shares with others. */
export interface TabConnection {
  readonly client: SluiceClient;
  /** Reports that a tab has ended. */
  removeTab(tab: SharedTab): void;
}

/** Worker side of a tab. */
export class SharedTab {
  readonly asksForToken: boolean;
  readonly #port: MessagePort;
  readonly #connection: TabConnection;
  readonly #subscriptions = new Map<number, TabSubscription>();
  readonly #tokenRequests = new Map<number, (answer: string | PlainError | undefined) => void>();
  readonly #timer: ReturnType<typeof setInterval>;
  #lastTokenRequest = 0;
  #unacknowledged = 0;
  #isEnded = false;
  #clockOffset: ClockOffset | undefined;

  constructor(port: MessagePort, connection: TabConnection, asksForToken: boolean) {
    this.#port = port;
    this.#connection = connection;
    this.asksForToken = asksForToken;
    this.#timer = setInterval(() => {
      this.#refresh();
    }, REFRESH_MS);
    port.addEventListener("message", ({ data }: MessageEvent<TabMessage>) => {
      this.#onMessage(data);
    });
  }

  get client(): SluiceClient {
    return this.#connection.client;
  }

  /** Sends the current state. */
  start(): void {
    const { state } = this.client;
    this.sendState(state);
    if ("hello" in state) this.send({ type: "event", name: "hello", event: state.hello });
  }

  send(message: WorkerMessage): void {
    this.#port.postMessage(message);
  }

  /** Sends a message; removes a tab whose backlog exceeds the limit. */
  sendMessage(message: Extract<WorkerMessage, { readonly type: "message" }>): void {
    this.send(message);
    if (++this.#unacknowledged <= MAX_UNACKNOWLEDGED) return;
    const text = `the tab is ${String(MAX_UNACKNOWLEDGED)} messages behind`;
    this.sendState({ status: "closed", error: new SluiceError("refused", text) });
    // Deferred, as this message is still being delivered to the tab's subscriptions.
    queueMicrotask(() => {
      this.#connection.removeTab(this);
    });
  }

  sendState(state: ConnectionState): void {
    this.#sendClock();
    const plain =
      state.status === "closed" ? { ...state, error: state.error && toPlain(state.error) } : state;
    const { transport } = this.client;
    this.send({ type: "state", state: plain, transport });
  }

  /**
   * Requests a credential from the tab; resolves with it, with an error, or with undefined if the
   * tab ends first.
   */
  requestToken(): Promise<string | PlainError | undefined> {
    const id = ++this.#lastTokenRequest;
    this.send({ type: "ask-token", id });
    return new Promise((resolve) => this.#tokenRequests.set(id, resolve));
  }

  /** Ends the tab's subscriptions. */
  end(): void {
    this.#isEnded = true;
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
    for (const answer of this.#tokenRequests.values()) answer(undefined);
    this.#port.close();
  }

  #onMessage(message: TabMessage): void {
    // A closed port may still deliver messages.
    if (this.#isEnded) return;
    switch (message.type) {
      case "subscribe":
        this.#subscribe(message.id, message.topic, message.settings);
        return;
      case "unsubscribe":
        this.#subscriptions.get(message.id)?.end();
        this.#subscriptions.delete(message.id);
        return;
      case "publish":
        void this.#publish(message);
        return;
      case "token":
        this.#onTokenAnswer(message.id, message.token);
        return;
      case "no-token":
        this.#onTokenAnswer(message.id, message.error);
        return;
      case "heard":
        this.#unacknowledged -= message.count;
        return;
      case "retry":
        this.client.retryNow();
        return;
      case "close":
        this.#connection.removeTab(this);
        return;
      case "open":
        return;
    }
  }

  #subscribe(id: number, topic: string, settings: SubscribeSettings): void {
    try {
      const subscription = new TabSubscription(id, topic, settings, this);
      this.#subscriptions.set(id, subscription);
    } catch (thrown) {
      this.send({ type: "refused", id, error: thrownToPlain(thrown) });
    }
  }

  /** Publishes as the subject that the tab shows; the worker may have one more recent. */
  async #publish({ id, publication, subject }: PublishMessage): Promise<void> {
    const { destination, payload, options } = publication;
    const { client } = this;
    try {
      const messaging = await (client.messaging ??= client.loadMessaging());
      if (client.state.status === "closed") throw new SluiceError("closed", "the client is closed");
      await messaging.publish(destination, payload, options, subject);
      this.send({ type: "published", id });
    } catch (thrown) {
      this.send({ type: "not-published", id, error: thrownToPlain(thrown) });
    }
  }

  #onTokenAnswer(id: number, answer: string | PlainError): void {
    this.#tokenRequests.get(id)?.(answer);
    this.#tokenRequests.delete(id);
  }

  #refresh(): void {
    this.#sendClock();
    for (const subscription of this.#subscriptions.values()) subscription.refresh();
  }

  #sendClock(): void {
    const { clockOffset } = this.client;
    if (clockOffset === this.#clockOffset) return;
    this.#clockOffset = clockOffset;
    this.send({ type: "clock", clockOffset });
  }
}

/** Subscription of a tab. */
class TabSubscription {
  readonly #id: number;
  readonly #tab: SharedTab;
  readonly #subscription: Subscription;
  /** Position that the tab currently has. */
  #sentPosition: Position | undefined;

  constructor(id: number, topic: string, settings: SubscribeSettings, tab: SharedTab) {
    this.#id = id;
    this.#tab = tab;
    this.#subscription = tab.client.subscribe(topic, this.#observer(), settings);
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  /** Sends a position that only a caught-up frame has moved. */
  refresh(): void {
    if (isSame(this.#sentPosition, this.#subscription.position)) return;
    this.#tab.send({ type: "moved", ...this.#currentPosition() });
  }

  #observer(): SubscriptionObserver {
    return {
      onMessage: (message) => {
        this.#onMessage(message);
      },
      onGap: (gap) => {
        this.#tab.send({ type: "gap", gap, ...this.#currentPosition() });
      },
      onState: (state) => {
        const plain =
          state.status === "refused" ? { ...state, error: toPlain(state.error) } : state;
        this.#tab.send({ type: "subscription-state", state: plain, ...this.#currentPosition() });
      },
      onError: (error) => {
        this.#tab.send({ type: "refused", id: this.#id, error: toPlain(error) });
      },
    };
  }

  #onMessage(message: Message): void {
    const before = this.#sentPosition;
    const { position } = this.#subscription;
    this.#sentPosition = position;
    const outgoing = { type: "message", id: this.#id, message } as const;
    const isYielded = (isOrdered: boolean): boolean =>
      isSame(advancePosition(before, message, isOrdered), position);
    if (isYielded(false)) this.#tab.sendMessage(outgoing);
    else if (isYielded(true)) this.#tab.sendMessage({ ...outgoing, isOrdered: true });
    else this.#tab.sendMessage({ ...outgoing, position });
  }

  #currentPosition(): { readonly id: number; readonly position: Position | undefined } {
    this.#sentPosition = this.#subscription.position;
    return { id: this.#id, position: this.#sentPosition };
  }
}
