import type { Clock } from "../engine/clock.js";
import type { Limits } from "../engine/frames.js";
import type { JsonObject } from "../engine/json.js";
import type { Destination } from "../engine/publish-options.js";
import type { BrokerQueue } from "./broker-queue.js";
import type { FrameData } from "./memory-socket.js";
import type { Publishing } from "./publish-frame.js";
import type { Selector } from "./selector-type.js";
import type { StoredMessage } from "./stored-message.js";
import type { TopicLog } from "./topic-log.js";
import type { TestUse, TransactionFault } from "./types.js";

/** Result of checking a credential: the close code of a refusal, or its expiry and subject. */
export type Grant =
  { readonly code: number } | { readonly expires: number | undefined; readonly subject: string };

/** Broker as used by the sessions of its nodes. */
export interface SessionBroker {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly isUp: boolean;
  readonly presenceGrace: number;
  brokerQueue(name: string): BrokerQueue;
  /** Creates a queue that is not listed. */
  createQueue(name: string): BrokerQueue;
  /** Throws if a durable subscription refuses the messages of a destination. */
  checkStorable(destination: Destination): void;
  /** Handles a publish of a client. */
  store(destination: Destination, publishing: Publishing): void;
  /** Returns the next sequence number, which also numbers losses. */
  nextSequence(): number;
  /** Returns the broker's object of a class, which is created by its first use. */
  extension<Extension extends BrokerExtension>(
    Class: new (broker: SessionBroker) => Extension,
  ): Extension;
  /** Returns the failure that a test has requested for this transaction. */
  takeTransactionFault(): TransactionFault | undefined;
  authenticate(token: string | undefined): Grant;
}

/** Part of a broker that is loaded when it is used. */
export interface BrokerExtension {
  /** Handles a message; returns whether nothing else may receive it. */
  onMessage?(message: StoredMessage): boolean;
  /** Throws if the broker refuses messages to a destination. */
  checkStorable?(destination: Destination): void;
  onBrokerLost?(): void;
  onBrokerBack?(): void;
  onClose?(): void;
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
  /** Returns the log of a topic or pattern, with the messages that a selector selects. */
  log(topic: string, selector?: Selector): TopicLog;
  /** Throws if a test has forbidden the topic, pattern or queue for one of these uses. */
  checkPermitted(name: string, ...uses: readonly TestUse[]): void;
  onEnd(session: unknown): void;
}

/** Topics or queues that a test has forbidden. */
export interface Ban {
  readonly pattern: string;
  readonly code: string;
  /** Forbidden use; undefined if all are forbidden. */
  readonly use: TestUse | undefined;
}

/** Name of a part of a session. */
export type PartName =
  "durables" | "presence" | "publishes" | "queues" | "requests" | "topics" | "transactions";

/** Part of a session that is loaded by the first frame that requires it. */
export interface SessionExtension {
  /** Handles a frame of one of its types. */
  handle(frame: JsonObject): void;
  /** Returns whether the frame ends a consumer. */
  owns?(frame: JsonObject): boolean;
  onBrokerLost?(): void;
  onBrokerBack?(): void;
  onForbidden?(ban: Ban): void;
  /** Handles the end of the session; `isFinal` if the client has left on purpose. */
  close?(isFinal: boolean): void;
}

/** Session as used by its parts. */
export interface SessionPart {
  readonly isBinary: boolean;
  readonly host: SessionHost;
  /** Subject of the credential; empty without one. */
  readonly subject: string;
  /** Returns another part of the session; undefined if no frame has required it. */
  part(name: PartName): SessionExtension | undefined;
  /** Throws unless the broker is available. */
  checkBroker(): void;
  /** Ends the connection without a close frame. */
  cut(): void;
  sendFrame(frame: object): void;
  sendData(data: FrameData): void;
  sendError(frame: JsonObject, code: string, message: string): void;
  /** Runs an action and answers the frame with an error if it throws one; returns whether not. */
  guard(frame: JsonObject, action: () => void): boolean;
}
