import { encodeBinaryPublish } from "./binary.js";
import { SluiceError } from "./errors.js";
import { encodePublish, type Limits } from "./frames.js";
import type { Link } from "./link.js";
import type { Properties } from "./message.js";
import type { Settings } from "./options.js";

/** What the application wants to publish. */
export interface Publication {
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly properties: Properties | undefined;
}

interface Pending {
  readonly publication: Publication;
  readonly resolve: () => void;
  readonly reject: (error: SluiceError) => void;
  readonly timer: unknown;
}

const encoder = new TextEncoder();

/**
 * Publishes without an answer, oldest first. Those that no link has taken yet wait for one; those
 * that were sent fail with their link, because nobody knows whether they arrived.
 */
export class Publishes {
  readonly #settings: Settings;
  readonly #waiting = new Set<Pending>();
  readonly #sent = new Map<number, Pending>();
  readonly #onAllAnswered: () => void;
  #link: Link | undefined;
  #limits: Limits | undefined;

  /** @param onAllAnswered - Called when none of those sent is without an answer any more. */
  constructor(settings: Settings, onAllAnswered: () => void) {
    this.#settings = settings;
    this.#onAllAnswered = onAllAnswered;
  }

  /** How many were sent and have no answer. */
  get unanswered(): number {
    return this.#sent.size;
  }

  publish(publication: Publication): Promise<void> {
    return new Promise((resolve, reject) => {
      const { maxPublishes, publishTimeout, clock } = this.#settings;
      if (this.#waiting.size + this.#sent.size >= maxPublishes) {
        const why = `${String(maxPublishes)} publishes are waiting already`;
        reject(new SluiceError("publish-queue-full", why, publication.topic));
        return;
      }
      const timer = clock.setTimeout(() => {
        this.#expire(pending);
      }, publishTimeout);
      const pending: Pending = { publication, resolve, reject, timer };
      this.#waiting.add(pending);
      this.#flush();
    });
  }

  /** A session is open: what waits is sent. */
  onHello(link: Link, limits: Limits): void {
    this.#link = link;
    this.#limits = limits;
    this.#flush();
  }

  /** Sends nothing more on this link; what was sent may still be answered. */
  onDraining(): void {
    this.#link = undefined;
  }

  /** The link is gone. */
  onLost(): void {
    this.#link = undefined;
    const why = "the connection ended before the answer; the message may have been published";
    this.#failAll(this.#sent.values(), "connection-lost", why);
    this.#sent.clear();
  }

  /** There will be no other link. */
  onClosed(cause: SluiceError | undefined): void {
    this.onLost();
    this.#failAll(this.#waiting, "closed", "the client is closed; the message was not sent", cause);
    this.#waiting.clear();
  }

  onPublished(ref: number | undefined): void {
    const pending = this.#take(ref);
    if (!pending) return;
    this.#settings.clock.clearTimeout(pending.timer);
    pending.resolve();
    if (this.#sent.size === 0) this.#onAllAnswered();
  }

  /** Returns whether the error answers a publish. */
  onError(ref: number | undefined, error: SluiceError): boolean {
    const pending = this.#take(ref);
    if (!pending) return false;
    this.#fail(pending, error);
    if (this.#sent.size === 0) this.#onAllAnswered();
    return true;
  }

  #flush(): void {
    if (!this.#link || !this.#limits) return;
    for (const pending of this.#waiting) {
      this.#waiting.delete(pending);
      this.#send(this.#link, this.#limits, pending);
    }
  }

  #send(link: Link, limits: Limits, pending: Pending): void {
    const ref = link.nextRef();
    const frame = this.#encode(ref, pending.publication);
    const bytes = typeof frame === "string" ? encoder.encode(frame).length : frame.length;
    // The node would close the connection, for good.
    if (bytes > limits.messageBytes) {
      const most = String(limits.messageBytes);
      const why = `the frame has ${String(bytes)} bytes, and the node takes ${most}; it was not sent`;
      this.#fail(pending, new SluiceError("too-large", why, pending.publication.topic));
      return;
    }
    this.#sent.set(ref, pending);
    link.send(frame);
  }

  #encode(ref: number, publication: Publication): string | Uint8Array<ArrayBuffer> {
    const { topic, payload, properties } = publication;
    // The binary frame has no room for properties.
    return this.#settings.encoding === "binary" && properties === undefined
      ? encodeBinaryPublish(ref, topic, payload)
      : encodePublish(ref, topic, payload, properties);
  }

  #take(ref: number | undefined): Pending | undefined {
    if (ref === undefined) return undefined;
    const pending = this.#sent.get(ref);
    this.#sent.delete(ref);
    return pending;
  }

  #expire(pending: Pending): void {
    const wasWaiting = this.#waiting.delete(pending);
    for (const [ref, other] of this.#sent) {
      if (other === pending) this.#sent.delete(ref);
    }
    const why = wasWaiting
      ? "there was no connection in time; the message was not sent"
      : "the node did not answer in time; the message may have been published";
    this.#fail(pending, new SluiceError("publish-timeout", why, pending.publication.topic));
  }

  #failAll(all: Iterable<Pending>, code: string, why: string, cause?: SluiceError): void {
    for (const pending of all) {
      this.#fail(pending, new SluiceError(code, why, pending.publication.topic, cause));
    }
  }

  #fail(pending: Pending, error: SluiceError): void {
    this.#settings.clock.clearTimeout(pending.timer);
    pending.reject(error);
  }
}
