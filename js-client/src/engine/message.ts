import type { NodeClock } from "./clock.js";
import type { GapReason } from "./subscription-state.js";

/** Properties of a message: JMS properties that the node forwards. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** Type of a payload by its kind. */
export interface PayloadTypes {
  /** Payload of a JMS TextMessage. */
  readonly text: string;
  /** Payload of a JMS BytesMessage. */
  readonly bytes: Uint8Array;
  /** Parsed JSON of a JMS MapMessage or StreamMessage. */
  readonly json: unknown;
}

/** Kind of a message's payload. */
export type PayloadKind = keyof PayloadTypes;

/** Payload of a message; `kind` determines the type of `payload`. */
export type Payload<Kind extends PayloadKind = PayloadKind> = {
  [Each in Kind]: {
    /** Type of `payload`. */
    readonly kind: Each;
    /** Content of the message. */
    readonly payload: PayloadTypes[Each];
  };
}[Kind];

/** Metadata of a message as sent by the node. */
export interface Envelope {
  /** Concrete topic. */
  readonly topic: string;
  /** Subscribed pattern, if the subscription is one to a pattern. */
  readonly pattern: string | undefined;
  /** Offset of the message in the node's log of the topic or pattern. */
  readonly offset: number;
  /** Identity of the message, 16 hexadecimal digits; the same on every node. */
  readonly id: string;
  /** Time at which the broker accepted the message, in milliseconds since 1970. */
  readonly time: number;
  /** JMS properties; empty if there are none. */
  readonly properties: Properties;
  /** True if the message removes its topic or key; `payload` is then empty (`null` for JSON). */
  readonly removed: boolean;
}

/** Metadata of a message added by this client. */
export interface Reception {
  /**
   * True if the message was published before the node answered the subscription and comes from its
   * log.
   */
  readonly replayed: boolean;
  /** True if the message comes from the client's store, where an earlier page has put it. */
  readonly stored: boolean;
  /** Reason of a gap right before this message; undefined if there is none. */
  readonly gapBefore: GapReason | undefined;
  /**
   * Time since the broker accepted the message, in milliseconds, computed at each access. The
   * offset between the node's clock and the local one is compensated; an offset between the
   * broker's clock and the node's is not.
   */
  readonly age: number;
  /** Maximum error of `age` caused by the clock estimate, in milliseconds. */
  readonly ageUncertainty: number;
}

/** Properties of messages without any. */
export const NO_PROPERTIES: Properties = Object.freeze({});

/** Parsed message frame, without the members that this client adds. */
export type MessageFrame = Payload &
  Envelope & {
    /** Number of the tagged subscription; undefined for a plain one. */
    readonly ref?: number | undefined;
    /** Cause if the frame is unreadable; then only its subscription is certain. */
    readonly error?: unknown;
  };

/** Message as delivered to the application. `kind` determines the type of `payload`. */
export type Message<Kind extends PayloadKind = PayloadKind> = Payload<Kind> & Envelope & Reception;

/** Context of a message in its stream. */
type StreamContext = Pick<Reception, "replayed" | "gapBefore"> & Partial<Pick<Reception, "stored">>;

/** Message without the members that are computed at each access. */
export type ReceivedMessage = MessageFrame & StreamContext;

/** Message that computes its age on access. */
class AgingMessage implements Envelope, Reception {
  readonly kind: PayloadKind;
  readonly payload: unknown;
  readonly topic: string;
  readonly pattern: string | undefined;
  readonly offset: number;
  readonly id: string;
  readonly time: number;
  readonly properties: Properties;
  readonly removed: boolean;
  readonly replayed: boolean;
  readonly stored: boolean;
  readonly gapBefore: GapReason | undefined;
  readonly #clock: NodeClock;

  // Assigned one by one, as engines copy members by name far more slowly.
  constructor(
    clock: NodeClock,
    frame: MessageFrame,
    { replayed, stored, gapBefore }: StreamContext,
  ) {
    this.kind = frame.kind;
    this.payload = frame.payload;
    this.topic = frame.topic;
    this.pattern = frame.pattern;
    this.offset = frame.offset;
    this.id = frame.id;
    this.time = frame.time;
    this.properties = frame.properties;
    this.removed = frame.removed;
    this.replayed = replayed;
    this.stored = !!stored;
    this.gapBefore = gapBefore;
    this.#clock = clock;
  }

  /** Returns a copy with these members changed. */
  static change(message: AgingMessage, changes: object): Message {
    const changed = { ...(message as ReceivedMessage), ...changes };
    return toMessage(message.#clock, changed, changed);
  }

  get age(): number {
    return this.#clock.now() - this.time;
  }

  get ageUncertainty(): number {
    return this.#clock.uncertainty;
  }
}

/** Returns the message for the application. */
export function toMessage(clock: NodeClock, frame: MessageFrame, context: StreamContext): Message {
  return new AgingMessage(clock, frame, context) as Message;
}

/** Returns a copy of a message with some members changed. */
export function withChanges<Kind extends PayloadKind>(
  message: Message,
  changes: Payload<Kind> | Pick<Reception, "gapBefore">,
): Message<Kind> {
  return AgingMessage.change(message as unknown as AgingMessage, changes) as Message<Kind>;
}
