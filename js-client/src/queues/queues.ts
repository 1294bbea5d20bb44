import { check, checkOptions, checkSelector } from "../engine/arguments.js";
import type { ConsumeOptions, Consumer } from "./consumer-types.js";
import { checkPayloadKind, convertPayload, toQueueMessage } from "./delivery.js";
import type { DeliveryHandler, QueueMessage } from "./delivery-types.js";
import { SluiceError } from "../engine/errors.js";
import { checkQueue } from "../engine/publish-options.js";
import type { Attachment } from "./queue-attachment.js";
import { QueueConsumer } from "./queue-consumer.js";
import { errorAt } from "./queue-error.js";
import type { QueueSession } from "./queue-session.js";
import type { BrowseOptions, BrowseResult } from "./queue-types.js";
import type { SessionFollower, Sessions } from "./sessions.js";
import { checkSource, featureOf, type Source } from "./source.js";

const HTTP_REFUSAL = "queues require a WebSocket; this connection is an HTTP stream";

/** Consumers of a client. */
export class Queues implements SessionFollower {
  readonly #sessions: Sessions;
  readonly #consumers = new Set<QueueConsumer>();
  /** Settled when no browse is active. */
  #browsing: Promise<unknown> = Promise.resolve();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    sessions.add(this);
  }

  /** Starts a consumer; throws if an argument is invalid. */
  consume(source: Source, handler: DeliveryHandler, options: ConsumeOptions = {}): Consumer {
    checkSource(source);
    const { settings, events } = this.#sessions.host;
    const consumer: QueueConsumer = new QueueConsumer(
      { settings, report: events.report, onClosed: () => this.#consumers.delete(consumer) },
      source,
      handler,
      options,
    );
    if (this.#sessions.isClosed) consumer.onClientClosed();
    else if (options.signal?.aborted !== true) {
      this.#consumers.add(consumer);
      if (this.#sessions.current) attach(consumer, this.#sessions.current);
    }
    return consumer;
  }

  /** Reads the first messages of a queue; a node serves one browse of a client at a time. */
  browse(queue: string, options: BrowseOptions = {}): Promise<BrowseResult> {
    checkQueue(queue);
    checkOptions("browse", options, ["max", "where", "payload"]);
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
    const session = this.#sessions.current;
    const place = { queue };
    return new Promise((resolve, reject) => {
      if (!session) {
        reject(errorAt(place, "connection-lost", "there is no connection"));
        return;
      }
      const refusal = refusalOf(session, place);
      if (refusal !== undefined) {
        reject(errorAt(place, "unsupported", refusal));
        return;
      }
      const messages: QueueMessage[] = [];
      let failure: SluiceError | undefined;
      const ref: number = session.send(
        { type: "browse", queue, max, where },
        {
          place,
          onDelivery: ({ message }) => {
            if (message instanceof SluiceError) {
              failure ??= errorAt(place, message.code, message.message, message);
              return;
            }
            try {
              messages.push(toQueueMessage(place, convertPayload(message, payload)));
            } catch (cause) {
              const text = `cannot convert a ${message.kind} payload to ${String(payload)}`;
              failure ??= errorAt(place, "bad-payload", text, cause);
            }
          },
          onFrame: ({ more, skipped }) => {
            session.remove(ref);
            if (failure) reject(failure);
            else resolve({ messages, more: more === true, skipped: Number(skipped ?? 0) });
          },
          onError: (error) => {
            reject(error);
          },
        },
      );
    });
  }

  onSession(session: QueueSession): void {
    for (const consumer of this.#consumers) attach(consumer, session);
  }

  onCredential(session: QueueSession): void {
    for (const consumer of this.#consumers) {
      if (consumer.state.status === "refused") attach(consumer, session);
    }
  }

  onMove(): readonly Attachment[] {
    const all = [...this.#consumers].map((consumer) => consumer.detach());
    return all.filter((attachment) => attachment !== undefined);
  }

  onLost(): void {
    for (const consumer of this.#consumers) consumer.onLost();
  }

  onClosed(): void {
    for (const consumer of this.#consumers) consumer.onClientClosed();
    this.#consumers.clear();
  }
}

/** Starts a consumer on a session, or refuses it. */
function attach(consumer: QueueConsumer, session: QueueSession): void {
  const refusal = refusalOf(session, consumer.source);
  if (refusal === undefined) consumer.attach(session);
  // While a node restarts, the client may use HTTP for a time. A WebSocket follows.
  else if (!(consumer.hasConsumed && session.link.isTextOnly)) consumer.refuse(refusal);
}

/** Returns why the node cannot serve the source; undefined if it can. */
function refusalOf(session: QueueSession, source: Source): string | undefined {
  if (session.link.isTextOnly) return HTTP_REFUSAL;
  const feature = featureOf(source);
  if (session.supports(feature)) return undefined;
  return feature === "queues"
    ? "the node serves no queues"
    : `the node or its broker does not support ${feature} subscriptions`;
}
