import type { JsonObject } from "../engine/json.js";
import { badFrame, numberOf } from "./frame-error.js";
import type { SessionExtension, SessionPart } from "./session-host.js";
import { checkTopic } from "./topic-names.js";
import { toSubscription, TopicQueues } from "./topic-queues.js";

/** Requests of a client about its durable subscriptions: PROTOCOL.md, section 3. */
export default class SessionDurables implements SessionExtension {
  readonly #session: SessionPart;
  readonly #subscriptions: TopicQueues;

  constructor(session: SessionPart) {
    this.#session = session;
    this.#subscriptions = session.host.broker.extension(TopicQueues);
  }

  handle(frame: JsonObject): void {
    const ref = numberOf(frame, "ref", 0, Number.MAX_SAFE_INTEGER);
    if (frame["type"] === "list") this.#list(ref);
    else this.#delete(ref, frame);
  }

  #list(ref: number): void {
    this.#session.checkBroker();
    const subscriptions = this.#subscriptions
      .listOf(this.#session.subject)
      .map(({ topic, name, selector, queue }) => {
        const { size: messages, consumers } = queue;
        return { topic, durable: name, where: selector?.text, messages, consumers };
      });
    this.#session.sendFrame({ type: "listed", ref, subscriptions });
  }

  #delete(ref: number, frame: JsonObject): void {
    const { host, subject } = this.#session;
    if (frame["durable"] === undefined) throw badFrame("durable", "present");
    const source = toSubscription(frame);
    checkTopic(source.topic, host.broker.limits);
    host.checkPermitted(source.topic, "subscribe", "durable");
    this.#session.checkBroker();
    this.#subscriptions.delete(subject, source);
    this.#session.sendFrame({ type: "deleted", ref, ...source });
  }
}
