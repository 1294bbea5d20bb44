import type { Client } from "./client-type.js";
import type { Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { MessageWindow, WindowFeeds } from "./message-window.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import { RenderPace } from "./render-pace.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/** One topic with the same options for all of its windows, which share a subscription. */
class TopicFeed {
  readonly topic: string;
  readonly #client: Client;
  readonly #options: SubscribeOptions;
  readonly #windows = new Set<MessageWindow>();
  #subscription: Subscription;

  constructor(client: Client, topic: string, options: SubscribeOptions) {
    this.topic = topic;
    this.#client = client;
    this.#options = options;
    this.#subscription = this.#subscribe();
  }

  get isIdle(): boolean {
    return this.#windows.size === 0;
  }

  enter(window: MessageWindow): Undo {
    const copied = fullest([...this.#windows].filter((other) => window.canCopy(other)));
    if (copied) window.copy(copied);
    if (this.#subscription.state.status === "refused") this.#askAgain();
    window.onState(this.#subscription.state);
    this.#windows.add(window);
    return () => {
      this.#windows.delete(window);
    };
  }

  end(): void {
    this.#subscription();
  }

  #subscribe(): Subscription {
    const observer: SubscriptionObserver = {
      onMessage: (message) => {
        this.#tell((window) => {
          window.onMessage(message);
        });
      },
      onGap: (gap) => {
        this.#tell((window) => {
          window.onGap(gap);
        });
      },
      onState: (state) => {
        this.#tell((window) => {
          window.onState(state);
        });
      },
    };
    return this.#client.subscribe(this.topic, observer, this.#options);
  }

  /** The node said no, and is asked again for each handler that comes. */
  #askAgain(): void {
    const refused = this.#subscription;
    this.#subscription = this.#subscribe();
    refused();
  }

  /** Tells all windows; what the first of them threw goes to the client, which reports it. */
  #tell(tell: (window: MessageWindow) => void): void {
    const thrown: unknown[] = [];
    for (const window of [...this.#windows]) {
      try {
        tell(window);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }
}

/**
 * What the windows of one client share: a subscription for each topic and options. It outlives its
 * last window by a moment, because React takes windows away and brings them back within one task:
 * under StrictMode, and when one component takes the place of another.
 */
export class TopicFeeds implements WindowFeeds {
  /** Of all windows, so that they change in the same frame at the same time. */
  readonly pace = new RenderPace();
  readonly #client: Client;
  readonly #byKey = new Map<string, TopicFeed>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Has a window hear of a topic. A subscription that is not to be had is told as its state. */
  join(topic: string, options: SubscribeOptions, window: MessageWindow): Undo {
    try {
      const key = JSON.stringify([topic, options]);
      const feed = this.#byKey.get(key) ?? this.#open(key, topic, options);
      const leave = feed.enter(window);
      return () => {
        leave();
        queueMicrotask(() => {
          this.#endIfIdle(key, feed);
        });
      };
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      window.onState({ status: "refused", error });
      return () => undefined;
    }
  }

  #open(key: string, topic: string, options: SubscribeOptions): TopicFeed {
    // A component with other options may take the place of one that has just gone.
    for (const [other, feed] of this.#byKey) {
      if (feed.topic === topic) this.#endIfIdle(other, feed);
    }
    const opened = new TopicFeed(this.#client, topic, options);
    this.#byKey.set(key, opened);
    return opened;
  }

  #endIfIdle(key: string, feed: TopicFeed): void {
    if (!feed.isIdle || this.#byKey.get(key) !== feed) return;
    this.#byKey.delete(key);
    feed.end();
  }
}

function fullest(windows: readonly MessageWindow[]): MessageWindow | undefined {
  return windows.reduce<MessageWindow | undefined>(
    (best, window) => (best && best.size >= window.size ? best : window),
    undefined,
  );
}

const feedsByClient = new WeakMap<Client, TopicFeeds>();

/** The feeds of a client; one for each, whichever parts of a page use it. */
export function feedsOf(client: Client): TopicFeeds {
  const found = feedsByClient.get(client) ?? new TopicFeeds(client);
  feedsByClient.set(client, found);
  return found;
}
