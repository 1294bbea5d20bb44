import type { Client } from "../engine/client-type.js";
import type { ClientEvents } from "../engine/client-events.js";
import type { ClockOffset } from "../engine/clock.js";
import { SluiceClient } from "../engine/client.js";
import type { Undo } from "../engine/emitter.js";
import {
  toSettings,
  type Address,
  type ConnectOptions,
  type Transport,
} from "../engine/options.js";
import type { Presence, PresenceOptions } from "../queues/presence-types.js";
import type { PublishOptions, PublishPayload } from "../engine/publish-options.js";
import type { PendingPublish } from "../engine/pending-publish.js";
import type { Queue } from "../queues/queue-types.js";
import { initialState, type ConnectionState } from "../engine/state.js";
import type {
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "../queues/subscription-types.js";
import type { Transaction } from "../queues/transaction-types.js";

/**
 * Client owned by a component. Creating it has no effect, which allows React to do so during
 * rendering, also on a server.
 *
 * The first use opens the connection; the last release closes it. Effects of child components run
 * before the provider retains the client, so any use opens it. After the last release, a use opens
 * it only if the provider retains it within the same task. Otherwise it is closed again, and a
 * publish fails with `closed`. After `close`, it remains closed until the last release.
 */
export class OwnedClient implements Client {
  readonly #url: Address;
  #options: ConnectOptions;
  #client: SluiceClient | undefined;
  #identity: string | undefined;
  /** State without a client: that of the last one, which the last release has closed. */
  #lastState = initialState;
  #retainCount = 0;
  #wasRetained = false;

  constructor(url: Address, options: ConnectOptions, identity?: string) {
    this.#url = url;
    this.#options = options;
    this.#identity = identity;
  }

  /**
   * Ends the session of another user, and starts anew; does nothing for the same user. Later calls
   * wait for this end, so that they are not those of the previous user. Closes the client if the
   * code that ends the session cannot be loaded.
   */
  updateIdentity(identity: string | undefined): void {
    const from = this.#identity;
    const client = this.#client;
    if (identity === from) return;
    this.#identity = identity;
    if (!client) return;
    const { messaging } = client;
    client.messaging = client.watch().then((watch) => {
      // The session would continue as the previous user.
      if (!watch) client.close();
      return watch?.endIdentity(messaging, from, identity) ?? messaging ?? client.loadMessaging();
    });
    client.messaging.catch(() => undefined);
  }

  /** Replaces the options; the next connection uses their credential. */
  updateOptions(options: ConnectOptions): void {
    this.#options = options;
  }

  /** Opens the connection and keeps it open until the returned function is called. */
  retain(): Undo {
    this.#retainCount++;
    this.#wasRetained = true;
    this.#open();
    return () => {
      this.#retainCount--;
      this.#closeUnlessRetained();
    };
  }

  get state(): ConnectionState {
    return this.#client?.state ?? this.#lastState;
  }

  get clockOffset(): ClockOffset | undefined {
    return this.#client?.clockOffset;
  }

  get transport(): Transport | undefined {
    return this.#client?.transport;
  }

  readonly subscribe = ((...parameters: Parameters<Client["subscribe"]>): unknown =>
    this.#open().subscribe(...parameters)) as Client["subscribe"];

  readonly messages = ((...parameters: Parameters<Client["messages"]>): unknown =>
    this.#open().messages(...parameters)) as Client["messages"];

  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void> {
    return this.#open().publish(topic, payload, options);
  }

  get pendingPublishes(): readonly PendingPublish[] {
    return this.#client?.pendingPublishes ?? [];
  }

  queue(name: string): Queue {
    return this.#open().queue(name);
  }

  readonly request = ((...parameters: Parameters<Client["request"]>): unknown =>
    this.#open().request(...parameters)) as Client["request"];

  readonly serve = ((...parameters: Parameters<Client["serve"]>): unknown =>
    this.#open().serve(...parameters)) as Client["serve"];

  durable(topic: string, name: string): DurableSubscription {
    return this.#open().durable(topic, name);
  }

  shared(topic: string, name: string): SharedSubscription {
    return this.#open().shared(topic, name);
  }

  durables(): Promise<DurableList> {
    return this.#open().durables();
  }

  transaction(build: (transaction: Transaction) => void): Promise<void> {
    return this.#open().transaction(build);
  }

  presence(topic: string, options?: PresenceOptions): Promise<Presence> {
    return this.#open().presence(topic, options);
  }

  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    return this.#open().on(name, listener);
  }

  ready(): Promise<void> {
    return this.#open().ready();
  }

  retryNow(): void {
    this.#client?.retryNow();
  }

  pause(): void {
    this.#open().pause();
  }

  resume(): void {
    this.#open().resume();
  }

  close(): void {
    this.#open().close();
  }

  /** Deferred, because StrictMode releases and retains within one task. */
  #closeUnlessRetained(): void {
    queueMicrotask(() => {
      if (this.#retainCount > 0) return;
      this.#client?.close();
      this.#lastState = this.state;
      this.#client = undefined;
    });
  }

  #open(): SluiceClient {
    // After the last release nothing else would close it; returning children run before the
    // provider.
    if (!this.#client && this.#wasRetained && this.#retainCount === 0) this.#closeUnlessRetained();
    this.#client ??= new SluiceClient(toSettings(this.#url, this.#withLatestToken()));
    return this.#client;
  }

  #withLatestToken(): ConnectOptions {
    if (this.#options.token === undefined) return this.#options;
    return { ...this.#options, token: () => this.#resolveToken() };
  }

  #resolveToken(): string | Promise<string> {
    const { token = "" } = this.#options;
    return typeof token === "function" ? token() : token;
  }
}
