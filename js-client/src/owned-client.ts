import type { Client } from "./client-type.js";
import type { ClientEvents } from "./client-events.js";
import type { ClockOffset } from "./clock.js";
import { connect } from "./connect.js";
import type { Undo } from "./emitter.js";
import type { PayloadKind } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { Address, ConnectOptions, Transport } from "./options.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import type { PendingPublish } from "./pending-publish.js";
import type { Consumer } from "./consumer-types.js";
import type { Queue } from "./queue-types.js";
import type { RequestHandler, RequestOptions, ServeOptions } from "./request-types.js";
import { initialState, type ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { DurableList, DurableSubscription, SharedSubscription } from "./subscription-types.js";
import type { Transaction } from "./transaction-types.js";

/**
 * Client owned by a component. Creating it has no effect, which allows React to do so during
 * rendering, also on a server.
 *
 * The first use opens the connection; the last release closes it. Effects of child components run
 * before the provider retains the client, so any use opens it. After the last release, a use opens
 * it only if the provider retains it within the same task. Otherwise it is closed again, and a
 * publish fails with `closed`.
 */
export class OwnedClient implements Client {
  readonly #url: Address;
  #options: ConnectOptions;
  #client: Client | undefined;
  #retainCount = 0;
  #wasRetained = false;

  constructor(url: Address, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
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
    return this.#client?.state ?? initialState;
  }

  get clockOffset(): ClockOffset | undefined {
    return this.#client?.clockOffset;
  }

  get transport(): Transport | undefined {
    return this.#client?.transport;
  }

  subscribe(
    topic: string,
    observer: MessageHandler<never>,
    options?: SubscribeOptions,
  ): Subscription {
    return this.#open().subscribe(topic, observer as MessageHandler, options);
  }

  messages(topic: string, options?: MessagesOptions): AsyncGenerator<never, void, undefined> {
    return this.#open().messages(topic, options) as AsyncGenerator<never, void, undefined>;
  }

  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void> {
    return this.#open().publish(topic, payload, options);
  }

  get pendingPublishes(): readonly PendingPublish[] {
    return this.#client?.pendingPublishes ?? [];
  }

  queue(name: string): Queue {
    return this.#open().queue(name);
  }

  request(topic: string, payload: PublishPayload, options?: RequestOptions): Promise<never> {
    return this.#open().request(topic, payload, options) as never;
  }

  serve<Kind extends PayloadKind>(
    queue: string,
    handler: RequestHandler<Kind>,
    options: ServeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  serve(queue: string, handler: RequestHandler, options?: ServeOptions): Promise<Consumer>;
  serve(queue: string, handler: RequestHandler, options?: ServeOptions): Promise<Consumer> {
    return this.#open().serve(queue, handler, options);
  }

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

  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    return this.#open().on(name, listener);
  }

  retryNow(): void {
    this.#client?.retryNow();
  }

  close(): void {
    this.#client?.close();
    this.#client = undefined;
  }

  /** Deferred, because StrictMode releases and retains within one task. */
  #closeUnlessRetained(): void {
    queueMicrotask(() => {
      if (this.#retainCount === 0) this.close();
    });
  }

  #open(): Client {
    // After the last release nothing else would close it; returning children run before the
    // provider.
    if (!this.#client && this.#wasRetained && this.#retainCount === 0) this.#closeUnlessRetained();
    this.#client ??= connect(this.#url, this.#withLatestToken());
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
