import {
  check,
  checkFunction,
  checkObject,
  checkSignal,
  checkTopicOrPattern,
} from "../engine/arguments.js";
import { toSluiceError, type SluiceError } from "../engine/errors.js";
import type { JsonObject } from "../engine/json.js";
import type { Presence, PresenceOptions } from "./presence-types.js";
import { toJson } from "../engine/content.js";
import { errorAt, isTransient } from "./queue-error.js";
import type { Attachment } from "./queue-attachment.js";
import type { QueueSession } from "./queue-session.js";
import type { SessionFollower, Sessions } from "./sessions.js";
import { TopicPresence } from "../bindings/topic-presence.js";

const HTTP_REFUSAL = "presence requires a WebSocket; this connection is an HTTP stream";
const RETRY = { min: 1_000, max: 60_000 };

/** Topics that a client has entered or watches. */
export class Presences implements SessionFollower {
  readonly #sessions: Sessions;
  readonly #topics = new Map<string, TopicPresence>();
  /** Secret by which the nodes recognize the client after a reconnect. */
  readonly #key = randomKey();
  /** Timer of the next request of refused topics. */
  #retryTimer: unknown;
  #retries = 0;

  constructor(sessions: Sessions) {
    this.#sessions = sessions;
    sessions.add(this);
  }

  /** Enters or watches a topic; resolves with its first state. */
  async open(topic: string, options: PresenceOptions = {}): Promise<Presence> {
    checkTopicOrPattern(topic);
    check(!/(^|\.)([*]|>$)/u.test(topic), "topic", "a topic, not a pattern", topic);
    checkObject("options", options);
    const { enter = true, members = true, info, onError, signal } = options;
    check(typeof enter === "boolean", "enter", "true or false", enter);
    check(typeof members === "boolean", "members", "true or false", members);
    toJson("info", info);
    if (onError !== undefined) checkFunction("onError", onError);
    checkSignal(signal);
    signal?.throwIfAborted();
    if (this.#sessions.isClosed) throw errorAt({ topic }, "closed", "the client is closed");
    const shared = this.#topics.get(topic) ?? this.#add(topic);
    const opened = shared.open({ enter, members, info, onError, signal });
    const session = this.#sessions.current;
    if (session) this.#send(shared, session);
    const onAbort = (): void => {
      shared.onAbort();
      this.#removeUnused(shared);
    };
    signal?.addEventListener("abort", onAbort, { once: true });
    const presence = await opened;
    signal?.removeEventListener("abort", onAbort);
    const leave = (): void => {
      presence.leave();
    };
    if (signal?.aborted === true) leave();
    else signal?.addEventListener("abort", leave, { once: true });
    return presence;
  }

  #add(topic: string): TopicPresence {
    const { events } = this.#sessions.host;
    const added: TopicPresence = new TopicPresence(topic, this.#key, {
      onThrew: (thrown) => {
        events.onHandlerThrew(thrown, topic);
      },
      onChanged: () => {
        const session = this.#sessions.current;
        if (session) this.#send(added, session);
      },
      onLeft: () => {
        this.#topics.delete(topic);
        this.#sessions.current?.notify({ type: "leave", topic });
      },
    });
    this.#topics.set(topic, added);
    return added;
  }

  #send(presence: TopicPresence, session: QueueSession): void {
    const { topic } = presence;
    const refusal = refusalOf(session);
    if (refusal !== undefined) {
      this.#fail(presence, errorAt({ topic }, "unsupported", refusal));
      return;
    }
    const frame = presence.nextFrame();
    if (!frame) return;
    const ref: number = session.send(frame, {
      place: { topic },
      onFrame: (answer) => {
        session.remove(ref);
        presence.onAnswer(answer);
      },
      onError: (error) => {
        this.#fail(presence, error);
      },
    });
    presence.ref = ref;
  }

  #fail(presence: TopicPresence, error: SluiceError): void {
    if (error.code === "connection-lost") return; // the next session repeats it
    if (presence.onError(error)) this.#sessions.host.events.report(error);
    this.#removeUnused(presence);
    if (!presence.isUnused && isTransient(error)) this.#retryLater();
  }

  #removeUnused(presence: TopicPresence): void {
    const { topic } = presence;
    if (presence.isUnused && this.#topics.get(topic) === presence) this.#topics.delete(topic);
  }

  /** Repeats refused requests after a growing wait. */
  #retryLater(): void {
    const { backoff, clock } = this.#sessions.host.settings;
    this.#retryTimer ??= clock.setTimeout(
      () => {
        this.#retryTimer = undefined;
        if (this.#sessions.current) this.onCredential(this.#sessions.current);
      },
      backoff(++this.#retries, RETRY),
    );
  }

  #stopRetrying(): void {
    this.#sessions.host.settings.clock.clearTimeout(this.#retryTimer);
    this.#retryTimer = undefined;
    this.#retries = 0;
  }

  onSession(session: QueueSession): void {
    this.#stopRetrying();
    for (const presence of this.#topics.values()) {
      presence.onLost();
      this.#send(presence, session);
    }
  }

  onCredential(session: QueueSession): void {
    for (const presence of this.#topics.values()) {
      if (!presence.isRequested) this.#send(presence, session);
    }
  }

  onMove(): readonly Attachment[] {
    return [];
  }

  onLost(): void {
    this.#stopRetrying();
    for (const presence of this.#topics.values()) presence.onLost();
  }

  onIdentityChanged(error: SluiceError): void {
    for (const presence of this.#topics.values()) {
      const { topic } = presence;
      if (presence.onIdentityChanged(errorAt({ topic }, error.code, error.message))) {
        this.#sessions.host.events.report(error);
      }
      this.#removeUnused(presence);
    }
  }

  onClosed(): void {
    this.#stopRetrying();
    for (const presence of this.#topics.values()) {
      presence.onClosed(errorAt({ topic: presence.topic }, "closed", "the client is closed"));
    }
    this.#topics.clear();
  }

  /** Handles a change, which has no number. */
  onOther(frame: JsonObject): void {
    if (frame["type"] !== "present" || frame["ref"] !== undefined) return;
    try {
      this.#topics.get(frame["topic"] as string)?.onChange(frame);
    } catch (thrown) {
      this.#sessions.host.events.report(toSluiceError(thrown));
    }
  }

  /** Handles an error; returns whether it ends the presence of a topic. */
  onError(ref: number, error: SluiceError): boolean {
    for (const presence of this.#topics.values()) {
      if (presence.ref === ref) {
        this.#fail(presence, error);
        return true;
      }
    }
    return false;
  }
}

/** Returns why the session has no presence; undefined if it has. */
function refusalOf(session: QueueSession): string | undefined {
  if (session.link.isTextOnly) return HTTP_REFUSAL;
  return session.supports("presence") ? undefined : "the node has no presence";
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
