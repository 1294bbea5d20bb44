import type { Client } from "./client-type.js";
import type { Subscription, SubscriptionObserver } from "./observer.js";
import { keyOf, type SubscribeOptions, type SubscribeSettings } from "./subscribe-options.js";

/** Delivery settings of a topic on one connection; all of its subscribers share them. */
interface PooledTopic {
  readonly settings: SubscribeSettings;
  subscribers: number;
}

/** Client of a shared connection, with the delivery settings of its topics. */
export class PooledClient {
  readonly client: Client;
  /** By topic and selector. */
  readonly #topics = new Map<string, PooledTopic>();

  constructor(client: Client) {
    this.client = client;
  }

  get isEmpty(): boolean {
    return this.#topics.size === 0;
  }

  /** Returns whether this connection can deliver the topic with the requested settings. */
  canSubscribe(topic: string, { delivery = "all", rate, where }: SubscribeSettings): boolean {
    const found = this.#topics.get(keyOf(topic, where))?.settings;
    return !found || ((found.delivery ?? "all") === delivery && found.rate === rate);
  }

  /** Subscribes to a topic that `canSubscribe` has accepted. */
  subscribe(
    topic: string,
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
  ): Subscription {
    const key = keyOf(topic, settings.where);
    const found = this.#topics.get(key) ?? { settings, subscribers: 0 };
    const subscription = this.client.subscribe(topic, observer, toOptions(settings));
    this.#topics.set(key, found);
    found.subscribers++;
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      subscription();
      if (--found.subscribers === 0) this.#topics.delete(key);
    };
    return Object.defineProperties(end, {
      position: { get: () => subscription.position },
      state: { get: () => subscription.state },
    }) as Subscription;
  }
}

function toOptions({ from, delivery, rate, where }: SubscribeSettings): SubscribeOptions {
  return {
    ...(from === undefined ? {} : { from }),
    ...(delivery === undefined ? {} : { delivery }),
    ...(rate === undefined ? {} : { rate }),
    ...(where === undefined ? {} : { where }),
  };
}
