import { checkPayload, checkProperties, toObserver } from "./arguments.js";
import { ClientEmitter, type ClientEvents } from "./client-events.js";
import type { Client } from "./client-type.js";
import { ClockEstimate, type ClockOffset } from "./clock.js";
import { afterClose, asksForToken, RENEW } from "./close-codes.js";
import { askForToken } from "./credentials.js";
import type { Undo } from "./emitter.js";
import type { Entry } from "./entry.js";
import { badRedirect, SluiceError, toSluiceError } from "./errors.js";
import { encodeConnect, type ErrorFrame, type Hello, type NodeFrame } from "./frames.js";
import { Link, type LinkListener } from "./link.js";
import { Liveness } from "./liveness.js";
import { iterateOver } from "./loop.js";
import type { Message, PayloadKind, Properties } from "./message.js";
import { checkMessagesOptions, type MessagesOptions } from "./messages-options.js";
import type { MessageHandler, Subscription } from "./observer.js";
import type { MoveHost } from "./move-host.js";
import type { Move } from "./move.js";
import type { Race } from "./race.js";
import { isWebSocketUrl, type Settings, type Transport } from "./options.js";
import { converting } from "./payload.js";
import type { Publishes } from "./publishes.js";
import type { Refreshes } from "./refreshes.js";
import { onAbort } from "./signal.js";
import {
  initialState,
  transition,
  type ConnectionEnd,
  type ConnectionState,
  type Draining,
  type Open,
} from "./state.js";
import { checkSubscribe, type SubscribeOptions } from "./subscribe-options.js";
import { Subscriptions } from "./subscriptions.js";
import type { Standing } from "./topic-subscription.js";
import { isOffline, watchSurroundings } from "./surroundings.js";
import { checkTopic } from "./topics.js";
import {
  firstRoute,
  helloTimeout,
  isFinal,
  openSocket,
  routeAfter,
  type Route,
} from "./transport.js";

// A connection that stood this long was no failure.
const STABLE_MS = 5_000;
// A stream that is over sooner must not be renewed in a loop.
const RENEWABLE_MS = 1_000;

/**
 * A connection to Sluice that mends itself. {@link connect} makes one; it lives until `close` is
 * called or a node refuses it for good.
 */
export class SluiceClient implements Client {
  readonly #settings: Settings;
  readonly #events = new ClientEmitter();
  readonly #subscriptions: Subscriptions;
  readonly #clockEstimate: ClockEstimate;
  readonly #stopWatching: Undo;
  #state: ConnectionState = initialState;
  /** Undefined before the first publish; from then on the code for it is being loaded, or is. */
  #publishesLoading: Promise<Publishes> | undefined;
  #publishes: Publishes | undefined;
  #route: Route;
  #transport: Transport | undefined;
  /** The present try goes on with a session that the application has not been told the end of. */
  #isRenewing = false;
  #failures = 0;
  #link: Link | undefined;
  /** The address that a node has named, of the present connection or of one being opened. */
  #target: string | undefined;
  /** A node has sent the client elsewhere in the place of a hello; until there is one it stays. */
  #isRedirected = false;
  /** The way to another node, beside this link, or to any while this link is being opened. */
  #move: Move | Race | undefined;
  #liveness: Liveness | undefined;
  /** Of this session's credential, once the code is loaded. */
  #refreshes: Refreshes | undefined;
  /** Why the node is about to close the connection. */
  #refusal: SluiceError | undefined;
  /** The latest try was refused, and this one is with another credential. */
  #isSecondToken = false;
  #openedAt: number | undefined;
  /** When the present hello was asked for; later than the opening if a stream began anew. */
  #askedAt = 0;
  /** The one timer that runs: for the next try, or its end. */
  #timer: unknown;

  /** Of the present link. */
  readonly #linkListener: LinkListener = {
    onOpen: () => {
      void this.#open();
    },
    onActivity: () => this.#liveness?.onActivity(),
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

  readonly #createLink: MoveHost["createLink"] = (url, standing, listener) =>
    new Link(openSocket(this.#route, this.#settings, url, standing), listener);

  /** See {@link MoveHost}. */
  readonly #introduce = async (
    link: Link,
    isRedirected: boolean,
    onSaid: (now: number) => void,
    known?: string,
  ): Promise<boolean> => {
    try {
      const token = known ?? (await this.#askForToken());
      const isSaid = link.send(encodeConnect(token, this.#settings, isRedirected));
      if (isSaid) onSaid(this.#settings.clock.now());
      return true;
    } catch {
      return false;
    }
  };

  /** See {@link MoveHost}. */
  readonly #toTarget = (url: string, from: string): string | undefined => {
    if (!this.#settings.redirect) return undefined;
    // From wss only to wss.
    if (isWebSocketUrl(url) && (url[2] === "s" || from[2] === ":")) return url;
    this.#events.report(badRedirect(url));
    return undefined;
  };

  /** Goes on with a link that was opened beside this one. */
  readonly #enter = (entry: Entry): void => {
    const { link, hello } = entry;
    const stood = this.#liveness && (this.#state as Open).hello.node;
    this.#failures = this.#failuresAfterEnd();
    this.#drop(true);
    this.#link = link;
    this.#target = entry.url;
    this.#openedAt = this.#askedAt = entry.askedAt;
    this.#subscriptions.onOpen(link, entry.asked);
    this.#onHello(hello, entry.helloAt);
    entry.release(() => this.#link === link);
    if (stood !== undefined) this.#events.emit("moved", { from: stood, to: hello.node });
  };

  /** @internal */
  constructor(settings: Settings) {
    this.#settings = settings;
    this.#route = firstRoute(settings.transports);
    this.#clockEstimate = new ClockEstimate(settings.clock);
    this.#subscriptions = new Subscriptions(this.#clockEstimate, {
      onGap: (gap) => this.#events.emit("gap", gap),
      onError: this.#events.report,
      onHandlerThrew: this.#events.onHandlerThrew,
    });
    this.#stopWatching = watchSurroundings(() => {
      this.#liveness?.probe();
      if (!isOffline()) this.retryNow();
    });
    this.#dial();
  }

  /** Where the client stands now. */
  get state(): ConnectionState {
    return this.#state;
  }

  /** How frames travel; undefined while there is no session. */
  get transport(): Transport | undefined {
    return this.#transport;
  }

  /** How the node's clock stands to this one's; undefined before the first connection. */
  get clockOffset(): ClockOffset | undefined {
    return this.#clockEstimate.best();
  }

  /**
   * Subscribes to a topic, or to a pattern (`*` for one level, `>` for the rest). It outlives lost
   * connections: on the next one it goes on where it was, and where it cannot, a gap is told first.
   *
   * Any number of observers of the same topic share one subscription on the wire, with the
   * `delivery` and `rate` of the first. Who joins later hears what comes from then on, or gets the
   * beginning that it asks for, of which the others hear nothing.
   *
   * @returns what ends it, and knows its position
   * @throws SluiceError `invalid-argument`, or `closed`
   */
  subscribe<Kind extends PayloadKind>(
    topic: string,
    observer: MessageHandler<Message<Kind>>,
    options: SubscribeOptions & { readonly payload: Kind },
  ): Subscription;
  /** The same, with payloads as they were published. */
  subscribe(topic: string, observer: MessageHandler, options?: SubscribeOptions): Subscription;
  subscribe(
    topic: string,
    observer: MessageHandler<never>,
    options: SubscribeOptions = {},
  ): Subscription {
    const settings = checkSubscribe(topic, options);
    const { payload, signal } = options;
    const bound = toObserver(observer as MessageHandler);
    if (this.#isClosed()) throw this.#closedError();
    const heard = payload ? converting(payload, bound, this.#events.report) : bound;
    const undo = this.#subscriptions.add(topic, heard, settings, signal);
    onAbort(signal, undo);
    return undo;
  }

  /**
   * The messages of a topic or pattern, for a loop: `for await (const message of …)`.
   *
   * It subscribes when the loop begins and ends the subscription with it: by `break`, `return` or a
   * throw in the loop, by the signal of the options, by `close`. The loop throws a SluiceError where
   * the node refuses the subscription or the client, and where the loop is too slow for its buffer.
   * Where messages may be missing, the next one says so in `gapBefore`. The code for loops is a
   * module of its own, which is loaded when the first one begins.
   *
   * @throws SluiceError `invalid-argument`
   */
  messages<Kind extends PayloadKind>(
    topic: string,
    options: MessagesOptions & { readonly payload: Kind },
  ): AsyncGenerator<Message<Kind>, void, undefined>;
  /** The same, with payloads as they were published. */
  messages(topic: string, options?: MessagesOptions): AsyncGenerator<Message, void, undefined>;
  messages(topic: string, options: MessagesOptions = {}): AsyncGenerator<Message, void, undefined> {
    checkSubscribe(topic, options);
    checkMessagesOptions(options);
    return iterateOver(this, topic, options, this.#events.report);
  }

  /**
   * Publishes a message. While there is no connection it waits for one, bounded by the options
   * `maxPublishes` and `publishTimeout`. Publishes reach the broker in the order of the calls.
   *
   * The code that publishes is a module of its own, which is loaded by the first call.
   *
   * @returns a promise that resolves when the broker has the message; see {@link ClientErrorCode}
   * for what a rejection says about its fate
   * @throws SluiceError `invalid-argument`
   */
  publish(topic: string, payload: string | Uint8Array, properties?: Properties): Promise<void> {
    checkTopic(topic);
    checkPayload(payload);
    checkProperties(properties);
    if (this.#isClosed()) return Promise.reject(this.#closedError());
    const since = this.#settings.clock.now();
    this.#publishesLoading ??= this.#loadPublishes();
    return this.#publishesLoading.then((publishes) => {
      if (this.#isClosed()) throw this.#closedError();
      return publishes.publish({ topic, payload, properties, since });
    });
  }

  /**
   * Listens to an event.
   *
   * @returns what ends it
   * @throws SluiceError `invalid-argument`
   */
  on<Name extends keyof ClientEvents>(
    name: Name,
    listener: (event: ClientEvents[Name]) => void,
  ): Undo {
    return this.#events.on(name, listener);
  }

  /** Tries at once if the client is waiting for its next try; otherwise does nothing. */
  retryNow(): void {
    if (this.#state.status === "connecting" && this.#state.retryAt !== undefined) this.#dial();
  }

  /** Ends the connection for good. Publishes without an answer fail. */
  close(): void {
    this.#finish(undefined);
  }

  async #loadPublishes(): Promise<Publishes> {
    try {
      const { Publishes } = await import("./publishes.js");
      this.#publishes = new Publishes(this.#settings, () => this.#move?.isSettling);
    } catch (cause) {
      this.#publishesLoading = undefined;
      throw new SluiceError("not-sent", "cannot load the code that publishes", undefined, cause);
    }
    if (this.#liveness) this.#openPublishes();
    return this.#publishes;
  }

  #openPublishes(): void {
    if (this.#link && "hello" in this.#state) {
      this.#publishes?.onHello(this.#link, this.#state.hello.limits);
    }
  }

  #dial(): void {
    if (this.#isClosed()) return;
    this.#apply({ type: "dialled" });
    try {
      const standing = (): Standing => this.#subscriptions.standing;
      this.#link = this.#createLink(this.#url, standing, this.#linkListener);
    } catch (cause) {
      this.#onUnusable(cause);
      return;
    }
    this.#awaitHello();
  }

  /** The platform takes the address for none. Where a node has named it, others are left. */
  #onUnusable(cause: unknown): void {
    if (this.#target === undefined) {
      this.#finish(new SluiceError("refused", "the WebSocket cannot be made", undefined, cause));
    } else {
      this.#events.report(badRedirect(this.#target, cause));
      this.#lose({ code: 1006, reason: "" });
    }
  }

  /** @param waited - For how long it has waited; then other addresses are tried beside this one. */
  #awaitHello(waited = 0): void {
    const { attemptDelay, connectTimeout, random, urls } = this.#settings;
    const ms = helloTimeout(this.#route, connectTimeout) - waited;
    const mayRace = urls.length > 1 && !waited && !this.#liveness && ms === connectTimeout;
    const delay = mayRace ? attemptDelay * (1 + random()) : ms;
    this.#startTimer(Math.min(ms, delay), () => {
      if (delay < ms) {
        this.#startMove(undefined);
        this.#awaitHello(delay);
      } else this.#link?.giveUp("no hello from the node in time");
    });
  }

  /** See {@link MoveHost}. */
  readonly #isStale = (): boolean =>
    this.#state.status === "stale" && this.#settings.urls.length > 1;

  get #url(): string {
    const { urls } = this.#settings;
    return this.#target ?? urls[this.#failures % urls.length] ?? "";
  }

  /** Sends everything that can go before the node's hello, which saves a round trip. */
  async #open(): Promise<void> {
    const link = this.#link;
    if (!link) return;
    // A session that goes on is not sent elsewhere before its hello.
    const isRedirected = this.#isRedirected || this.#liveness !== undefined;
    if (this.#liveness) {
      this.#liveness.stop();
      this.#refreshes?.stop();
      this.#awaitHello();
    }
    const onSaid = (now: number): void => {
      this.#askedAt = now;
      this.#openedAt ??= now;
      this.#subscriptions.onOpen(link);
    };
    const token = this.#refreshes?.unsaid;
    if (await this.#introduce(link, isRedirected, onSaid, token)) return;
    // Past the choice of the transport, of which it says nothing.
    if (this.#link === link) this.#lose({ code: 1006, reason: "no token" });
  }

  #askForToken(): Promise<string | undefined> {
    return askForToken(this.#settings.token, this.#events.report);
  }

  /** Keeps the session's credential fresh, if that is asked for and needed. */
  #refresh(expires: number | undefined): void {
    const { token } = this.#settings;
    const liveness = this.#liveness;
    if (typeof token !== "function" || expires === undefined) return;
    import("./refreshes.js").then(
      ({ Refreshes }) => {
        const link = this.#link;
        if (!link || this.#liveness !== liveness) return;
        const ask = (): Promise<string> => this.#askForToken() as Promise<string>;
        this.#refreshes = new Refreshes(link, this.#settings, this.#clockEstimate, expires, ask);
      },
      // Then the node ends the session, and the next one has a fresh credential.
      () => undefined,
    );
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
        this.#refreshes?.onRefreshed(frame.ref, frame.expires);
        return;
      case "published":
        this.#publishes?.onAnswer(frame.ref);
        return;
      case "pong":
        this.#liveness?.onPong(frame.ref, frame.time);
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
        if (this.#isStale()) this.#startMove(undefined);
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
      case "unsubscribed":
        return;
    }
  }

  #onHello(hello: Hello, now: number): void {
    const { clock } = this.#settings;
    const link = this.#link;
    if (!link) return;
    clock.clearTimeout(this.#timer);
    this.#clockEstimate.clear();
    this.#clockEstimate.add(this.#openedAt === undefined ? now : this.#askedAt, now, hello.time);
    if (!this.#liveness) this.#move?.stop();
    this.#liveness?.stop();
    this.#liveness = new Liveness(link, clock, this.#clockEstimate, hello.pingInterval);
    this.#refreshes?.stop();
    this.#refreshes = undefined;
    this.#isRedirected = this.#isSecondToken = false;
    this.#refresh(hello.expires);
    this.#subscriptions.onHello(hello.limits.overlap);
    this.#transport = this.#route.transport;
    this.#apply({ type: "hello", hello });
    this.#openPublishes();
    this.#events.emit("hello", hello);
  }

  #onDraining({ deadline, url }: Extract<NodeFrame, { readonly type: "draining" }>): void {
    this.#apply({ type: "draining", deadline });
    this.#events.emit("draining", { deadline });
    this.#startMove(url === undefined ? url : this.#toTarget(url, this.#url));
  }

  /** The node knows a better place, or does not take the client in. */
  #onRedirect(url: string): void {
    const target = this.#toTarget(url, this.#url);
    const wasRedirected = this.#isRedirected;
    // Also where it must not go: the node would only name that place again.
    if (!this.#liveness) this.#isRedirected = true;
    if (target === undefined) return;
    if (this.#liveness) this.#startMove(target);
    else if (!wasRedirected) this.#renew(this.#isRenewing, target);
  }

  /** Begins to look for another node; the code for it is loaded only where it is needed. */
  #startMove(target: string | undefined): void {
    const link = this.#link;
    const { deadline } = this.#state as Partial<Draining>;
    const hasHello = !!this.#liveness;
    const failures = this.#failuresAfterEnd();
    import("./move.js").then(
      ({ startMove }) => {
        if (!link || this.#link !== link || hasHello !== !!this.#liveness) return;
        this.#move = startMove(this.#move, {
          settings: this.#settings,
          subscriptions: this.#subscriptions,
          listener: this.#linkListener,
          createLink: this.#createLink,
          introduce: this.#introduce,
          toTarget: this.#toTarget,
          report: this.#events.report,
          onEntered: this.#enter,
          publishes: () => this.#publishes,
          isRedirected: () => this.#isRedirected,
          onRedirected: () => {
            this.#isRedirected = true;
          },
          isStale: this.#isStale,
          hasHello,
          url: this.#url,
          target,
          left: deadline && deadline - this.#clockEstimate.now(),
          failures,
        });
      },
      // Then the client leaves when the node closes the connection.
      () => undefined,
    );
  }

  #onError(frame: ErrorFrame): void {
    const error = new SluiceError(frame.code, frame.message, frame.topic);
    // Only to an unsubscribe that crossed the refusal of its subscribe.
    if (frame.code === "not-subscribed") return;
    if (this.#publishes?.onAnswer(frame.ref, error)) return;
    if (this.#subscriptions.onError(frame, error)) return;
    if (frame.code === "unauthorized" && frame.ref === undefined) {
      this.#refusal = error; // a close frame follows, which decides what becomes of it
      return;
    }
    this.#refreshes?.onError(frame.ref);
    this.#events.report(error);
  }

  #onEnd(end: ConnectionEnd, retryAfterMs = 0): void {
    if (this.#isClosed()) return;
    if (afterClose(end.code) !== "fatal" && this.#move?.hurry(end, retryAfterMs)) return;
    const { transports, urls } = this.#settings;
    const tried = this.#route;
    const hello = this.#liveness !== undefined;
    const tryEnd = { hello, code: end.code };
    this.#route = routeAfter(tried, tryEnd, transports, urls.length);
    // The node wants another credential, and one can be had that it has not refused yet.
    const mayAsk = typeof this.#settings.token === "function" && (hello || !this.#isSecondToken);
    const isMendable = mayAsk && asksForToken(end.code);
    if (!isMendable && isFinal(tryEnd, transports)) {
      const reason = end.reason === "" ? "" : `: ${end.reason}`;
      const why = `the node closed the connection with ${String(end.code)}${reason}`;
      this.#finish(this.#refusal ?? new SluiceError("refused", why));
      return;
    }
    if (isMendable && !hello) this.#isSecondToken = true;
    const isRenewable = end.code === RENEW || isMendable;
    const isOver = isRenewable && this.#stoodFor() >= RENEWABLE_MS;
    const isMissed = tried.transport === "websocket" && this.#route.transport === "http";
    if (isOver || (this.#isRenewing && isMissed)) this.#renew();
    else this.#lose(end, retryAfterMs);
  }

  /** Goes on at once, and the application hears nothing of it unless that fails. */
  #renew(isRenewing = true, target?: string): void {
    this.#drop(true);
    this.#isRenewing = isRenewing;
    this.#target = target;
    this.#dial();
  }

  #lose(end: ConnectionEnd, retryAfterMs = 0): void {
    const { clock, backoff, maxBackoff } = this.#settings;
    const from = this.#url;
    this.#failures = this.#failuresAfterEnd();
    this.#drop();
    if (this.#isClosed()) return; // by a handler, just now
    // Only from a connection that stood: a node that drains for ever must not be dialled in a loop.
    const isElsewhere = afterClose(end.code) === "retry-elsewhere" && this.#failures === 0;
    const atOnce = isElsewhere || (asksForToken(end.code) && this.#isSecondToken);
    // The browser's word is no proof, so it only makes the wait long; its next one ends it.
    const retry = isOffline() ? maxBackoff : backoff(this.#failures);
    // It is asked for by one address, and another one may be next.
    const wait = atOnce ? 0 : Math.max(retry, this.#url === from ? retryAfterMs : 0);
    const retryAt = clock.now() + wait;
    this.#startTimer(wait, () => {
      this.#dial();
    });
    this.#apply({ type: "lost", failures: this.#failures, retryAt, end });
  }

  #failuresAfterEnd(): number {
    return this.#stoodFor() >= STABLE_MS ? 0 : this.#failures + 1;
  }

  #stoodFor(): number {
    const { clock } = this.#settings;
    return this.#liveness && this.#openedAt ? clock.now() - this.#openedAt : 0;
  }

  #finish(error: SluiceError | undefined): void {
    if (this.#isClosed()) return;
    this.#drop();
    this.#settings.clock.clearTimeout(this.#timer);
    this.#stopWatching();
    this.#apply({ type: "closed", error });
    this.#publishes?.onClosed(error);
    if (error) this.#events.report(error);
  }

  /** Lets go of the link, which most often has ended. */
  #drop(isRenewed = false): void {
    this.#isRenewing = false;
    // What the move has held back waits on.
    this.#publishes?.onLost();
    this.#move?.stop();
    if (!isRenewed) this.#transport = undefined;
    this.#link?.abandon();
    this.#liveness?.stop();
    this.#refreshes?.stop();
    this.#link = this.#liveness = this.#refreshes = this.#move = undefined;
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
    this.#events.emit("state", next);
  }

  #isClosed(): boolean {
    return this.#state.status === "closed";
  }

  #closedError(): SluiceError {
    const cause = this.#state.status === "closed" ? this.#state.error : undefined;
    return new SluiceError("closed", "the client is closed", undefined, cause);
  }
}
