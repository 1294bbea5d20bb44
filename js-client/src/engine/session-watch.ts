import type { ClientEmitter } from "./client-events.js";
import { watchClient } from "./client-watch.js";
import type { ClockEstimate } from "./clock.js";
import type { SluiceError } from "./errors.js";
import type { Hello, NodeFrame } from "./frames.js";
import { Identity, type IdentityHost, type MessagingClient } from "./identity.js";
import type { Messaging } from "./messaging.js";
import type { Link } from "../transport/link.js";
import { Liveness } from "../transport/liveness.js";
import type { Settings } from "./options.js";
import type { SubscriptionState } from "./subscription-state.js";
import type { Subscriptions } from "./subscriptions.js";
import { TokenRefresh } from "./token-refresh.js";

// Refusals by a quota or for the moment; others last until another session or credential.
const TRANSIENT = [
  "rate-limited",
  "broker-unavailable",
  "too-many-topics",
  "too-many-subscriptions",
];
const RETRY = { min: 1_000, max: 60_000 };

function isRefused({ status }: SubscriptionState): boolean {
  return status === "refused";
}

function isTransient(state: SubscriptionState): boolean {
  return state.status === "refused" && TRANSIENT.includes(state.error.code);
}

/** Client as used by the watches of its sessions. */
interface WatchHost extends IdentityHost {
  readonly settings: Settings;
  readonly estimate: ClockEstimate;
  readonly requestToken: () => Promise<string>;
  /** Number of repeated requests by link; a renewed HTTP stream keeps its link. */
  readonly retries: WeakMap<Link, number>;
}

/** Heartbeat, credential refresh and repeated requests of one session. */
class SessionWatch {
  readonly #liveness: Liveness;
  /** Undefined if the credential does not expire or cannot be renewed. */
  readonly #refresh: TokenRefresh | undefined;
  readonly #settings: Settings;
  readonly #subscriptions: Pick<Subscriptions, "all">;
  readonly #client: MessagingClient;
  readonly #link: Link;
  readonly #retries: WatchHost["retries"];
  /** Timer of the next request of refused subscriptions. */
  #retryTimer: unknown;

  constructor(
    { settings, estimate, subscriptions, requestToken, client, retries }: WatchHost,
    link: Link,
    { expires, pingInterval }: Hello,
  ) {
    const { clock, random, token } = settings;
    this.#settings = settings;
    this.#subscriptions = subscriptions;
    this.#client = client;
    this.#link = link;
    this.#retries = retries;
    this.#liveness = new Liveness(link, clock, estimate, pingInterval, random);
    // The core does not check it: a session without renewal is better than none.
    if (typeof token === "function" && typeof expires === "number") {
      this.#refresh = new TokenRefresh(link, settings, estimate, expires, requestToken);
    }
  }

  /**
   * Returns a fresh credential that the link could not send. Refused subscriptions are requested
   * with it.
   */
  takeToken(): string | undefined {
    const token = this.#refresh?.unsentToken;
    if (token !== undefined) this.resetRefused();
    return token;
  }

  /** Resets refused subscriptions; they are requested on the next link. */
  resetRefused(): void {
    for (const subscription of this.#subscriptions.all) subscription.reset();
  }

  /** Records that data has arrived from the node. */
  onActivity(): void {
    this.#liveness.onActivity();
  }

  /** Handles an answer to a ping or a refresh. */
  onFrame(frame: Extract<NodeFrame, { readonly type: "pong" | "refreshed" }>): void {
    if (frame.type === "pong") this.#liveness.onPong(frame.ref, frame.time);
    else {
      this.#refresh?.onRefreshed(frame.ref, (frame as Partial<Hello>).expires);
      this.#renewRefused();
      void this.#client.messaging?.then((messaging) => {
        messaging.onCredential();
      });
    }
  }

  /** Handles an error of the node. */
  onError(ref: number | undefined): void {
    this.#refresh?.onError(ref);
  }

  /** Requests subscriptions later again that were refused by a quota or for the moment. */
  onRefused(): void {
    const isRefused = this.#subscriptions.all.some(({ state }) => isTransient(state));
    if (this.#retryTimer !== undefined || !isRefused) return;
    const { backoff, clock } = this.#settings;
    const retries = (this.#retries.get(this.#link) ?? 0) + 1;
    this.#retryTimer = clock.setTimeout(
      () => {
        this.#retryTimer = undefined;
        this.#retries.set(this.#link, retries);
        this.#renewRefused(isTransient);
      },
      backoff(retries, RETRY),
    );
  }

  #renewRefused(isDue: (state: SubscriptionState) => boolean = isRefused): void {
    for (const subscription of this.#subscriptions.all) {
      if (isDue(subscription.state)) subscription.renew();
    }
  }

  /** Checks a link that may be dead, with a short timeout. */
  probe(): void {
    this.#liveness.probe();
  }

  stop(): void {
    this.#liveness.stop();
    this.#refresh?.stop();
    this.#settings.clock.clearTimeout(this.#retryTimer);
  }
}

/** Watch of a client, its identity and its session. */
export class ClientWatch {
  readonly #host: WatchHost;
  readonly #identity: Identity;
  #session: SessionWatch | undefined;

  /**
   * @param SluiceError - Class of the core, which an import would split.
   * @param requestToken - Returns a fresh credential; rejects after the failure was reported.
   * @param onLost - Ends the session; another one follows.
   * @param token - Latest credential, if any.
   */
  constructor(
    client: MessagingClient,
    settings: Settings,
    events: ClientEmitter,
    subscriptions: Pick<Subscriptions, "all">,
    estimate: ClockEstimate,
    SluiceError: new (code: string, message: string) => SluiceError,
    requestToken: () => Promise<string>,
    onLost: WatchHost["onLost"],
    token: string | undefined,
  ) {
    const host = { client, events, subscriptions, onLost };
    this.#host = { ...host, settings, estimate, requestToken, retries: new WeakMap() };
    this.#identity = new Identity(host, token);
    const onChange = (): void => this.#session?.probe();
    watchClient(client, settings, onChange, (code, message) => {
      events.emit("error", new SluiceError(code, message));
    });
  }

  /** See {@link Identity.onToken}. */
  onToken(token: string | undefined): void {
    this.#identity.onToken(token);
  }

  /** See {@link Identity.onHello}. */
  onHello(hello: Hello): boolean {
    return this.#identity.onHello(hello);
  }

  /** See {@link Identity.end}. */
  endIdentity(...parameters: Parameters<Identity["end"]>): Promise<Messaging> | undefined {
    return this.#identity.end(...parameters);
  }

  /** Starts to watch a session; one that is renewed keeps its refused subscriptions. */
  start(link: Link, hello: Hello): void {
    this.#session = new SessionWatch(this.#host, link, hello);
    this.#session.onRefused();
  }

  /** See {@link SessionWatch.takeToken}. */
  takeToken(): string | undefined {
    return this.#session?.takeToken();
  }

  /** See {@link SessionWatch.resetRefused}. */
  resetRefused(): void {
    this.#session?.resetRefused();
  }

  /** See {@link SessionWatch.onActivity}. */
  onActivity(): void {
    this.#session?.onActivity();
  }

  /** See {@link SessionWatch.onFrame}. */
  onFrame(frame: Parameters<SessionWatch["onFrame"]>[0]): void {
    this.#session?.onFrame(frame);
  }

  /** See {@link SessionWatch.onError}. */
  onError(ref: number | undefined): void {
    this.#session?.onError(ref);
  }

  /** See {@link SessionWatch.onRefused}. */
  onRefused(): void {
    this.#session?.onRefused();
  }

  /** Stops before the session is renewed. */
  stop(): void {
    this.#session?.stop();
  }

  /** Stops at the end of the session. */
  end(): void {
    this.stop();
    this.#session = undefined;
  }
}
