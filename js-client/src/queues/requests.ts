import { check, checkObject, checkSignal } from "../engine/arguments.js";
import { checkPayloadKind, convertPayload, toText, type DeliveredMessage } from "./delivery.js";
import { toSluiceError, type SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import type { Link } from "../transport/link.js";
import type { PayloadKind } from "../engine/message.js";
import { toContentMembers } from "../engine/publish-frames.js";
import { toPublication, type Destination, type Publication } from "../engine/publish-options.js";
import type { PublishQueue, QueuedFrame } from "../engine/publish-queue.js";
import { endOf, errorAt, type Place } from "./queue-error.js";
import type { QueueSession, Request } from "./queue-session.js";
import type { Reply, RequestOptions } from "./request-types.js";
import type { Sessions } from "./sessions.js";

const DEFAULT_TIMEOUT_MS = 5_000;
// Timers are limited to 31 bits.
const MAX_TIMEOUT_MS = 2 ** 31 - 1;
// Time for which the answer of the node may arrive later than its time limit.
const MARGIN_MS = 1_000;
const OWN_OPTIONS = ["timeout", "reply", "signal"];
const UNAVAILABLE = ["id", "replyTo", "correlationId", "ttl"];

/** Sends a request when a link is available, and returns the first reply. */
export async function request(
  sessions: Sessions,
  publishes: PublishQueue,
  destination: Destination,
  payload: unknown,
  options: RequestOptions = {},
): Promise<Reply> {
  checkObject("options", options);
  const { timeout, reply, signal, ...publishOptions } = options;
  const isTimeout = Number.isSafeInteger(timeout) && Number(timeout) > 0;
  const isInRange = isTimeout && Number(timeout) <= MAX_TIMEOUT_MS;
  check(timeout === undefined || isInRange, "timeout", "1 to 2147483647 ms", timeout);
  checkPayloadKind(reply);
  checkSignal(signal);
  const publication = toPublication(
    destination,
    payload,
    publishOptions,
    UNAVAILABLE,
    OWN_OPTIONS,
    "request",
  );
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    new PendingRequest(sessions, publishes, publication, options, resolve, reject).start();
  });
}

/** Request from its call to its answer; it is sent once. */
class PendingRequest implements QueuedFrame, Request {
  readonly publishes = 1;
  readonly place: Place;
  readonly #sessions: Sessions;
  readonly #queue: PublishQueue;
  readonly #publication: Publication;
  readonly #timeout: number | undefined;
  readonly #kind: PayloadKind | undefined;
  readonly #signal: AbortSignal | undefined;
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (reason: unknown) => void;
  readonly #deadline: number;
  #timer: unknown;
  /** True if the request could not be sent by its call. */
  #hasWaited = false;
  /** Session and number of the sent request. */
  #session: QueueSession | undefined;
  #ref = 0;

  constructor(
    sessions: Sessions,
    queue: PublishQueue,
    publication: Publication,
    { timeout, reply, signal }: RequestOptions,
    resolve: (reply: Reply) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#sessions = sessions;
    this.#queue = queue;
    this.#publication = publication;
    this.place = publication.destination;
    this.#timeout = timeout;
    this.#kind = reply;
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#deadline = this.#clock.now() + (timeout ?? DEFAULT_TIMEOUT_MS);
  }

  start(): void {
    this.#signal?.addEventListener("abort", this.#onAbort);
    this.#startTimer(this.#deadline - this.#clock.now());
    const refusal = this.#queue.enqueue(this);
    if (refusal !== undefined) this.#fail("publish-queue-full", refusal);
    this.#hasWaited = true;
  }

  send(link: Link): boolean {
    const session = this.#sessions.current;
    if (session?.link !== link) return false;
    if (link.isTextOnly) {
      this.#fail("unsupported", "requests require a WebSocket; this connection is an HTTP stream");
      return true;
    }
    const left = Math.floor(this.#deadline - this.#clock.now());
    const { destination } = this.#publication;
    const frame = {
      type: "request",
      ...destination,
      ...toContentMembers(this.#publication),
      timeout: this.#hasWaited ? Math.max(1, left) : this.#timeout,
    };
    this.#session = session;
    this.#ref = session.send(frame, this);
    return true;
  }

  onFrame(frame: JsonObject): void {
    try {
      this.#end();
      this.#resolve(this.#toReply(frame));
    } catch (thrown) {
      this.#reject(thrown);
    }
  }

  onError(error: SluiceError): void {
    this.#end();
    this.#reject(error);
  }

  onClosed(cause: SluiceError | undefined): void {
    this.#fail(...endOf(cause, "the request was not sent"), cause);
  }

  readonly #onAbort = (): void => {
    this.#end();
    this.#reject(this.#signal?.reason);
  };

  #onTimeout(): void {
    const late = this.#deadline + MARGIN_MS - this.#clock.now();
    if (!this.#session) this.#fail("timeout", "no connection in time; the request was not sent");
    else if (late > 0) this.#startTimer(late);
    else this.#fail("timeout", "no answer in time; the request may have been processed");
  }

  #toReply(frame: JsonObject): Reply {
    const [parseMessage] = this.#sessions.host.parsers;
    let reply: Reply;
    try {
      const { id, time, properties, kind, payload } = parseMessage(frame);
      const messageType = toText(frame, "messageType");
      reply = { id, time, properties, messageType, kind, payload } as Reply;
    } catch (thrown) {
      throw toSluiceError(thrown);
    }
    try {
      return convertPayload(reply as unknown as DeliveredMessage, this.#kind);
    } catch (cause) {
      const message = `cannot convert a ${reply.kind} payload to ${String(this.#kind)}`;
      throw errorAt(this.place, "bad-payload", message, cause);
    }
  }

  #fail(code: string, message: string, cause?: SluiceError): void {
    this.onError(errorAt(this.place, code, message, cause));
  }

  #end(): void {
    this.#clock.clearTimeout(this.#timer);
    this.#signal?.removeEventListener("abort", this.#onAbort);
    this.#queue.remove(this);
    this.#session?.remove(this.#ref);
  }

  #startTimer(ms: number): void {
    this.#timer = this.#clock.setTimeout(
      () => {
        this.#onTimeout();
      },
      Math.min(ms, MAX_TIMEOUT_MS),
    );
  }

  get #clock(): Sessions["host"]["settings"]["clock"] {
    return this.#sessions.host.settings.clock;
  }
}
