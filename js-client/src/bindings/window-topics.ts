import type { Client } from "../engine/client-type.js";
import type { Undo } from "../engine/emitter.js";
import { SluiceError } from "../engine/errors.js";
import type { MessageWindow, TopicSource } from "./message-window.js";
import type { EngineObserver, Subscription } from "../engine/observer.js";
import { keyOfOptions } from "./options-key.js";
import { RenderScheduler } from "./render-scheduler.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";

/** Topic with one set of options; its windows share a subscription. */
class WindowTopic {
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
    if (this.#subscription.state.status === "refused") this.#resubscribe();
    window.onState(this.#subscription.state);
    this.#windows.add(window);
    return () => {
      this.#windows.delete(window);
    };
  }

  end(): void {
    this.#subscription.unsubscribe();
  }

  #subscribe(): Subscription {
    const observer: EngineObserver = {
      onMessage: (message) => {
        this.#notify((window) => {
          window.onMessage(message);
        });
      },
      onGap: (gap) => {
        this.#notify((window) => {
          window.onGap(gap);
        });
      },
      onState: (state) => {
        this.#notify((window) => {
          window.onState(state);
        });
      },
      // Without onError the client also reports it.
      onPayloadError: (error) => {
        this.#notify((window) => {
          window.onPayloadError(error);
        });
      },
    };
    return this.#client.subscribe(this.topic, observer, this.#options);
  }

  /** Subscribes again after a refusal, as for each new handler. */
  #resubscribe(): void {
    const refused = this.#subscription;
    this.#subscription = this.#subscribe();
    refused.unsubscribe();
  }

  /** Notifies all windows; the client reports the first error thrown. */
  #notify(notify: (window: MessageWindow) => void): void {
    const thrown: unknown[] = [];
    for (const window of [...this.#windows]) {
      try {
        notify(window);
      } catch (error) {
        thrown.push(error);
      }
    }
    if (thrown.length > 0) throw thrown[0];
  }
}

/**
 * Subscriptions shared by the windows of one client, one for each topic and options. A subscription
 * is kept until the end of the task after its last window: React may remove and restore windows
 * within one task, under StrictMode or when one component replaces another.
 */
export class WindowTopics implements TopicSource {
  /** Scheduler of all windows, which change in the same frame. */
  readonly scheduler = new RenderScheduler();
  readonly #client: Client;
  readonly #byKey = new Map<string, WindowTopic>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Subscribes a window to a topic. A failure is reported as the window's state. */
  join(topic: string, options: SubscribeOptions, window: MessageWindow): Undo {
    try {
      const key = JSON.stringify([topic, keyOfOptions(options)]);
      const topicEntry = this.#byKey.get(key) ?? this.#open(key, topic, options);
      const leave = topicEntry.enter(window);
      return () => {
        leave();
        queueMicrotask(() => {
          this.#endIfIdle(key, topicEntry);
        });
      };
    } catch (error) {
      if (!(error instanceof SluiceError)) throw error;
      window.onState({ status: "refused", error });
      return () => undefined;
    }
  }

  #open(key: string, topic: string, options: SubscribeOptions): WindowTopic {
    // A component with other options may replace one that was just removed.
    for (const [other, topicEntry] of this.#byKey) {
      if (topicEntry.topic === topic) this.#endIfIdle(other, topicEntry);
    }
    const opened = new WindowTopic(this.#client, topic, options);
    this.#byKey.set(key, opened);
    return opened;
  }

  #endIfIdle(key: string, topicEntry: WindowTopic): void {
    if (!topicEntry.isIdle || this.#byKey.get(key) !== topicEntry) return;
    this.#byKey.delete(key);
    topicEntry.end();
  }
}

function fullest(windows: readonly MessageWindow[]): MessageWindow | undefined {
  return windows.reduce<MessageWindow | undefined>(
    (best, window) => (best && best.size >= window.size ? best : window),
    undefined,
  );
}

const topicsByClient = new WeakMap<Client, WindowTopics>();

/** Returns the shared subscriptions of a client; one instance for all parts of a page. */
export function topicsOf(client: Client): WindowTopics {
  const found = topicsByClient.get(client) ?? new WindowTopics(client);
  topicsByClient.set(client, found);
  return found;
}
