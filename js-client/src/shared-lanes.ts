import type { SluiceClient } from "./client.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import type { SubscribeOptions, SubscribeSettings } from "./subscribe-options.js";

/** How a topic is delivered on one connection, which is the same for all of its subscribers. */
interface LaneTopic {
  readonly settings: SubscribeSettings;
  subscribers: number;
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

  /** Whether a subscriber who comes now has its topic delivered here as it asks for. */
  canTake(topic: string, { delivery = "all", rate }: SubscribeSettings): boolean {
    const found = this.#topics.get(topic)?.settings;
    return !found || ((found.delivery ?? "all") === delivery && found.rate === rate);
  }

  /** Subscribes a topic that the lane can take. */
  subscribe(
    topic: string,
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
  ): Subscription {
    const found = this.#topics.get(topic) ?? { settings, subscribers: 0 };
    const subscription = this.client.subscribe(topic, observer, toOptions(settings));
    this.#topics.set(topic, found);
    found.subscribers++;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      subscription();
      if (--found.subscribers === 0) this.#topics.delete(topic);
    };
    return Object.defineProperties(end, {
      position: { get: () => subscription.position },
      state: { get: () => subscription.state },
    }) as Subscription;
  }
}

function toOptions({ from, delivery, rate }: SubscribeSettings): SubscribeOptions {
  return {
    ...(from === undefined ? {} : { from }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(rate === undefined ? {} : { rate }),
  };
}
