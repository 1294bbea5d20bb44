import type { Client } from "./client-type.js";
import type { ClientEvents } from "./client-events.js";
import type { SluiceClient } from "./client.js";
import type { ClockOffset } from "./clock.js";
import { connect } from "./connect.js";
import type { Undo } from "./emitter.js";
import type { Message, PayloadKind, Properties } from "./message.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { Address, ConnectOptions, Transport } from "./options.js";
import { initialState, type ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/**
 * The client of a component. Making one has no effect, so that React may do it while it renders, on
 * a server too; the connection opens with the first use and ends with the last hold. What
 * components do in their effects comes before the hold of the provider around them, which is why
 * any use opens it. After the last hold a use opens it only if a hold follows within the same task;
 * otherwise it is closed again, and a publish is refused with `closed`.
 */
export class OwnedClient implements Client {
  readonly #url: Address;
  #options: ConnectOptions;
  #client: SluiceClient | undefined;
  #holds = 0;
  #hasBeenHeld = false;

  constructor(url: Address, options: ConnectOptions) {
    this.#url = url;
    this.#options = options;
  }

  /** Takes the credential from here at the next connection. */
  renew(options: ConnectOptions): void {
    this.#options = options;
  }

  /** Opens the connection and keeps it, until what is returned is called. */
  hold(): Undo {
    this.#holds++;
    this.#hasBeenHeld = true;
    this.#open();
    return () => {
      this.#holds--;
      this.#closeUnlessHeld();
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

  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription;
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription {
    return this.#open().subscribe(topic, observer, options);
  }

  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined> {
    return this.#open().messages(topic, options);
  }

  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void> {
    return this.#open().publish(topic, payload, properties);
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

  /** Not at once: StrictMode lets go and takes hold again within one task. */
  #closeUnlessHeld(): void {
    queueMicrotask(() => {
      if (this.#holds === 0) this.close();
    });
  }

  #open(): SluiceClient {
    // After the last hold nobody else would; children that come back are before the next one.
    if (!this.#client && this.#hasBeenHeld && this.#holds === 0) this.#closeUnlessHeld();
    this.#client ??= connect(this.#url, this.#withFreshToken());
    return this.#client;
  }

  #withFreshToken(): ConnectOptions {
    if (this.#options.token === undefined) return this.#options;
    return { ...this.#options, token: () => this.#token() };
  }

  #token(): string | Promise<string> {
    const { token = "" } = this.#options;
    return typeof token === "function" ? token() : token;
  }
}
