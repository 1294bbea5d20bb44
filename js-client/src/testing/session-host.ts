import type { Clock } from "../clock.js";
import type { Undo } from "../emitter.js";
import type { Limits } from "../frames.js";
import type { JsonObject } from "../json.js";
import type { Destination } from "../publish-options.js";
import type { BrokerQueue } from "./broker-queue.js";
import type { FrameData } from "./memory-socket.js";
import type { Publishing } from "./publish-frame.js";
import type { StoredMessage } from "./stored-message.js";
import type { TopicLog } from "./topic-log.js";

/** Result of checking a credential: the close code of a refusal, or the expiry in milliseconds. */
export type Grant = { readonly code: number } | { readonly expires: number | undefined };

/** Outcome of a request: its reply, or the code of an error. */
export type Outcome = StoredMessage | "timeout" | "no-reply";

/** Broker as used by the sessions of its nodes. */
export interface SessionBroker {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly isUp: boolean;
  brokerQueue(name: string): BrokerQueue;
  /** Handles a publish of a client. */
  store(destination: Destination, publishing: Publishing): void;
  /** Publishes a request; the returned function abandons it. */
  request(
    destination: Destination,
    publishing: Publishing,
    timeout: number,
    onOutcome: (outcome: Outcome) => void,
  ): Undo;
  authenticate(token: string | undefined): Grant;
}

/** Draining of a node. */
export interface Drain {
  readonly deadline: number;
  readonly url: string | undefined;
}

/** Node as used by its sessions. */
export interface SessionHost {
  readonly name: string;
  readonly broker: SessionBroker;
  /** Address to which new clients are redirected. */
  readonly redirectUrl: string | undefined;
  /** Returns the log of a topic or pattern. */
  log(topic: string): TopicLog;
  /** Throws if a test has forbidden the topic, pattern or queue. */
  checkPermitted(name: string): void;
  onEnd(session: unknown): void;
}

/** Session as used by its parts. */
export interface SessionPart {
  readonly isBinary: boolean;
  readonly host: SessionHost;
  sendFrame(frame: object): void;
  sendData(data: FrameData): void;
  sendError(frame: JsonObject, code: string, message: string): void;
  /** Runs an action and answers the frame with an error if the action throws one. */
  guard(frame: JsonObject, action: () => void): void;
}
