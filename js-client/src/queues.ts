import { check } from "./arguments.js";
import { convertPayload, toQueueMessage, parseBinaryDelivery, parseDelivery } from "./delivery.js";
import { toSluiceError, type SluiceError } from "./errors.js";
import type { Hello } from "./frames.js";
import type { JsonObject } from "./json.js";
import type { Link } from "./link.js";
import { checkQueue } from "./publish-options.js";
import type { PublishHost } from "./publish-queue.js";
import { checkPayloadKind, checkSelector, QueueConsumer } from "./queue-consumer.js";
import type { Attachment } from "./queue-attachment.js";
import { queueError } from "./queue-error.js";
import { QueueSession } from "./queue-session.js";
import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import type { DeliveryHandler, QueueMessage } from "./delivery-types.js";
import type { BrowseOptions, BrowseResult } from "./queue-types.js";
import { RetiredLink } from "./retired-link.js";

/** Consumers of a client, on its link and on links that it has left. */
export class Queues {
  readonly #host: PublishHost;
  readonly #consumers = new Set<QueueConsumer>();
  /** Links that the client has left, while messages are pending on them. */
  readonly #retired = new Set<RetiredLink>();
  #link: Link | undefined;
  /** Requests on the link; undefined if its node cannot serve queues. */
  #session: QueueSession | undefined;
  /** Settled when no browse is active. */
  #browsing: Promise<unknown> = Promise.resolve();
  /** Reason why the client's node cannot serve queues. */
  #refusal: string | undefined;
  /** True from the move to another link until the client has released the old one. */
  #isMoving = false;
  #isClosed = false;

  constructor(host: PublishHost) {
    this.#host = host;
  }

  /** Starts a consumer; throws if an argument is invalid. */
  consume(queue: string, handler: DeliveryHandler, options: ConsumeOptions = {}): Consumer {
    checkQueue(queue);
    const consumer: QueueConsumer = new QueueConsumer(
      {
        settings: this.#host.settings,
        report: this.#host.events.report,
        onClosed: () => this.#consumers.delete(consumer),
      },
      queue,
      handler,
      options,
    );
    if (this.#isClosed) consumer.onClientClosed();
    else if (options.signal?.aborted !== true) {
      this.#consumers.add(consumer);
      this.#attach(consumer);
    }
    return consumer;
  }

  /** Reads the first messages of a queue; a node serves one browse of a client at a time. */
  browse(queue: string, options: BrowseOptions = {}): Promise<BrowseResult> {
    checkQueue(queue);
    const { max, where, payload } = options;
    const isInRange = max === undefined || (Number.isInteger(max) && max > 0);
    check(isInRange, "max", "a whole number from 1", max);
    checkSelector(where);
    checkPayloadKind(payload);
    const result = this.#browsing.then(() => this.#browse(queue, options));
    this.#browsing = result.catch(() => undefined);
    return result;
  }

  #browse(queue: string, { max, where, payload }: BrowseOptions): Promise<BrowseResult> {
    const session = this.#session;
    return new Promise((resolve, reject) => {
      if (!session) {
        const code = this.#refusal === undefined ? "connection-lost" : "unsupported";
        const message = this.#refusal ?? "there is no connection";
        reject(queueError(queue, code, message));
        return;
      }
      const messages: QueueMessage[] = [];
      let failure: SluiceError | undefined;
      const ref: number = session.send(
        { type: "browse", queue, max, where },
        {
          queue,
          onDelivery: ({ message }) => {
            try {
              messages.push(toQueueMessage(queue, convertPayload(message, payload)));
            } catch (cause) {
              const text = `cannot convert a ${message.kind} payload to ${String(payload)}`;
              failure ??= queueError(queue, "bad-payload", text, cause);
            }
          },
          onFrame: ({ more }) => {
            session.remove(ref);
            if (failure) reject(failure);
            else resolve({ messages, more: more === true });
          },
          onError: (error) => {
            reject(error);
          },
        },
      );
    });
  }

  /** Starts all consumers on a new session. */
  onHello(link: Link, { features = [] }: Hello): void {
    // A renewed stream repeats its hello.
    if (this.#link === link) return;
    this.#link = link;
    const served = features.includes("queues");
    this.#refusal = link.isTextOnly
      ? "queues require a WebSocket; this connection is an HTTP stream"
      : served
        ? undefined
        : "the node serves no queues";
    this.#session = this.#refusal === undefined ? new QueueSession(link) : undefined;
    for (const consumer of this.#consumers) this.#attach(consumer);
  }

  /** Handles a frame of the client's link. */
  onFrame(frame: JsonObject | ArrayBuffer): void {
    if (this.#session) this.#dispatch(this.#session, frame);
  }

  /** Handles an error; returns whether it belongs to a queue. */
  onError(ref: number | undefined, error: SluiceError): boolean {
    return this.#session?.onError(ref, error) === true;
  }

  /** Moves all consumers to the next link; returns whether this one remains open. */
  onMove(): boolean {
    const session = this.#session;
    if (!session || session.size === 0) return false;
    this.#session = undefined;
    this.#isMoving = true;
    const attachments: Attachment[] = [];
    for (const consumer of this.#consumers) {
      const attachment = consumer.detach();
      if (attachment) attachments.push(attachment);
    }
    const retired: RetiredLink = new RetiredLink(session, attachments, {
      host: this.#host,
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
    this.#link = undefined;
    if (isMoving) return;
    const session = this.#session;
    this.#session = this.#refusal = undefined;
    for (const consumer of this.#consumers) consumer.onLost();
    session?.end();
  }

  onClosed(): void {
    this.#isClosed = true;
    for (const consumer of this.#consumers) consumer.onClientClosed();
    this.#consumers.clear();
    for (const retired of this.#retired) retired.close();
  }

  #attach(consumer: QueueConsumer): void {
    if (this.#session) consumer.attach(this.#session);
    // While a node restarts, the client may use HTTP for a time. A WebSocket follows.
    else if (this.#refusal !== undefined && !(consumer.hasConsumed && this.#link?.isTextOnly))
      consumer.refuse("unsupported", this.#refusal);
  }

  #dispatch(session: QueueSession, frame: JsonObject | ArrayBuffer): void {
    const { settings, parsers } = this.#host;
    try {
      if (frame instanceof ArrayBuffer) {
        const delivery = parseBinaryDelivery(frame, settings.clock.now(), parsers);
        if (delivery) session.onDelivery(delivery);
      } else if (frame["type"] === "delivery") {
        session.onDelivery(parseDelivery(frame, parsers));
      } else session.onFrame(frame);
    } catch (thrown) {
      // The node releases a message that is not settled in time.
      this.#host.events.report(toSluiceError(thrown));
    }
  }
}
