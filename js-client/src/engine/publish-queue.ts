import { SluiceError } from "./errors.js";
import type { ClientEmitter } from "./client-events.js";
import type { MessageParsers } from "../queues/delivery.js";
import { see } from "./documentation.js";
import type { Hello } from "./frames.js";
import type { Link } from "../transport/link.js";
import type { Settings } from "./options.js";
import type { PendingPublish } from "./pending-publish.js";
import { encodeBinaryPublish, encodePublish, hasMembers } from "./publish-frames.js";
import type { Destination, Publication } from "./publish-options.js";
import { errorAt } from "../queues/queue-error.js";
import type { PublishStore } from "./publish-store.js";

/**
 * Client as used by the code for publishing and queues. It contains functions of the core, because
 * imports would move them into a separate file.
 */
export interface PublishHost {
  readonly settings: Settings;
  readonly parsers: MessageParsers;
  /** Returns whether unsent publishes wait; sent ones may still be answered. */
  isPaused(): boolean | undefined;
  readonly events: ClientEmitter;
}

// Appended to the error of a publish that the node does not permit.
function permit({ queue }: Destination): string {
  const [member, setting] =
    queue === undefined ? ["publish", "publish.topics"] : ["send", "queues.send"];
  const how = `with \`${member}\` in a rule of \`permissions\` and in \`${setting}\``;
  return `the node's operator permits it ${how}. ${see("Secure a node", "Grant topics")}`;
}

/** Frame that waits among the publishes for a link, in the order of the calls. */
export interface QueuedFrame {
  /** Number of publishes as which it counts in the rate of the node. */
  readonly publishes: number;
  /** Sends the frame; returns false if it has to wait for another link. */
  send(link: Link): boolean;
  /** Handles the end of the client. */
  onClosed(cause: SluiceError | undefined): void;
}

interface Entry {
  readonly publication: Publication;
  /** Time of the application's call, milliseconds since 1970. */
  readonly since: number;
  /** Subject of the client at the call; undefined if it was unknown. */
  readonly subject: string | undefined;
  /** Request number; undefined until the publish is sent. */
  ref: number | undefined;
  /** True if an earlier link has sent the publish. */
  wasSent: boolean;
  /** Key in the store; undefined if the publish is not stored. */
  key: Promise<IDBValidKey> | undefined;
  /** Completes the publish; without an error the broker has accepted it. */
  readonly settle: (error?: SluiceError) => void;
}

const UNKNOWN = "it may have been published";
const NOT_SENT = "it was not sent";

/**
 * Queue of unanswered publishes, oldest first. Publishes that were not sent wait for a link. A sent
 * one without an answer is sent again on the next link if it has an `id`. Otherwise it fails with
 * its link, as its outcome is unknown.
 */
export class PublishQueue {
  readonly #host: PublishHost;
  readonly #settings: Settings;
  #waiting = new Set<Entry | QueuedFrame>();
  readonly #sent = new Map<unknown, Entry>();
  #link: Link | undefined;
  #hello: Hello | undefined;
  /** Subject of new publishes; undefined if it is unknown. */
  #subject: string | undefined;
  /** Timer of the next batch; nothing is sent before. */
  #pause: unknown;
  #store: PublishStore | undefined;
  /** True while the stored publishes are being loaded; they precede all others. */
  #isRestoring = false;
  #isClosed = false;
  /** Cached list for the application; undefined after a change. */
  #list: readonly PendingPublish[] | undefined;
  #isNotifying = false;

  constructor(host: PublishHost) {
    this.#host = host;
    this.#settings = host.settings;
    const { persistPublishes } = host.settings;
    if (persistPublishes !== undefined) void this.#restore(persistPublishes);
  }

  /** Number of publishes that were sent and are not answered. */
  get unanswered(): number {
    return this.#sent.size;
  }

  /** Unanswered publishes, oldest first. */
  get pending(): readonly PendingPublish[] {
    const entries = [...this.#sent.values(), ...[...this.#waiting].filter(isPublish)];
    this.#list ??= entries.map((entry) => {
      const { destination, options } = entry.publication;
      return {
        topic: destination.topic,
        queue: destination.queue,
        id: options.id,
        status: entry.ref === undefined ? "waiting" : "sent",
        since: entry.since,
      };
    });
    return this.#list;
  }

  /** @param subject - Subject of the caller; by default that of the session. */
  publish(publication: Publication, subject?: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const full = this.#fullMessage;
      if (full !== undefined) {
        reject(toError(publication, "publish-queue-full", full));
        return;
      }
      const done = (error?: SluiceError): void => {
        if (error) reject(error);
        else resolve();
      };
      const now = this.#settings.clock.now();
      const entry = this.#createEntry(publication, now, done, undefined, subject);
      if (!this.#isRestoring) this.#persist(entry);
      this.#waiting.add(entry);
      this.#onChange();
      this.flush();
    });
  }

  /** Adds a frame behind the publishes; returns why there is no capacity, otherwise undefined. */
  enqueue(frame: QueuedFrame): string | undefined {
    const full = this.#fullMessage;
    if (full !== undefined) return full;
    this.#waiting.add(frame);
    this.flush();
    return undefined;
  }

  /** Removes a frame that is not to be sent any more. */
  remove(frame: QueuedFrame): void {
    this.#waiting.delete(frame);
  }

  /** Starts sending on a new session. */
  onHello(link: Link, hello: Hello): void {
    this.#endPause();
    this.#link = link;
    this.#hello = hello;
    this.#subject = hello.subject;
    this.flush();
  }

  /** Sends waiting publishes within the node's rate limit, unless they are paused. */
  flush(): void {
    if (this.#pause !== undefined || !this.#hello || this.#isRestoring) return;
    const { publishRate } = this.#hello.limits;
    // Half of the permitted burst, as network delays may merge two batches.
    const maxBatch = Math.max(1, Math.floor(publishRate / 2));
    let sent = 0;
    for (const entry of this.#waiting) {
      if (!this.#link || this.#host.isPaused()) return;
      const count = isPublish(entry) ? 1 : entry.publishes;
      if (sent > 0 && sent + count > maxBatch) {
        this.#startPause((1_000 * sent) / publishRate);
        return;
      }
      sent += count;
      if (!this.#sendNext(this.#link, this.#hello, entry)) return;
    }
  }

  /** Queues the publishes with an `id` again; fails the others that were sent on the lost link. */
  onLost(): void {
    this.#endPause();
    this.#link = undefined;
    const sent = [...this.#sent.values()];
    this.#sent.clear();
    const again = sent.filter(({ publication }) => publication.options.id !== undefined);
    for (const entry of again) entry.ref = undefined;
    // They precede later publishes, which preserves the order.
    this.#waiting = new Set([...again, ...this.#waiting]);
    const lost = sent.filter((entry) => !again.includes(entry));
    this.#fail(lost, "connection-lost", `no answer; ${UNKNOWN}`);
    if (sent.length > 0) this.#onChange();
  }

  /** Fails all publishes, which another subject must not send. Stored ones remain stored. */
  onIdentityChanged(error: SluiceError, from: string | undefined, to: string | undefined): void {
    this.#failAll(error.code, error.message, error);
    // The application's name of a user may differ from the subject of its credential.
    const isKnown = from !== undefined && from === this.#subject;
    this.#subject = isKnown ? to : undefined;
  }

  /** Fails all publishes, as there will be no other link. Stored ones remain stored. */
  onClosed(cause: SluiceError | undefined): void {
    this.#isClosed = true;
    this.onLost();
    this.#failAll("closed", "the client is closed", cause);
    this.#store?.close();
  }

  #failAll(code: string, why: string, cause: SluiceError | undefined): void {
    for (const entry of [...this.#waiting]) {
      if (isPublish(entry)) this.#failStored(entry, code, why, cause);
      else {
        this.#waiting.delete(entry);
        entry.onClosed(cause);
      }
    }
  }

  /** Fails a publish, which remains in the store for a client of its subject. */
  #failStored(entry: Entry, code: string, why: string, cause?: SluiceError): void {
    const outcome = entry.key ? "it is stored for the next client" : outcomeOf(entry);
    entry.key = undefined;
    this.#fail([entry], code, `${why}; ${outcome}`, cause);
  }

  /** Handles an answer; returns whether it belongs to a publish. */
  onAnswer(ref: unknown, error?: SluiceError): boolean {
    const entry = this.#sent.get(ref);
    if (entry && error?.code === "forbidden") {
      error.message += `; ${permit(entry.publication.destination)}`;
    }
    entry?.settle(error);
    return entry !== undefined;
  }

  #createEntry(
    publication: Publication,
    since: number,
    done: (error?: SluiceError) => void,
    key?: IDBValidKey,
    subject = this.#subject,
  ): Entry {
    const { publishTimeout, clock } = this.#settings;
    const isPersistent =
      this.#settings.persistPublishes !== undefined && publication.options.id !== undefined;
    const timer = isPersistent
      ? undefined
      : clock.setTimeout(
          () => {
            const missing = this.#link ? "capacity" : "connection";
            const what = entry.ref === undefined ? missing : "answer";
            this.#fail([entry], "publish-timeout", `no ${what} in time; ${outcomeOf(entry)}`);
          },
          since + publishTimeout - clock.now(),
        );
    const settle = (error?: SluiceError): void => {
      clock.clearTimeout(timer);
      this.#waiting.delete(entry);
      this.#sent.delete(entry.ref);
      // A key that could not be stored is reported separately.
      entry.key?.then(
        (stored) => this.#store?.remove(stored),
        () => undefined,
      );
      this.#onChange();
      done(error);
    };
    const entry: Entry = {
      publication,
      since,
      subject,
      ref: undefined,
      wasSent: key !== undefined,
      key: key === undefined ? undefined : Promise.resolve(key),
      settle,
    };
    return entry;
  }

  /** Loads the publishes of earlier clients; new ones wait behind them. */
  async #restore(name: string): Promise<void> {
    this.#isRestoring = true;
    try {
      const { openStore } = await import("./publish-store.js");
      const { store, stored } = await openStore(name);
      if (this.#isClosed) {
        store.close();
        return;
      }
      this.#store = store;
      const entries = stored.map(({ key, publication, since, subject }) =>
        this.#createEntry(
          publication,
          since,
          (error) => {
            if (error) this.#host.events.report(error);
          },
          key,
          subject,
        ),
      );
      for (const entry of this.#waiting) if (isPublish(entry)) this.#persist(entry);
      this.#waiting = new Set([...entries, ...this.#waiting]);
      this.#onChange();
    } catch (cause) {
      this.#reportStore(cause);
    }
    this.#isRestoring = false;
    this.flush();
  }

  /** Stores a publish that may be repeated. */
  #persist(entry: Entry): void {
    const { publication, since, subject } = entry;
    if (!this.#store || publication.options.id === undefined) return;
    entry.key = this.#store.add({ publication, since, subject });
    entry.key.catch((cause: unknown) => {
      entry.key = undefined;
      this.#reportStore(cause);
    });
  }

  #reportStore(cause: unknown): void {
    const message = "publishes are not stored, and a reload of the page loses them";
    this.#host.events.report(new SluiceError("not-stored", message, undefined, cause));
  }

  /** Reports the changes of one task together. */
  #onChange(): void {
    this.#list = undefined;
    if (this.#isNotifying) return;
    this.#isNotifying = true;
    queueMicrotask(() => {
      this.#isNotifying = false;
      this.#host.events.emit("pending", this.pending);
    });
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

  get #fullMessage(): string | undefined {
    const { maxPublishes } = this.#settings;
    if (this.#waiting.size + this.#sent.size < maxPublishes) return undefined;
    return `maxPublishes (${String(maxPublishes)}) is reached; ${NOT_SENT}`;
  }

  #sendNext(link: Link, hello: Hello, entry: Entry | QueuedFrame): boolean {
    if (isPublish(entry)) return this.#send(link, hello, entry);
    const isSent = entry.send(link);
    if (isSent) this.#waiting.delete(entry);
    return isSent;
  }

  /** Sends one publish; returns false if it has to wait for another link. */
  #send(link: Link, { limits, features, subject }: Hello, entry: Entry): boolean {
    const { publication } = entry;
    if ((entry.subject ?? subject) !== subject) {
      this.#failStored(entry, "identity-changed", "it is one of another subject");
      return true;
    }
    if (publication.options.id !== undefined && !features?.includes("publish-id")) {
      const reason = "the node's broker cannot detect repeated publishes; omit the option id";
      this.#fail([entry], "unsupported", `${reason}; ${outcomeOf(entry)}`);
      return true;
    }
    const ref = link.nextRef();
    const frame = this.#encode(link, ref, publication, features !== undefined);
    const { length } = typeof frame === "string" ? new TextEncoder().encode(frame) : frame;
    // The node would close the connection permanently.
    if (length > limits.messageBytes) {
      const message = `frame of ${String(length)} bytes exceeds the limit of the node (${String(limits.messageBytes)} bytes)`;
      this.#fail([entry], "too-large", `${message}; ${outcomeOf(entry)}`);
      return true;
    }
    if (!link.send(frame)) return false;
    this.#waiting.delete(entry);
    entry.wasSent = true;
    this.#sent.set((entry.ref = ref), entry);
    this.#onChange();
    return true;
  }

  /** @param hasFeatures - False for an older node, whose binary frames carry no options. */
  #encode(
    link: Link,
    ref: number,
    publication: Publication,
    hasFeatures: boolean,
  ): string | Uint8Array<ArrayBuffer> {
    const isBinary = this.#settings.encoding === "binary" && !link.isTextOnly;
    const canEncode = isBinary && (hasFeatures || !hasMembers(publication));
    return (
      (canEncode ? encodeBinaryPublish(ref, publication) : undefined) ??
      encodePublish(ref, publication)
    );
  }

  #fail(all: Iterable<Entry>, code: string, message: string, cause?: SluiceError): void {
    for (const { settle, publication } of all) settle(toError(publication, code, message, cause));
  }
}

function isPublish(entry: Entry | QueuedFrame): entry is Entry {
  return "publication" in entry;
}

function outcomeOf({ wasSent }: Entry): string {
  return wasSent ? UNKNOWN : NOT_SENT;
}

function toError(
  { destination }: Publication,
  code: string,
  message: string,
  cause?: SluiceError,
): SluiceError {
  return errorAt(destination, code, message, cause);
}
