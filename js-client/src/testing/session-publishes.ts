import type { JsonObject } from "../engine/json.js";
import { destinationOf, toPublishing } from "./publish-frame.js";
import type { SessionExtension, SessionPart } from "./session-host.js";

/** Publishes of one session: PROTOCOL.md, section 3. */
export default class SessionPublishes implements SessionExtension {
  readonly #session: SessionPart;

  constructor(session: SessionPart) {
    this.#session = session;
  }

  handle(frame: JsonObject): void {
    const { broker } = this.#session.host;
    const destination = destinationOf(frame, this.#session.host);
    const publishing = toPublishing(frame, destination);
    this.#session.checkBroker();
    broker.checkStorable(destination);
    broker.store(destination, publishing);
    const { ref } = frame;
    if (ref !== undefined) this.#session.sendFrame({ type: "published", ref });
  }
}
