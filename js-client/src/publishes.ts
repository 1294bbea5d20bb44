import { SluiceError } from "./errors.js";
import type { Limits } from "./frames.js";
import type { Link } from "./link.js";
import type { Properties } from "./message.js";
import type { Settings } from "./options.js";
import { encodeBinaryPublish, encodePublish } from "./publish-frames.js";

/** What the application wants to publish. */
export interface Publication {
  /** When it said so, by the client's clock: the code for it may have been loaded since. */
  readonly since: number;
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly properties: Properties | undefined;
}

interface Pending {
  readonly publication: Publication;
  /** Undefined until it is sent. */
  ref: number | undefined;
  /** Ends the wait: without an error the broker has the message. */
  readonly settle: (error?: SluiceError) => void;
}

// A character takes up to three bytes, and the topic up to 65,535.
const MAX_BINARY_TOPIC = 21_845;
const UNKNOWN = "it may have been published";
const NOT_SENT = "it was not sent";

/**
 * Publishes without an answer, oldest first; a page that has none does not load this. Those that no
 * link has taken yet wait for one; those that were sent fail with their link, because nobody knows
 * whether they arrived.
 */
export class Publishes {
  readonly #settings: Settings;
  readonly #waiting = new Set<Pending>();
  readonly #sent = new Map<number | undefined, Pending>();
  #link: Link | undefined;
  #limits: Limits | undefined;
  /** The timer for more of what waits; nothing is sent before. */
  #pause: unknown;
  readonly #isHeld: () => boolean | undefined;

  /** @param isHeld - Whether what has not been sent waits; what was sent may still be answered. */
  constructor(settings: Settings, isHeld: () => boolean | undefined) {
    this.#settings = settings;
    this.#isHeld = isHeld;
  }

  /** How many were sent and have no answer. */
  get unanswered(): number {
    return this.#sent.size;
  }

  publish(publication: Publication): Promise<void> {
    return new Promise((resolve, reject) => {
      const { maxPublishes, publishTimeout, clock } = this.#settings;
      if (this.#waiting.size + this.#sent.size >= maxPublishes) {
        const why = `${String(maxPublishes)} publishes wait already; ${NOT_SENT}`;
        reject(new SluiceError("publish-queue-full", why, publication.topic));
        return;
      }
      const timer = clock.setTimeout(
        () => {
          const lacking = this.#link ? "turn" : "connection";
          const [what, fate] = pending.ref ? ["answer", UNKNOWN] : [lacking, NOT_SENT];
          this.#fail([pending], "publish-timeout", `no ${what} in time; ${fate}`);
        },
        publication.since + publishTimeout - clock.now(),
      );
      const settle = (error?: SluiceError): void => {
        clock.clearTimeout(timer);
        this.#waiting.delete(pending);
        this.#sent.delete(pending.ref);
        if (error) reject(error);
        else resolve();
      };
      const pending: Pending = { publication, ref: undefined, settle };
      this.#waiting.add(pending);
      this.flush();
    });
  }

  /** A session is open: what waits is sent. */
  onHello(link: Link, limits: Limits): void {
    this.#endPause();
    this.#link = link;
    this.#limits = limits;
    this.flush();
  }

  /** Sends what waits, if it may go: at the node's pace, which would refuse what comes faster. */
  flush(): void {
    if (this.#pause !== undefined || !this.#limits) return;
    const { publishRate } = this.#limits;
    // Half of what may come at once: networks delay some and bring it with the next.
    const most = Math.max(1, Math.floor(publishRate / 2));
    let sent = 0;
    for (const pending of this.#waiting) {
      if (!this.#link || this.#isHeld()) return;
      if (sent++ === most) {
        this.#startPause((1_000 * most) / publishRate);
        return;
      }
      if (!this.#send(this.#link, this.#limits, pending)) return;
    }
  }

  /** The link is gone. */
  onLost(): void {
    this.#endPause();
    this.#link = undefined;
    this.#fail(this.#sent.values(), "connection-lost", `no answer; ${UNKNOWN}`);
  }

  /** There will be no other link. */
  onClosed(cause: SluiceError | undefined): void {
    this.onLost();
    this.#fail(this.#waiting, "closed", `the client is closed; ${NOT_SENT}`, cause);
  }

  /** A node has answered something; returns whether that was a publish. */
  onAnswer(ref: number | undefined, error?: SluiceError): boolean {
    const pending = this.#sent.get(ref);
    pending?.settle(error);
    return pending !== undefined;
  }

  #startPause(ms: number): void {
    this.#pause = this.#settings.clock.setTimeout(() => {
      this.#pause = undefined;
      this.flush();
    }, ms);
  }

  #endPause(): void {
    this.#settings.clock.clearTimeout(this.#pause);
    this.#pause = undefined;
  }

  /** Returns false if it has to wait for another link. */
  #send(link: Link, { messageBytes }: Limits, pending: Pending): boolean {
    const ref = link.nextRef();
    const frame = this.#encode(link, ref, pending.publication);
    const { length } = typeof frame === "string" ? new TextEncoder().encode(frame) : frame;
    // The node would close the connection, for good.
    if (length > messageBytes) {
      const why = `a frame of ${String(length)} bytes, and the node takes ${String(messageBytes)}`;
      this.#fail([pending], "too-large", `${why}; ${NOT_SENT}`);
      return true;
    }
    if (!link.send(frame)) return false;
    this.#waiting.delete(pending);
    this.#sent.set((pending.ref = ref), pending);
    return true;
  }

  #encode(link: Link, ref: number, publication: Publication): string | Uint8Array<ArrayBuffer> {
    const { topic, payload, properties } = publication;
    const isBinary = this.#settings.encoding === "binary" && !link.isTextOnly;
    // The binary frame has no room for properties, nor for a topic that no node takes.
    return isBinary && !properties && topic.length <= MAX_BINARY_TOPIC
      ? encodeBinaryPublish(ref, topic, payload)
      : encodePublish(ref, topic, payload, properties);
  }

  #fail(all: Iterable<Pending>, code: string, why: string, cause?: SluiceError): void {
    for (const { settle, publication } of all) {
      settle(new SluiceError(code, why, publication.topic, cause));
    }
  }
}
