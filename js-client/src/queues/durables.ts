import { protocolError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import { errorAt } from "./queue-error.js";
import type { Sessions } from "./sessions.js";
import { checkSource, type Source } from "./source.js";
import type { DurableInfo, DurableList } from "./subscription-types.js";

/** Requests about the durable subscriptions of a client; a node serves one at a time. */
export class Durables {
  readonly #sessions: Sessions;
  /** Settled when no request is active. */
  #running: Promise<unknown> = Promise.resolve();

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
  }

  /** Lists the durable subscriptions of the principal. */
  async list(): Promise<DurableList> {
    const { subscriptions, more } = await this.#enqueue({}, { type: "list" });
    if (!Array.isArray(subscriptions))
      throw protocolError("subscriptions of listed must be a list");
    const list = subscriptions.map(toInfo);
    return Object.defineProperty(list, "more", { value: more === true }) as unknown as DurableList;
  }

  /** Removes a durable subscription with its messages. */
  async delete(source: Source): Promise<void> {
    checkSource(source);
    await this.#enqueue(source, { type: "delete", ...source });
  }

  #enqueue(source: Source, frame: JsonObject & { readonly type: string }): Promise<JsonObject> {
    const answer = this.#running.then(() => this.#request(source, frame));
    this.#running = answer.catch(() => undefined);
    return answer;
  }

  #request(source: Source, frame: JsonObject & { readonly type: string }): Promise<JsonObject> {
    const session = this.#sessions.current;
    if (!session) throw errorAt(source, "connection-lost", "there is no connection");
    if (!session.supports("durable")) {
      const message = "the node or its broker does not support durable subscriptions";
      throw errorAt(source, "unsupported", message);
    }
    return session.request(source, frame);
  }
}

function toInfo(entry: unknown): DurableInfo {
  const { topic, durable, where, messages, consumers } = Object(entry) as JsonObject;
  if (typeof topic !== "string" || typeof durable !== "string") {
    throw protocolError("each of subscriptions must have a topic and durable");
  }
  return { topic, name: durable, where, messages, consumers } as DurableInfo;
}
