import { parseBinaryDelivery, parseDelivery } from "./delivery.js";
import { toSluiceError, type SluiceError } from "../engine/errors.js";
import type { Hello } from "../engine/frames.js";
import type { JsonObject } from "../engine/json.js";
import type { Link } from "../transport/link.js";
import type { PublishHost } from "../engine/publish-queue.js";
import type { Attachment } from "./queue-attachment.js";
import { QueueSession } from "./queue-session.js";
import { RetiredLink } from "../transport/retired-link.js";

/** Consumers, which follow the client from link to link. */
export interface SessionFollower {
  /** Starts on a new session. */
  onSession(session: QueueSession): void;
  /** The node has accepted another credential: requests what was refused. */
  onCredential?(session: QueueSession): void;
  /** Leaves the session, whose link remains open; returns what is active on it. */
  onMove(): readonly Attachment[];
  /** Handles the end of the session. */
  onLost(): void;
  /** The next session has another subject. */
  onIdentityChanged?(error: SluiceError): void;
  /** Handles the end of the client. */
  onClosed(): void;
  /** Handles a frame of the current session. */
  onOther?(frame: JsonObject): void;
  /** Handles an error that belongs to no request; returns whether it belongs to the follower. */
  onError?(ref: number, error: SluiceError): boolean;
}

/** Session of a client for requests and queues, and those on links that it has left. */
export class Sessions {
  readonly host: PublishHost;
  readonly #followers = new Set<SessionFollower>();
  /** Links that the client has left, while answers or settlements are pending on them. */
  readonly #retired = new Set<RetiredLink>();
  #current: QueueSession | undefined;
  /** True from the move to another link until the client has released the old one. */
  #isMoving = false;
  #isClosed = false;

  constructor(host: PublishHost) {
    this.host = host;
  }

  /** Session on the client's link; undefined without a hello. */
  get current(): QueueSession | undefined {
    return this.#current;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Returns whether the session is one of this client that has not ended. */
  has(session: QueueSession): boolean {
    return session.owner === this && !session.hasEnded;
  }

  /** Adds consumers. */
  add(follower: SessionFollower): void {
    this.#followers.add(follower);
    if (this.#current) follower.onSession(this.#current);
  }

  /** Starts a session on a link. */
  onHello(link: Link, hello: Hello): void {
    // A renewed stream repeats its hello.
    if (this.#current?.link === link) return;
    const session = (this.#current = new QueueSession(link, hello, this));
    for (const follower of this.#followers) follower.onSession(session);
  }

  /** The node has accepted another credential. */
  onCredential(): void {
    const session = this.#current;
    if (!session) return;
    for (const follower of this.#followers) follower.onCredential?.(session);
  }

  /** Handles a frame of the client's link. */
  onFrame(frame: JsonObject | ArrayBuffer): void {
    if (!this.#current) return;
    this.#dispatch(this.#current, frame);
    if (frame instanceof ArrayBuffer) return;
    for (const follower of this.#followers) follower.onOther?.(frame);
  }

  /** Handles an error; returns whether it belongs to a request. */
  onError(ref: number | undefined, error: SluiceError): boolean {
    if (this.#current?.onError(ref, error) === true) return true;
    return [...this.#followers].some((follower) => follower.onError?.(ref ?? NaN, error));
  }

  /** Handles the move to another link; returns whether the old one remains open. */
  onMove(): boolean {
    const session = this.#current;
    if (!session || session.size === 0) return false;
    this.#current = undefined;
    this.#isMoving = true;
    const attachments = [...this.#followers].flatMap((follower) => follower.onMove());
    const retired: RetiredLink = new RetiredLink(session, attachments, {
      host: this.host,
      onFrame: (frame) => {
        this.#dispatch(session, frame);
      },
      onEnd: () => this.#retired.delete(retired),
    });
    this.#retired.add(retired);
    retired.start();
    return true;
  }

  /** Handles the end of the link, unless a move has replaced it. */
  onLost(): void {
    const isMoving = this.#isMoving;
    this.#isMoving = false;
    if (isMoving) return;
    const session = this.#current;
    this.#current = undefined;
    for (const follower of this.#followers) follower.onLost();
    session?.end();
  }

  onIdentityChanged(error: SluiceError): void {
    for (const follower of this.#followers) follower.onIdentityChanged?.(error);
    for (const retired of this.#retired) retired.close();
  }

  onClosed(): void {
    this.#isClosed = true;
    for (const follower of this.#followers) follower.onClosed();
    for (const retired of this.#retired) retired.close();
  }

  #dispatch(session: QueueSession, frame: JsonObject | ArrayBuffer): void {
    const { settings, parsers } = this.host;
    try {
      if (frame instanceof ArrayBuffer) {
        const delivery = parseBinaryDelivery(frame, settings.clock.now(), parsers);
        if (delivery) session.onDelivery(delivery);
      } else if (frame["type"] === "delivery") {
        session.onDelivery(parseDelivery(frame, parsers));
      } else session.onFrame(frame);
    } catch (thrown) {
      // The node releases a message that is not settled in time.
      this.host.events.report(toSluiceError(thrown));
    }
  }
}
