import type { ClockOffset } from "./clock.js";
import { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { Lane } from "./shared-lanes.js";
import {
  follow,
  isSame,
  thrownToPlain,
  toPlain,
  type PlainError,
  type TabMessage,
  type WorkerMessage,
} from "./shared-protocol.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeSettings } from "./subscribe-options.js";

type PublishMessage = Extract<TabMessage, { readonly type: "publish" }>;

// How old what a tab knows of a quiet topic's position, and of the clock, may get.
const REFRESH_MS = 1_000;
// Messages that may wait in a tab's port. Pages that hold a lock are not frozen, only slow.
const MAX_UNHEARD = 50_000;

/** Connection that a tab shares with others. */
export interface TabConnection {
  /** Lane whose state the tabs see. */
  readonly first: Lane;
  /** Returns the lane for a subscription. */
  laneFor(topic: string, settings: SubscribeSettings): Lane;
  /** Reports that a subscription of a lane has ended. */
  onLeft(lane: Lane): void;
  /** Reports that a tab has gone. */
  leave(tab: SharedTab): void;
  retryNow(): void;
}

/** A tab as the worker sees it. */
export class SharedTab {
  readonly asksForToken: boolean;
  readonly #port: MessagePort;
  readonly #connection: TabConnection;
  readonly #subscriptions = new Map<number, TabSubscription>();
  readonly #asked = new Map<number, (answer: string | PlainError | undefined) => void>();
  readonly #timer: ReturnType<typeof setInterval>;
  #lastAsked = 0;
  #unheard = 0;
  #isOver = false;
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

  /** Tells how things stand. */
  begin(): void {
    const { state } = this.#connection.first.client;
    this.tellState(state);
    if ("hello" in state) this.tell({ type: "event", name: "hello", event: state.hello });
  }

  tell(message: WorkerMessage): void {
    this.#port.postMessage(message);
  }

  /** Tells a message; a tab that takes them too slowly for long is let go of. */
  tellMessage(message: Extract<WorkerMessage, { readonly type: "message" }>): void {
    this.tell(message);
    if (++this.#unheard <= MAX_UNHEARD) return;
    const why = `the tab is ${String(MAX_UNHEARD)} messages behind`;
    this.tellState({ status: "closed", error: new SluiceError("refused", why) });
    // Not at once: its subscriptions are being told of this message.
    queueMicrotask(() => {
      this.#connection.leave(this);
    });
  }

  tellState(state: ConnectionState): void {
    this.#tellClock();
    const plain =
      state.status === "closed" ? { ...state, error: state.error && toPlain(state.error) } : state;
    const { transport } = this.#connection.first.client;
    this.tell({ type: "state", state: plain, transport });
  }

  /** A credential, or why there is none; undefined if the tab ends before it answers. */
  askForToken(): Promise<string | PlainError | undefined> {
    const id = ++this.#lastAsked;
    this.tell({ type: "ask-token", id });
    return new Promise((resolve) => this.#asked.set(id, resolve));
  }

  /** The tab is gone. */
  end(): void {
    this.#isOver = true;
    clearInterval(this.#timer);
    for (const subscription of this.#subscriptions.values()) subscription.end();
    this.#subscriptions.clear();
    for (const answer of this.#asked.values()) answer(undefined);
    this.#port.close();
  }

  #onMessage(message: TabMessage): void {
    // A port may still bring what was on its way when it was closed.
    if (this.#isOver) return;
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
        this.#answer(message.id, message.token);
        return;
      case "no-token":
        this.#answer(message.id, message.error);
        return;
      case "heard":
        this.#unheard -= message.count;
        return;
      case "retry":
        this.#connection.retryNow();
        return;
      case "close":
        this.#connection.leave(this);
        return;
      case "open":
        return;
    }
  }

  #subscribe(id: number, topic: string, settings: SubscribeSettings): void {
    try {
      const subscription = new TabSubscription(id, topic, settings, this, this.#connection);
      this.#subscriptions.set(id, subscription);
    } catch (thrown) {
      this.tell({ type: "refused", id, error: thrownToPlain(thrown) });
    }
  }

  async #publish({ id, topic, payload, properties }: PublishMessage): Promise<void> {
    try {
      await this.#connection.first.client.publish(topic, payload, properties);
      this.tell({ type: "published", id });
    } catch (thrown) {
      this.tell({ type: "not-published", id, error: thrownToPlain(thrown) });
    }
  }

  #answer(id: number, answer: string | PlainError): void {
    this.#asked.get(id)?.(answer);
    this.#asked.delete(id);
  }

  #refresh(): void {
    this.#tellClock();
    for (const subscription of this.#subscriptions.values()) subscription.refresh();
  }

  #tellClock(): void {
    const { clockOffset } = this.#connection.first.client;
    if (clockOffset === this.#clockOffset) return;
    this.#clockOffset = clockOffset;
    this.tell({ type: "clock", clockOffset });
  }
}

/** A tab's subscription. */
class TabSubscription {
  readonly #id: number;
  readonly #tab: SharedTab;
  readonly #connection: TabConnection;
  readonly #lane: Lane;
  readonly #subscription: Subscription;
  /** What the tab takes for its position. */
  #told: Position | undefined;

  constructor(
    id: number,
    topic: string,
    settings: SubscribeSettings,
    tab: SharedTab,
    connection: TabConnection,
  ) {
    this.#id = id;
    this.#tab = tab;
    this.#connection = connection;
    this.#lane = connection.laneFor(topic, settings);
    this.#subscription = this.#lane.subscribe(topic, this.#observer(), settings);
  }

  end(): void {
    this.#subscription();
    this.#connection.onLeft(this.#lane);
  }

  /** A caught-up may have moved the position, of which nothing else tells. */
  refresh(): void {
    if (isSame(this.#told, this.#subscription.position)) return;
    this.#tab.tell({ type: "moved", ...this.#tellable() });
  }

  #observer(): SubscriptionObserver {
    return {
      onMessage: (message) => {
        this.#onMessage(message);
      },
      onGap: (gap) => {
        this.#tab.tell({ type: "gap", gap, ...this.#tellable() });
      },
      onState: (state) => {
        const plain =
          state.status === "refused" ? { ...state, error: toPlain(state.error) } : state;
        this.#tab.tell({ type: "subscription-state", state: plain, ...this.#tellable() });
      },
      onError: (error) => {
        this.#tab.tell({ type: "refused", id: this.#id, error: toPlain(error) });
      },
    };
  }

  #onMessage(message: Message): void {
    const expected = follow(this.#told, message);
    this.#told = this.#subscription.position;
    const told = { type: "message", id: this.#id, message } as const;
    this.#tab.tellMessage(isSame(expected, this.#told) ? told : { ...told, position: this.#told });
  }

  #tellable(): { readonly id: number; readonly position: Position | undefined } {
    this.#told = this.#subscription.position;
    return { id: this.#id, position: this.#told };
  }
}
