import type { Client } from "./client-type.js";
import type { Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { MessageWindow } from "./message-window.js";
import { RenderPace } from "./render-pace.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/** One topic with the same options for all of its windows. */
interface TopicFeed {
  readonly key: string;
  readonly topic: string;
  /** Ends the subscription that stands as long as the feed, whichever windows come and go. */
  readonly end: Undo;
  readonly windows: Set<MessageWindow>;
}

/**
 * What the windows of one client share: a subscription for each topic and options. It outlives its
 * last window by a moment, because React takes windows away and brings them back within one task:
 * under StrictMode, and when one component takes the place of another.
 */
export class TopicFeeds {
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
      const feed = this.#open(topic, options);
      return this.#enter(feed, options, window);
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      window.onState({ status: "refused", error });
      return () => undefined;
    }
  }

  #open(topic: string, options: SubscribeOptions): TopicFeed {
    const key = JSON.stringify([topic, options]);
    const found = this.#byKey.get(key);
    if (found) return found;
    // A component with other options may take the place of one that has just gone.
    for (const feed of this.#byKey.values()) {
      if (feed.topic === topic) this.#endIfIdle(feed);
    }
    const end = this.#client.subscribe(topic, () => undefined, options);
    const feed: TopicFeed = { key, topic, end, windows: new Set() };
    this.#byKey.set(key, feed);
    return feed;
  }

  #enter(feed: TopicFeed, options: SubscribeOptions, window: MessageWindow): Undo {
    const copied = fullest([...feed.windows].filter((other) => window.canCopy(other)));
    if (copied) window.copy(copied);
    const leave = this.#client.subscribe(
      feed.topic,
      {
        onMessage: (message) => {
          window.onMessage(message);
        },
        onGap: (gap) => {
          window.onGap(gap);
        },
        onState: (state) => {
          window.onState(state);
        },
      },
      { ...options, from: "now" },
    );
    feed.windows.add(window);
    return () => {
      leave();
      feed.windows.delete(window);
      queueMicrotask(() => {
        this.#endIfIdle(feed);
      });
    };
  }

  #endIfIdle(feed: TopicFeed): void {
    if (feed.windows.size > 0 || this.#byKey.get(feed.key) !== feed) return;
    this.#byKey.delete(feed.key);
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
