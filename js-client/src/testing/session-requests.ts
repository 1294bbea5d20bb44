import { content } from "./encode.js";
import { numberOf } from "./frame-error.js";
import type { JsonObject } from "../engine/json.js";
import { destinationOf, toPublishing } from "./publish-frame.js";
import type { SessionExtension, SessionPart } from "./session-host.js";
import { REPLY_QUEUE, RequestBook } from "./request-book.js";
import type { StoredMessage } from "./stored-message.js";

interface Pending {
  readonly frame: JsonObject;
  readonly timer: unknown;
}

const TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 60_000;

/** Requests of a client without a reply: PROTOCOL.md, section 3. */
export default class SessionRequests implements SessionExtension {
  readonly #session: SessionPart;
  readonly #book: RequestBook;
  /** By correlation id. */
  readonly #pending = new Map<string, Pending>();

  constructor(session: SessionPart) {
    this.#session = session;
    this.#book = session.host.broker.extension(RequestBook);
  }

  handle(frame: JsonObject): void {
    const { broker } = this.#session.host;
    numberOf(frame, "ref", 0, Number.MAX_SAFE_INTEGER);
    const { timeout: given } = frame;
    const timeout =
      given === undefined ? TIMEOUT_MS : numberOf(frame, "timeout", 1, MAX_TIMEOUT_MS);
    const destination = destinationOf(frame, this.#session.host);
    const { message, ...others } = toPublishing(frame, destination);
    this.#session.checkBroker();
    broker.checkStorable(destination);
    const correlationId = this.#book.add((reply) => {
      this.#onReply(correlationId, reply);
    });
    const timer = broker.clock.setTimeout(() => {
      this.#fail(correlationId, "timeout");
    }, timeout);
    this.#pending.set(correlationId, { frame, timer });
    const request = { ...message, correlationId, replyTo: { queue: REPLY_QUEUE } };
    broker.store(destination, { ...others, message: request });
  }

  onBrokerLost(): void {
    for (const id of [...this.#pending.keys()]) this.#fail(id, "no-reply");
  }

  close(): void {
    for (const id of [...this.#pending.keys()]) this.#remove(id);
  }

  #onReply(correlationId: string, reply: StoredMessage): void {
    const frame = this.#remove(correlationId);
    const { id, time, messageType } = reply;
    const members = { ref: frame?.["ref"], id, time, messageType, ...content(reply) };
    if (frame) this.#session.sendFrame({ type: "reply", ...members });
  }

  #fail(correlationId: string, code: string): void {
    const frame = this.#remove(correlationId);
    if (frame) this.#session.sendError(frame, code, "no reply has arrived");
  }

  #remove(correlationId: string): JsonObject | undefined {
    const { broker } = this.#session.host;
    const pending = this.#pending.get(correlationId);
    broker.clock.clearTimeout(pending?.timer);
    this.#book.remove(correlationId);
    this.#pending.delete(correlationId);
    return pending?.frame;
  }
}
