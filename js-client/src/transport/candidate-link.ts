import type { ErrorFrame, Hello, NodeFrame, Subscribed } from "../engine/frames.js";
import type { Link, LinkListener } from "./link.js";
import type { Settings } from "../engine/options.js";
import { SubscribeRequests } from "../engine/subscribe-requests.js";
import type { ConnectionEnd } from "../engine/state.js";
import type { Subscriptions } from "../engine/subscriptions.js";
import type { SubscriptionPhase, TopicSubscription } from "../engine/topic-subscription.js";

/** Client as used by a candidate link. */
export interface CandidateHost {
  readonly settings: Settings;
  readonly subscriptions: Subscriptions;
  /**
   * Listener of the client's link; receives the candidate's frames once the client has adopted it.
   */
  readonly listener: LinkListener;
  createLink(url: string, phase: () => SubscriptionPhase, listener: LinkListener): Link;
  /**
   * Sends the connect frame and, if the link took it, calls `onSent` synchronously. Resolves to
   * whether a credential was available.
   *
   * @param known - Credential to send; undefined to request one.
   */
  sendConnect(
    link: Link,
    isRedirected: boolean,
    onSent: (now: number) => void,
    known?: string,
  ): Promise<boolean>;
}

/** Address of a candidate link. */
export interface Endpoint {
  readonly url: string;
  /** True if a node has redirected the client to this address. */
  readonly isRedirected: boolean;
}

/** Callbacks of a candidate link until the client adopts it. */
export interface CandidateListener {
  /** The socket is open, possibly again; the hello is pending. */
  onOpen(): void;
  onHello(): void;
  /** All requests are answered. */
  onAnswers(): void;
  /** The node redirects the client instead of sending a hello. */
  onRedirect(url: string): void;
  onEnd(end: ConnectionEnd, retryAfterMs: number): void;
}

// Buffered frames at which the client adopts the link without waiting longer.
const MAX_BUFFERED = 10_000;

/**
 * Second link with its own session, opened while the client still uses another one. It requests all
 * subscriptions by position and buffers the frames until the client adopts it. Until then the old
 * link is authoritative and the candidate's frames have no effect.
 */
export class CandidateLink {
  readonly link: Link;
  readonly url: string;
  /** Times at which the connect frame was sent and the hello arrived, by the client's clock. */
  sentAt = 0;
  helloAt = 0;
  readonly #host: CandidateHost;
  readonly #listener: CandidateListener;
  readonly #endpoint: Endpoint;
  readonly #requests: SubscribeRequests;
  #hello: Hello | undefined;
  #buffered: (() => void)[] = [];
  #isAdopted = false;
  /** True if the node has no broker connection. */
  isStale = false;

  constructor(host: CandidateHost, endpoint: Endpoint, listener: CandidateListener) {
    this.#host = host;
    this.#endpoint = endpoint;
    this.#listener = listener;
    this.url = endpoint.url;
    const { subscriptions } = host;
    const phase = (): SubscriptionPhase =>
      this.#isAdopted ? subscriptions.phase : this.#phase(subscriptions);
    this.link = host.createLink(endpoint.url, phase, this.#createListener(host.listener));
    this.#requests = new SubscribeRequests(host, this.link);
  }

  get hasHello(): boolean {
    return this.#hello !== undefined;
  }

  get hello(): Hello {
    if (!this.#hello) throw new Error("no hello yet");
    return this.#hello;
  }

  /** Returns whether this is the node that the client is leaving, so that a move is useless. */
  get isCurrentNode(): boolean {
    return this.#requests.isCurrentNode;
  }

  /**
   * Returns whether the node has permanently refused a subscription that is active on the old one.
   */
  get isRefused(): boolean {
    return this.#requests.isRefused;
  }

  get isFull(): boolean {
    return this.#buffered.length >= MAX_BUFFERED;
  }

  /** Sends requests that are missing or outdated; returns whether everything is answered. */
  update(): boolean {
    // The connect frame comes first, even if a node sends its hello without it.
    return this.sentAt !== 0 && this.#requests.update() && this.hasHello;
  }

  /** See {@link SubscribeRequests.refs}. */
  get refs(): ReadonlyMap<TopicSubscription, number> {
    return this.#requests.refs;
  }

  /**
   * Delivers the buffered frames while `isCurrent` returns true; later frames go to the client
   * directly.
   */
  flush(isCurrent: () => boolean): void {
    this.#isAdopted = true;
    const buffered = this.#buffered;
    this.#buffered = [];
    for (const deliver of buffered) {
      if (!isCurrent()) return;
      try {
        deliver();
      } catch (error) {
        this.#host.listener.onBadFrame(error);
      }
    }
  }

  #createListener(client: LinkListener): LinkListener {
    return {
      onOpen: () => {
        if (this.#isAdopted) client.onOpen();
        else void this.#open();
      },
      onActivity: () => {
        if (this.#isAdopted) client.onActivity();
      },
      onFrame: (frame) => {
        if (this.#isAdopted) client.onFrame(frame);
        else this.#onFrame(frame);
      },
      onBinary: (message) => {
        if (this.#isAdopted) client.onBinary(message);
        else
          this.#buffer(() => {
            client.onBinary(message);
          });
      },
      onBadFrame: (error) => {
        if (this.#isAdopted) client.onBadFrame(error);
        else
          this.#buffer(() => {
            client.onBadFrame(error);
          });
      },
      onEnd: (end, retryAfterMs) => {
        (this.#isAdopted ? client : this.#listener).onEnd(end, retryAfterMs);
      },
    };
  }

  /** Sends everything within one task, which an HTTP stream combines into one request. */
  async #open(): Promise<void> {
    this.#hello = undefined;
    this.#listener.onOpen();
    const hasToken = await this.#host.sendConnect(this.link, this.#endpoint.isRedirected, (now) => {
      this.sentAt = now;
      this.#buffered = [];
      this.#requests.clear();
      this.update();
      if (this.#hello) this.#listener.onHello();
    });
    if (!hasToken) this.link.terminate("no token");
  }

  #onFrame(frame: NodeFrame): void {
    switch (frame.type) {
      case "hello":
        this.#hello = frame.hello;
        this.isStale = frame.hello.broker === "down";
        this.#requests.overlap = frame.hello.limits.overlap;
        this.#requests.features = frame.hello.features ?? [];
        this.helloAt = this.#host.settings.clock.now();
        this.#listener.onHello();
        return;
      case "redirect":
        if (this.#hello) this.#bufferFrame(frame);
        else this.#listener.onRedirect(frame.url);
        return;
      case "subscribed":
      case "error":
        this.#onAnswer(frame);
        return;
      case "stale":
      case "live":
        this.isStale = frame.type === "stale";
        this.#bufferFrame(frame);
        return;
      default:
        this.#bufferFrame(frame);
    }
  }

  #onAnswer(frame: Subscribed | ErrorFrame): void {
    const request = this.#requests.onAnswer(frame);
    if (!request) {
      this.#bufferFrame(frame);
      return;
    }
    if (request.isAnswered) {
      this.#buffer(() => {
        // An error that answers a withdrawn request is discarded.
        const isPending = frame.type === "subscribed" || this.#requests.isPending(request);
        if (isPending) this.#host.listener.onFrame(frame);
      });
    }
    if (!this.#requests.hasPending) this.#listener.onAnswers();
  }

  #bufferFrame(frame: NodeFrame): void {
    this.#buffer(() => {
      this.#host.listener.onFrame(frame);
    });
  }

  #buffer(deliver: () => void): void {
    this.#buffered.push(deliver);
  }

  #phase({ all }: Subscriptions): SubscriptionPhase {
    if (all.length === 0) return "none";
    return this.#requests.hasPending ? "opening" : "live";
  }
}
