import { ClientEmitter, type ClientEvents } from "./client-events.js";
import type { Client } from "./client-type.js";
import { ClockEstimate, type ClockOffset } from "./clock.js";
import { ready } from "./ready.js";
import { isFinal, isTokenRejected, RENEW } from "../transport/close-codes.js";
import { toContent } from "./content.js";
import { requestToken } from "./credentials.js";
import type { Undo } from "./emitter.js";
import type { CandidateLink } from "../transport/candidate-link.js";
import { redirectError, SluiceError, toSluiceError } from "./errors.js";
import { parseBinaryMessage } from "./binary.js";
import {
  encodeConnect,
  toMessageFrame,
  type ErrorFrame,
  type Hello,
  type NodeFrame,
} from "./frames.js";
import { Link, type LinkListener } from "../transport/link.js";
import type { PayloadKind } from "./message.js";
import type { Messaging } from "./messaging.js";
import type { MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { MoveHost } from "../transport/move-host.js";
import type { Move } from "../transport/move.js";
import type { Race } from "../transport/race.js";
import { isWebSocketUrl, type Settings, type Transport } from "./options.js";
import type { Presence, PresenceOptions } from "../queues/presence-types.js";
import type { PublishOptions, PublishPayload } from "./publish-options.js";
import type { PendingPublish } from "./pending-publish.js";
import {
  createQueue,
  createSubscription,
  type MessagingCall,
  type RunMessaging,
} from "../queues/queue.js";
import type { Consumer } from "../queues/consumer-types.js";
import type { Queue } from "../queues/queue-types.js";
import type { RequestHandler, RequestOptions, ServeOptions } from "../queues/request-types.js";
import type {
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "../queues/subscription-types.js";
import type { Transaction } from "../queues/transaction-types.js";
import type { ClientWatch } from "./session-watch.js";
import {
  initialState,
  transition,
  type ConnectionEnd,
  type ConnectionState,
  type Draining,
} from "./state.js";
import type { Source } from "../queues/source.js";
import type { AddObserver } from "../store/message-store.js";
import type { SubscriptionListener } from "./observed-topic.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import { openSubscription, type SubscriptionClient } from "./subscription.js";
import { Subscriptions } from "./subscriptions.js";
import type { SubscriptionPhase } from "./topic-subscription.js";
import {
  firstRoute,
  helloTimeout,
  openSocket,
  routeAfter,
  type Route,
} from "../transport/transport.js";

// A connection that lasted this long resets the failure count.
const STABLE_MS = 5_000;
// A stream that ends earlier is not renewed at once, to avoid a loop.
const RENEWABLE_MS = 1_000;

/**
 * Client connection with automatic reconnect and resubscription. {@link connect} creates it; it is
 * active until `close` is called or a node refuses it permanently.
 */
export class SluiceClient implements Client {
  #settings: Settings;
  readonly #events = new ClientEmitter();
  readonly #subscriptions: Subscriptions;
  readonly #clockEstimate: ClockEstimate;
  #state: ConnectionState = initialState;
  /**
   * Undefined before the first use; then the module is being loaded or is loaded. Each call waits
   * for the promise that it finds.
   *
   * @internal
   */
  messaging: Promise<Messaging> | undefined;
  #messaging: Messaging | undefined;
  #route: Route;
  #transport: Transport | undefined;
  /** The current attempt continues a session whose end has not been reported to the application. */
  #isRenewing = false;
  #failures = 0;
  /** Latest credential. */
  #token: string | undefined;
  #link: Link | undefined;
  /** Address named by a node, of the current connection or of the one being opened. */
  #target: string | undefined;
  /**
   * True if a node has redirected the client before its hello; further redirects are ignored until
   * then.
   */
  #isRedirected = false;
  /** Move to another node, or race of attempts while the link is being opened. */
  #move: Move | Race | undefined;
  /** Hello of the current link. */
  #hello: Hello | undefined;
  /** Heartbeat and credential refresh of this session, once the module is loaded. */
  #watch: ClientWatch | undefined;
  /** Error with which the node announced that it will close the connection. */
  #refusal: SluiceError | undefined;
  /** True if the last attempt was refused and the current one uses another credential. */
  #isSecondToken = false;
  #openedAt: number | undefined;
  /** Time at which the connect frame was sent; later than the opening if a stream was renewed. */
  #connectSentAt = 0;
  /** Timer of the next attempt or of its timeout; only one of them is active. */
  #timer: unknown;

  /** Code that watches the page and explains failures; undefined if it cannot be loaded. */
  #watching: Promise<ClientWatch | undefined> | undefined;

  /** Listener of the current link. */
  readonly #linkListener: LinkListener = {
    onOpen: () => {
      void this.#open();
    },
    onActivity: () => this.#watch?.onActivity(),
    onFrame: (frame) => {
      this.#onFrame(frame);
    },
    onBinary: (message) => {
      this.#subscriptions.onBinary(message);
    },
    onBadFrame: (error) => {
      this.#events.report(toSluiceError(error));
      this.#subscriptions.onBadFrame();
    },
    onEnd: (end, retryAfterMs) => {
      this.#onEnd(end, retryAfterMs);
    },
  };

  readonly #subscriptionClient: SubscriptionClient;

  /** Members of {@link MoveHost} that are the same for all moves. */
  readonly #moveHost: Omit<
    MoveHost,
    | "settings"
    | "subscriptions"
    | "listener"
    | "target"
    | "url"
    | "hasHello"
    | "timeLeft"
    | "failures"
  > = {
    createLink: (url, phase, listener) =>
      new Link(openSocket(this.#route, this.#settings, url, phase), listener),
    sendConnect: async (
      link: Link,
      isRedirected: boolean,
      onSent: (now: number) => void,
      known?: string,
    ): Promise<boolean> => {
      try {
        const token = known ?? (await this.#requestToken());
        const isSent = link.send(encodeConnect(token, this.#settings, isRedirected));
        if (isSent) onSent(this.#settings.clock.now());
        return true;
      } catch {
        return false;
      }
    },
    redirectTarget: (url: string, from: string): string | undefined => {
      if (!this.#settings.redirect) return undefined;
      // A redirect must not downgrade from wss to ws.
      if (isWebSocketUrl(url) && (url[2] === "s" || from[2] === ":")) return url;
      this.#moveHost.report(url);
      return undefined;
    },
    report: (url, cause) => {
      this.#events.report(redirectError(url, cause));
    },
    /** Continues with a link that was opened in parallel. */
    adopt: (candidate: CandidateLink): void => {
      const { link, hello } = candidate;
      const previousNode = this.#hello?.node;
      this.#failures = this.#failuresAfterEnd();
      // The old link remains open while messages of queues are pending on it.
      if (this.#messaging?.onMove()) this.#link = undefined;
      this.#releaseLink(true);
      this.#link = link;
      this.#target = candidate.url;
      this.#openedAt = this.#connectSentAt = candidate.sentAt;
      this.#subscriptions.onOpen(link, candidate.refs);
      this.#onHello(hello, candidate.helloAt);
      candidate.flush(() => this.#link === link);
      if (previousNode && this.#hello)
        this.#events.emit("moved", { from: previousNode, to: hello.node });
    },
    isStale: (): boolean => this.#state.status === "stale" && this.#settings.urls.length > 1,
    messaging: () => this.#messaging,
    hasEarlyRedirect: () => this.#isRedirected,
    onEarlyRedirect: () => {
      this.#isRedirected = true;
    },
  };

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#route = firstRoute(settings.transports);
    this.#clockEstimate = new ClockEstimate(settings.clock);
    const clock = this.#clockEstimate;
    const listener: SubscriptionListener = {
      onGap: (gap) => this.#events.emit("gap", gap),
      onError: this.#events.report,
      onHandlerThrew: this.#events.onHandlerThrew,
    };
    this.#subscriptions = new Subscriptions(clock, listener);
    const add: AddObserver = (topic, observer, settings) => {
      this.#checkOpen();
      return this.#subscriptions.add(topic, observer, settings);
    };
    this.#subscriptionClient = {
      events: this.#events,
      schemas: settings.schemas,
      add: settings.store?.attach({ client: this, clock, listener, add }) ?? add,
    };
    if (settings.persistPublishes) this.#run("start", {}).catch(this.#events.report);
    if (settings.debug || settings.compression) void this.#extend();
    else this.#dial();
  }

  /** Connects after the optional parts are loaded, or have failed to. */
  async #extend(): Promise<void> {
    try {
      const { extend } = await import("./extensions.js");
      this.#settings = await extend(this, this.#settings, this.#events.report);
    } catch (cause) {
      this.#events.report(toSluiceError(cause));
    }
    this.#dial();
  }

  /** Current state of the connection. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** Transport in use; undefined while there is no session. */
  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** Offset of the node's clock from the local one; undefined before the first connection. */
  get clockOffset(): ClockOffset | undefined {
    return this.#clockEstimate.best();
  }

  /** See {@link Client.subscribe}. */
  subscribe(
    topic: string,
    handler?: MessageHandler<never> | MessagesOptions,
    options?: SubscribeOptions,
  ): Subscription<never> {
    return openSubscription(this.#subscriptionClient, topic, handler, options);
  }

  /** See {@link Client.messages}. */
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<never, void, undefined> {
    return this.subscribe(topic, options)[Symbol.asyncIterator]();
  }

  /** See {@link Client.publish}. */
  publish(topic: string, payload: PublishPayload, options?: PublishOptions): Promise<void> {
    return this.#run("publish", { topic }, payload, options);
  }

  /** Publishes without an answer, oldest first; the event `pending` reports changes. */
  get pendingPublishes(): readonly PendingPublish[] {
    return this.#messaging?.pending ?? [];
  }

  /**
   * Returns a queue of the broker, to which messages can be sent, and from which they can be
   * consumed. The code for queues is loaded when it is used.
   */
  queue(name: string): Queue {
    return createQueue(name, this.#run);
  }

  /** See {@link Client.request}. */
  request(topic: string, payload: PublishPayload, options?: RequestOptions): Promise<never> {
    return this.#run("request", { topic }, payload, options) as Promise<never>;
  }

  /** Serves requests that arrive on a queue; same as `queue(name).serve`. */
  serve<Kind extends PayloadKind>(
    queue: string,
    handler: RequestHandler<Kind>,
    options: ServeOptions & { readonly payload: Kind },
  ): Promise<Consumer>;
  /** Serves requests with payloads of the kind that was published. */
  serve(queue: string, handler: RequestHandler, options?: ServeOptions): Promise<Consumer>;
  serve(queue: string, handler: RequestHandler, options?: ServeOptions): Promise<Consumer> {
    return this.queue(queue).serve(handler, options);
  }

  /**
   * Returns a durable subscription of the client's principal. The broker retains its messages while
   * no client consumes. The first consumer creates it.
   */
  durable(topic: string, name: string): DurableSubscription {
    return createSubscription({ topic, durable: name }, name, this.#run);
  }

  /**
   * Returns a shared subscription of the client's principal, whose consumers share the messages. It
   * exists while it has a consumer.
   */
  shared(topic: string, name: string): SharedSubscription {
    return createSubscription({ topic, shared: name }, name, this.#run);
  }

  /** Lists the durable subscriptions of the client's principal. */
  durables(): Promise<DurableList> {
    return this.#run("durables", {});
  }

  /**
   * Publishes messages and acknowledges deliveries in one JMS transaction: all of it takes effect,
   * or nothing. It is sent once: if the connection ends before the answer, the promise rejects with
   * `connection-lost`, and the outcome is unknown.
   *
   * @param build - Adds the content. It is called once, when the code for transactions is loaded,
   *   and must not be asynchronous. An error that it throws rejects the promise, and nothing is
   *   sent. Without content, the promise resolves, and nothing is sent.
   */
  transaction(build: (transaction: Transaction) => void): Promise<void> {
    return this.#run("transaction", {}, build);
  }

  /**
   * Enters a topic, watches who is in it, or both. The promise resolves with the first state. It
   * rejects if the node refuses the request, for example with `forbidden`.
   *
   * Calls for the same topic share one presence. The code for presence is loaded when it is used.
   */
  presence(topic: string, options?: PresenceOptions): Promise<Presence> {
    return this.#run("presence", { topic }, undefined, options);
  }

  /**
   * Adds a listener of an event.
   *
   * @returns a function that removes the listener
   * @throws SluiceError `invalid-argument`
   */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    return this.#events.on(name, listener);
  }

  /** See {@link Client.ready}. */
  ready(): Promise<void> {
    return ready(this);
  }

  /** Reconnects at once if the client is waiting for its next attempt; otherwise does nothing. */
  retryNow(): void {
    if (this.#state.status === "connecting" && this.#state.retryAt !== undefined) this.#dial();
  }

  /** See {@link Client.pause}. */
  pause(): void {
    if (this.#isAway()) return;
    this.#releaseLink();
    this.#settings.clock.clearTimeout(this.#timer);
    this.#failures = 0;
    this.#apply({ type: "paused" });
  }

  /** See {@link Client.resume}. */
  resume(): void {
    if (this.#state.status !== "paused") return;
    this.#apply({ type: "dialled" });
    this.#dial();
  }

  /** Closes the connection permanently. Unanswered publishes fail. */
  close(): void {
    this.#terminate(undefined);
  }

  readonly #run: RunMessaging = (async (
    name: MessagingCall,
    source: Source,
    content: unknown,
    options?: object,
  ) => {
    this.#checkOpen();
    const sent = toContent(content, options);
    const messaging = await (this.messaging ??= this.loadMessaging());
    this.#checkOpen();
    return messaging[name](source as never, sent as never, options);
  }) as RunMessaging;

  /** @internal */
  async loadMessaging(): Promise<Messaging> {
    try {
      const { Messaging } = await import("./messaging.js");
      this.#messaging = new Messaging({
        settings: this.#settings,
        events: this.#events,
        parsers: [toMessageFrame, parseBinaryMessage],
        isPaused: () => this.#move?.isSettling,
      });
    } catch (cause) {
      this.messaging = undefined;
      throw new SluiceError("not-sent", "not loaded", undefined, cause);
    }
    if (this.#link && this.#hello) this.#messaging.onHello(this.#link, this.#hello);
    return this.#messaging;
  }

  #dial(): void {
    if (this.#isAway()) return;
    this.#apply({ type: "dialled" });
    try {
      const phase = (): SubscriptionPhase => this.#subscriptions.phase;
      this.#link = this.#moveHost.createLink(this.#url, phase, this.#linkListener);
    } catch (cause) {
      this.#onUnusable(cause);
      return;
    }
    this.#awaitHello();
  }

  /** Handles an address that the platform rejects. If a node named it, other addresses remain. */
  #onUnusable(cause: unknown): void {
    if (this.#target) {
      this.#moveHost.report(this.#target, cause);
      this.#onConnectionLost({ code: 1006, reason: "" });
    } else this.#terminate(new SluiceError("refused", "invalid address", undefined, cause));
  }

  /** @param waited - Time already waited in ms; other addresses are tried in parallel after it. */
  #awaitHello(waited = 0): void {
    const { attemptDelay, connectTimeout, random, urls } = this.#settings;
    const ms = helloTimeout(this.#route, connectTimeout) - waited;
    const mayRace = urls.length > 1 && !waited && !this.#hello && ms === connectTimeout;
    const delay = mayRace ? attemptDelay * (1 + random()) : ms;
    this.#startTimer(Math.min(ms, delay), () => {
      if (delay < ms) {
        this.#requestMove(undefined);
        this.#awaitHello(delay);
      } else this.#link?.terminate("hello timeout");
    });
  }

  get #url(): string {
    const { urls } = this.#settings;
    return this.#target ?? urls[this.#failures % urls.length] ?? "";
  }

  /** Sends everything that may precede the node's hello, which saves a round trip. */
  async #open(): Promise<void> {
    const link = this.#link;
    if (!link) return;
    // A renewed session is not redirected before its hello.
    const isRedirected = this.#isRedirected || this.#hello !== undefined;
    if (this.#hello) {
      // An unsent credential is sent with the connect frame.
      this.#watch?.stop();
      this.#awaitHello();
    }
    const onSent = (now: number): void => {
      this.#connectSentAt = now;
      this.#openedAt ??= now;
      this.#subscriptions.onOpen(link);
    };
    const token = this.#watch?.takeToken();
    if (await this.#moveHost.sendConnect(link, isRedirected, onSent, token)) return;
    // Not through `onEnd`: a missing credential must not change the choice of the transport.
    if (this.#link === link) this.#onConnectionLost({ code: 1006, reason: "no token" });
  }

  /** Returns a valid credential; rejects if there is none, or if it ends the session. */
  readonly #requestToken = async (): Promise<string | undefined> => {
    const token = await requestToken(this.#settings.token, this.#events.report, this.#terminate);
    // Undefined before the first session or failure.
    await this.#watching;
    this.#watch?.onToken(token);
    return (this.#token = token);
  };

  /**
   * Watches the client from the first session or failure on. Resolves to undefined if the code
   * cannot be loaded. The client then does not notice that the peer is unreachable, and the node
   * ends the session when the credential expires.
   *
   * @internal
   */
  watch(): Promise<ClientWatch | undefined> {
    return (this.#watching ??= import("./session-watch.js").then(
      ({ ClientWatch }) =>
        (this.#watch = new ClientWatch(
          this,
          this.#settings,
          this.#events,
          this.#subscriptions,
          this.#clockEstimate,
          SluiceError,
          this.#requestToken as () => Promise<string>,
          this.#onConnectionLost,
          this.#token,
        )),
      () => undefined,
    ));
  }

  #onFrame(frame: NodeFrame): void {
    switch (frame.type) {
      case "message":
        this.#subscriptions.onMessage(frame.message);
        return;
      case "hello":
        this.#onHello(frame.hello, this.#settings.clock.now());
        return;
      case "subscribed":
        this.#subscriptions.onSubscribed(frame);
        return;
      case "channel":
        this.#subscriptions.onChannel(frame);
        return;
      case "refreshed":
      case "pong":
        this.#watch?.onFrame(frame);
        return;
      case "gap":
        this.#subscriptions.onGap(frame);
        return;
      case "caught-up":
        this.#subscriptions.onCaughtUp(frame.time);
        return;
      case "stale":
      case "live":
        this.#apply(frame);
        if (this.#moveHost.isStale()) this.#requestMove(undefined);
        this.#events.emit(frame.type, undefined);
        return;
      case "draining":
        this.#onDraining(frame);
        return;
      case "redirect":
        this.#onRedirect(frame.url);
        return;
      case "error":
        this.#onError(frame);
        return;
      default:
        this.#messaging?.onFrame(frame);
    }
  }

  #onHello(hello: Hello, now: number): void {
    const { clock } = this.#settings;
    const link = this.#link;
    if (!link || this.#watch?.onHello(hello)) return;
    clock.clearTimeout(this.#timer);
    this.#clockEstimate.clear();
    this.#clockEstimate.add(this.#openedAt ? this.#connectSentAt : now, now, hello.time);
    if (!this.#hello) this.#move?.stop();
    this.#hello = hello;
    this.#watch?.end();
    void this.watch().then((watch) => {
      if (this.#link === link && this.#hello === hello) watch?.start(link, hello);
    });
    this.#isRedirected = this.#isSecondToken = false;
    this.#subscriptions.onHello(hello);
    this.#transport = this.#route.transport;
    this.#apply({ type: "hello", hello });
    if (this.#link) this.#messaging?.onHello(this.#link, hello);
    this.#events.emit("hello", hello);
  }

  #onDraining({ deadline, url }: Extract<NodeFrame, { readonly type: "draining" }>): void {
    this.#apply({ type: "draining", deadline });
    this.#events.emit("draining", { deadline });
    this.#requestMove(url && this.#moveHost.redirectTarget(url, this.#url));
  }

  /** Handles a redirect: of an open session, or instead of a hello. */
  #onRedirect(url: string): void {
    const target = this.#moveHost.redirectTarget(url, this.#url);
    const wasRedirected = this.#isRedirected;
    // Also if the redirect is not followed: the node would only repeat it.
    if (!this.#hello) this.#isRedirected = true;
    if (!target) return;
    if (this.#hello) this.#requestMove(target);
    else if (!wasRedirected) this.#renew(this.#isRenewing, target);
  }

  /** Starts a move to another node; its code is loaded on demand. */
  #requestMove(target: string | undefined): void {
    const link = this.#link;
    const { deadline } = this.#state as Partial<Draining>;
    const hasHello = !!this.#hello;
    const failures = this.#failuresAfterEnd();
    import("../transport/move.js").then(
      ({ startMove }) => {
        if (!link || this.#link !== link || hasHello !== !!this.#hello) return;
        this.#move = startMove(this.#move, {
          settings: this.#settings,
          subscriptions: this.#subscriptions,
          listener: this.#linkListener,
          ...this.#moveHost,
          hasHello,
          url: this.#url,
          target,
          timeLeft: deadline && deadline - this.#clockEstimate.now(),
          failures,
        });
      },
      // Without the module the client reconnects when the node closes the connection.
      () => undefined,
    );
  }

  #onError(frame: ErrorFrame): void {
    const error = new SluiceError(frame.code, frame.message, frame.topic);
    // Answers an unsubscribe that crossed the refusal of its subscribe.
    if (frame.code === "not-subscribed") return;
    if (this.#messaging?.onError(frame, error)) return;
    if (this.#subscriptions.onError(frame, error)) {
      // The watch of a session that has just begun is still being loaded.
      void this.watch().then((watch) => watch?.onRefused());
      return;
    }
    if (frame.code === "unauthorized" && frame.ref === undefined) {
      this.#refusal = error; // a close frame follows and decides about reconnecting
      return;
    }
    this.#watch?.onError(frame.ref);
    this.#events.report(error);
  }

  #onEnd(end: ConnectionEnd, retryAfterMs: number): void {
    if (this.#isClosed()) return;
    if (!isFinal(end.code) && this.#move?.onLinkEnd(end, retryAfterMs)) return;
    const { transports, urls } = this.#settings;
    const tried = this.#route;
    const hello = this.#hello !== undefined;
    this.#route = routeAfter(tried, { hello, code: end.code }, transports, urls.length);
    // The node requires another credential, and the token function may return one.
    const canRequestToken =
      typeof this.#settings.token === "function" && (hello || !this.#isSecondToken);
    const canRecover = canRequestToken && isTokenRejected(end.code);
    if (!canRecover && isFinal(end.code)) {
      const message = `closed by the node with ${String(end.code)}: ${end.reason}`;
      this.#terminate(this.#refusal ?? new SluiceError("refused", message));
      return;
    }
    if (canRecover) {
      this.#isSecondToken ||= !hello;
      this.#watch?.resetRefused();
    }
    const isRenewable = end.code === RENEW || canRecover;
    const isExpired = isRenewable && this.#uptimeMs() >= RENEWABLE_MS;
    const hasFallenBack = tried.transport === "websocket" && this.#route.transport === "http";
    if (isExpired || (this.#isRenewing && hasFallenBack)) this.#renew();
    else this.#onConnectionLost(end, retryAfterMs);
  }

  /** Reconnects at once; the application is notified only if that fails. */
  #renew(isRenewing = true, target?: string): void {
    this.#releaseLink(true);
    this.#isRenewing = isRenewing;
    this.#target = target;
    this.#dial();
  }

  readonly #onConnectionLost = (end: ConnectionEnd, retryAfterMs = 0): void => {
    if (this.#isAway()) return;
    const { clock, backoff } = this.#settings;
    const from = this.#url;
    this.#failures = this.#failuresAfterEnd();
    this.#releaseLink();
    if (this.#isAway()) return; // closed or paused by an event handler
    // A Retry-After applies to one address only; the next attempt may use another one.
    const wait = backoff(this.#failures) + (this.#url === from ? retryAfterMs : 0);
    this.#startTimer(wait, () => {
      this.#dial();
    });
    this.#apply({ type: "lost", failures: this.#failures, retryAt: clock.now() + wait, end });
  };

  #failuresAfterEnd(): number {
    return this.#uptimeMs() >= STABLE_MS ? 0 : this.#failures + 1;
  }

  #uptimeMs(): number {
    const { clock } = this.#settings;
    return this.#hello && this.#openedAt ? clock.now() - this.#openedAt : 0;
  }

  readonly #terminate = (error: SluiceError | undefined): void => {
    if (this.#isClosed()) return;
    this.#releaseLink();
    this.#settings.clock.clearTimeout(this.#timer);
    this.#apply({ type: "closed", error });
    this.#messaging?.onClosed(error);
    if (error) this.#events.report(error);
  };

  /** Detaches from the link, which has usually ended already. */
  #releaseLink(isRenewed = false): void {
    this.#isRenewing = false;
    // Publishes that a move has paused remain queued.
    this.#messaging?.onLost();
    this.#move?.stop();
    if (!isRenewed) this.#transport = undefined;
    this.#link?.close();
    this.#watch?.end();
    this.#link = this.#hello = this.#move = undefined;
    this.#target = this.#refusal = this.#openedAt = undefined;
    this.#subscriptions.onLost(isRenewed);
  }

  #startTimer(ms: number, run: () => void): void {
    const { clock } = this.#settings;
    clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(run, ms);
  }

  #apply(event: Parameters<typeof transition>[1]): void {
    const next = transition(this.#state, event);
    if (next === this.#state) return;
    this.#state = next;
    if (["lost", "closed"].includes(event.type)) void this.watch();
    this.#events.emit("state", next);
  }

  /** Returns whether the client shall have no connection. */
  #isAway(): boolean {
    return this.#isClosed() || this.#state.status === "paused";
  }

  #isClosed(): boolean {
    return this.#state.status === "closed";
  }

  /** Throws if the client is closed. */
  #checkOpen(): void {
    if (!this.#isClosed()) return;
    const { error } = this.#state as { readonly error?: unknown };
    throw new SluiceError("closed", "the client is closed", undefined, error);
  }
}
