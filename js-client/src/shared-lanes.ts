import type { SluiceClient } from "./client.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { Position } from "./position.js";
import type { SubscribeOptions, SubscribeSettings } from "./subscribe-options.js";

/** A topic on one connection, as all of its subscribers have it. */
interface LaneTopic {
  readonly settings: SubscribeSettings;
  subscribers: number;
  /** The streams that have fed it. */
  readonly epochs: Set<string>;
  readonly watch: Subscription;
}

/** One connection, and what is subscribed on it. */
export class Lane {
  readonly client: SluiceClient;
  readonly #topics = new Map<string, LaneTopic>();

  constructor(client: SluiceClient) {
    this.client = client;
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  has(topic: string): boolean {
    return this.#topics.has(topic);
  }

  /** Whether a subscriber who comes now gets what it asks for from what is subscribed already. */
  canShare(topic: string, { from, delivery, rate }: SubscribeSettings): boolean {
    const found = this.#topics.get(topic)?.settings;
    if (!found || from !== undefined) return false;
    return (found.delivery ?? "all") === (delivery ?? "all") && found.rate === rate;
  }

  /** Subscribes, as the first with these settings, or to share. */
  subscribe(
    topic: string,
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
  ): Subscription {
    const found = this.#topics.get(topic) ?? this.#open(topic, settings);
    found.subscribers++;
    const subscription = this.client.subscribe(topic, observer, {});
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      subscription();
      this.#leave(topic, found);
    };
    return Object.defineProperties(end, {
      position: { get: () => subscription.position },
      state: { get: () => subscription.state },
    }) as Subscription;
  }

  /**
   * Where a live topic stands of which all has come in one stream; undefined if it moved to another
   * one: then it drops what it has had from the one before, which a newcomer may not have. Undefined
   * also behind a gap, of which its next message will tell.
   */
  soleStreamPosition(topic: string): Position | undefined {
    const found = this.#topics.get(topic);
    const isSole = found?.epochs.size === 1 && found.watch.state.status === "live";
    return isSole ? found.watch.position : undefined;
  }

  #open(topic: string, settings: SubscribeSettings): LaneTopic {
    const epochs = new Set<string>();
    const watch = this.client.subscribe(
      topic,
      {
        onMessage: () => undefined,
        onState: (state) => {
          if ("epoch" in state) epochs.add(state.epoch);
        },
        // Each subscriber is told by its own observer.
        onError: () => undefined,
      },
      toOptions(settings),
    );
    const opened = { settings, subscribers: 0, epochs, watch };
    this.#topics.set(topic, opened);
    return opened;
  }

  #leave(topic: string, left: LaneTopic): void {
    if (--left.subscribers > 0) return;
    left.watch();
    this.#topics.delete(topic);
  }
}

function toOptions({ from, delivery, rate }: SubscribeSettings): SubscribeOptions {
  return {
    ...(from === undefined ? {} : { from }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(rate === undefined ? {} : { rate }),
  };
}
