import type { ClientEmitter } from "./client-events.js";
import type { Client } from "./client-type.js";
import type { Continuity } from "./continuity.js";
import type { Hello } from "./frames.js";
import type { Messaging } from "./messaging.js";
import type { ConnectionEnd } from "./state.js";
import { subjectOf } from "./subject.js";
import type { Subscriptions } from "./subscriptions.js";
import type { TopicSubscription } from "./topic-subscription.js";

const CODE = "identity-changed";

/** Client with its module for publishes and queues, undefined before the first use. */
export interface MessagingClient extends Client {
  readonly messaging: Promise<Messaging> | undefined;
}

/** Client as used by its identity. */
export interface IdentityHost {
  readonly client: MessagingClient;
  readonly events: ClientEmitter;
  readonly subscriptions: Pick<Subscriptions, "all">;
  /** Ends the session; another one follows. */
  readonly onLost: (end: ConnectionEnd) => void;
}

/**
 * Subject of a client's credential. Nothing of one subject continues as another: positions,
 * publishes without an answer and received messages are dropped with the session.
 */
export class Identity {
  readonly #host: IdentityHost;
  /** Subject that the latest token states. */
  #stated: string | undefined;
  /** Subject that the node has named; undefined at older nodes. */
  #named: string | undefined;

  /** @param token - Latest token, if any. */
  constructor(host: IdentityHost, token: string | undefined) {
    this.#host = host;
    this.#stated = token === undefined ? token : subjectOf(token);
    const { state } = host.client;
    this.#named = "hello" in state ? state.hello.subject : undefined;
  }

  /** Records a token; ends the session and throws if it has another subject than before. */
  onToken(token: string | undefined): void {
    const from = this.#stated;
    const to = (this.#stated = subjectOf(token));
    // The node may use another claim, or a credential that is no token.
    const isComparable = this.#named === undefined || this.#named === from;
    if (from === undefined || !isComparable || to === from) return;
    this.#named = undefined;
    this.#drop(from, to);
    this.#change(from, to);
    throw new Error(CODE);
  }

  /** Records a hello; ends the session and returns true if it has another subject than before. */
  onHello({ subject: to }: Hello): boolean {
    const from = this.#named;
    this.#named = to ?? from;
    if (from === undefined || this.#named === from) return false;
    this.#drop(from, to);
    this.#change(from, to);
    return true;
  }

  /**
   * Ends the session; the next one may have any subject.
   *
   * @param messaging - Module as used by the calls of the previous user, if any; resolves when they
   *   are dropped.
   * @param from - The application's name of the previous user.
   * @param to - That of the next one.
   */
  end(
    messaging: Promise<Messaging> | undefined,
    from: string | undefined,
    to: string | undefined,
  ): Promise<Messaging> | undefined {
    const subject = this.#named ?? this.#stated;
    this.#named = this.#stated = undefined;
    this.#change(subject, undefined);
    return messaging?.then((loaded) => {
      loaded.onIdentityChanged(from, to);
      return loaded;
    });
  }

  /** Drops what the previous subject has requested; its calls may still wait for the module. */
  #drop(from: string, to: string | undefined): void {
    this.#host.client.messaging?.then(
      (messaging) => {
        messaging.onIdentityChanged(from, to);
      },
      () => undefined,
    );
  }

  #change(from: string | undefined, to: string | undefined): void {
    const { client, events, subscriptions, onLost } = this.#host;
    if (client.state.status === "closed") return;
    for (const subscription of subscriptions.all) restart(subscription);
    onLost({ code: 1000, reason: CODE });
    events.emit(CODE, { from, to });
  }
}

/** Starts a subscription anew, without a position. */
function restart(subscription: TopicSubscription): void {
  const { continuity, hasNotified, position, settings } = subscription;
  const { from, delivery } = settings;
  subscription.onLost(false);
  // An import of the class would split the core.
  const Anew = continuity.constructor as typeof Continuity;
  const isPosition = typeof from === "object" && "epoch" in from;
  subscription.continuity = new Anew(isPosition ? "snapshot" : from, !delivery);
  if (hasNotified || position) subscription.emitGap(CODE);
}
