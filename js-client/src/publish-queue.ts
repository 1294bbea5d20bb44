import { SluiceError } from "./errors.js";
import type { Limits } from "./frames.js";
import type { Link } from "./link.js";
import type { Properties } from "./message.js";
import type { Settings } from "./options.js";
import { encodeBinaryPublish, encodePublish } from "./publish-frames.js";

/** Message to publish. */
export interface Publication {
  /** Time of the application's call, by the client's clock; loading the module may take a while. */
  readonly requestedAt: number;
  readonly topic: string;
  readonly payload: string | Uint8Array;
  readonly properties: Properties | undefined;
}

interface Pending {
  readonly publication: Publication;
  /** Request number; undefined until the publish is sent. */
  ref: number | undefined;
  /** Completes the publish; without an error the broker has accepted it. */
  readonly settle: (error?: SluiceError) => void;
}

// A character takes up to three bytes, and the topic up to 65,535 bytes.
const MAX_BINARY_TOPIC = 21_845;
const UNKNOWN = "it may have been published";
const NOT_SENT = "it was not sent";

/**
 * Queue of unanswered publishes, oldest first; its module is loaded on demand. Publishes that were
 * not sent wait for a link. Those that were sent fail with their link, as their outcome is unknown.
 */
export class PublishQueue {
  readonly #settings: Settings;
  readonly #waiting = new Set<Pending>();
  readonly #sent = new Map<number | undefined, Pending>();
  #link: Link | undefined;
  #limits: Limits | undefined;
  /** Timer of the next batch; nothing is sent before. */
  #pause: unknown;
  readonly #isPaused: () => boolean | undefined;

  /** @param isPaused - Returns whether unsent publishes wait; sent ones may still be answered. */
  constructor(settings: Settings, isPaused: () => boolean | undefined) {
    this.#settings = settings;
    this.#isPaused = isPaused;
  }

  /** Number of publishes that were sent and are not answered. */
  get unanswered(): number {
    return this.#sent.size;
  }

  publish(publication: Publication): Promise<void> {
    return new Promise((resolve, reject) => {
      const { maxPublishes, publishTimeout, clock } = this.#settings;
      if (this.#waiting.size + this.#sent.size >= maxPublishes) {
        const message = `maxPublishes (${String(maxPublishes)}) is reached; ${NOT_SENT}`;
        reject(new SluiceError("publish-queue-full", message, publication.topic));
        return;
      }
      const timer = clock.setTimeout(
        () => {
          const missing = this.#link ? "capacity" : "connection";
          const [what, outcome] = pending.ref ? ["answer", UNKNOWN] : [missing, NOT_SENT];
          this.#fail([pending], "publish-timeout", `no ${what} in time; ${outcome}`);
        },
        publication.requestedAt + publishTimeout - clock.now(),
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

  /** Starts sending on a new session. */
  onHello(link: Link, limits: Limits): void {
    this.#endPause();
    this.#link = link;
    this.#limits = limits;
    this.flush();
  }

  /** Sends waiting publishes within the node's rate limit, unless they are paused. */
  flush(): void {
    if (this.#pause !== undefined || !this.#limits) return;
    const { publishRate } = this.#limits;
    // Half of the permitted burst, as network delays may merge two batches.
    const maxBatch = Math.max(1, Math.floor(publishRate / 2));
    let sent = 0;
    for (const pending of this.#waiting) {
      if (!this.#link || this.#isPaused()) return;
      if (sent++ === maxBatch) {
        this.#startPause((1_000 * maxBatch) / publishRate);
        return;
      }
      if (!this.#send(this.#link, this.#limits, pending)) return;
    }
  }

  /** Fails the publishes that were sent on the lost link. */
  onLost(): void {
    this.#endPause();
    this.#link = undefined;
    this.#fail(this.#sent.values(), "connection-lost", `no answer; ${UNKNOWN}`);
  }

  /** Fails all publishes, as there will be no other link. */
  onClosed(cause: SluiceError | undefined): void {
    this.onLost();
    this.#fail(this.#waiting, "closed", `the client is closed; ${NOT_SENT}`, cause);
  }

  /** Handles an answer; returns whether it belongs to a publish. */
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

  /** Sends one publish; returns false if it has to wait for another link. */
  #send(link: Link, { messageBytes }: Limits, pending: Pending): boolean {
    const ref = link.nextRef();
    const frame = this.#encode(link, ref, pending.publication);
    const { length } = typeof frame === "string" ? new TextEncoder().encode(frame) : frame;
    // The node would close the connection permanently.
    if (length > messageBytes) {
      const message = `frame of ${String(length)} bytes exceeds the limit of the node (${String(messageBytes)} bytes)`;
      this.#fail([pending], "too-large", `${message}; ${NOT_SENT}`);
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
    // The binary frame cannot carry properties, nor a topic longer than any node accepts.
    return isBinary && !properties && topic.length <= MAX_BINARY_TOPIC
      ? encodeBinaryPublish(ref, topic, payload)
      : encodePublish(ref, topic, payload, properties);
  }

  #fail(all: Iterable<Pending>, code: string, message: string, cause?: SluiceError): void {
    for (const { settle, publication } of all) {
      settle(new SluiceError(code, message, publication.topic, cause));
    }
  }
}
