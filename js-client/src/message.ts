import type { NodeClock } from "./clock.js";
import type { GapReason } from "./subscription-state.js";

/** Properties of a message: JMS properties that the node forwards. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** Whether a message property can have this value. */
export function isPropertyValue(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

/** What a payload is, by its kind. */
export interface PayloadTypes {
  /** From a JMS TextMessage. */
  readonly text: string;
  /** From a BytesMessage. */
  readonly bytes: Uint8Array;
  /** Parsed JSON, from a MapMessage or StreamMessage. */
  readonly json: unknown;
}

/** How the payload of a message can come. */
export type PayloadKind = keyof PayloadTypes;

/** What a message carries; `kind` says what `payload` is. */
export type Payload<Kind extends PayloadKind = PayloadKind> = {
  [Each in Kind]: {
    /** What `payload` is. */
    readonly kind: Each;
    /** The content. */
    readonly payload: PayloadTypes[Each];
  };
}[Kind];

/** What is known of a message besides its payload. */
export interface Envelope {
  /** The concrete topic. */
  readonly topic: string;
  /** The pattern through which it came, if it came through one. */
  readonly pattern: string | undefined;
  /** Its number in the subscription's topic or pattern, on the node that sent it. */
  readonly offset: number;
  /** Identity of the message, 16 hexadecimal digits, the same on every node. */
  readonly id: string;
  /** When the broker took the message, in milliseconds since 1970. */
  readonly time: number;
  /** Empty if none came. */
  readonly properties: Properties;
}

/** What this client knows of a message besides what was sent. */
export interface Reception {
  /** It was published before the node answered the subscription, and comes from its log. */
  readonly replayed: boolean;
  /** Why messages may be missing right before this one; undefined if none are. */
  readonly gapBefore: GapReason | undefined;
  /**
   * How long ago the broker took the message, in milliseconds, counted anew at each reading. The
   * difference between the node's clock and this one's is taken out; what the broker's clock
   * differs from the node's is in it.
   */
  readonly age: number;
  /** `age` is true to within this many milliseconds, as far as the node's clock is concerned. */
  readonly ageUncertainty: number;
}

/** Of messages without any. */
export const NO_PROPERTIES: Properties = Object.freeze({});

/** A message as the node sends it. */
export type SentMessage = Payload & Envelope;

/** A message as it reaches the application. `kind` says what `payload` is. */
export type Message<Kind extends PayloadKind = PayloadKind> = Payload<Kind> & Envelope & Reception;

/** Where a message stands in its stream. */
type Place = Pick<Reception, "replayed" | "gapBefore">;

/** What of a message is not reckoned anew at each reading. */
export type ReceivedMessage = SentMessage & Place;

/** A message with its age, which is reckoned only when somebody asks. */
class AgingMessage implements Envelope, Reception {
  readonly kind: PayloadKind;
  readonly payload: unknown;
  readonly topic: string;
  readonly pattern: string | undefined;
  readonly offset: number;
  readonly id: string;
  readonly time: number;
  readonly properties: Properties;
  readonly replayed: boolean;
  readonly gapBefore: GapReason | undefined;
  readonly #clock: NodeClock;

  // One by one, because an engine copies members by name far more slowly.
  constructor(clock: NodeClock, sent: SentMessage, { replayed, gapBefore }: Place) {
    this.kind = sent.kind;
    this.payload = sent.payload;
    this.topic = sent.topic;
    this.pattern = sent.pattern;
    this.offset = sent.offset;
    this.id = sent.id;
    this.time = sent.time;
    this.properties = sent.properties;
    this.replayed = replayed;
    this.gapBefore = gapBefore;
    this.#clock = clock;
  }

  /** The same message but for these members. */
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

/** The message for the application. */
export function toMessage(clock: NodeClock, sent: SentMessage, place: Place): Message {
  return new AgingMessage(clock, sent, place) as Message;
}

/** A copy of a message that differs in some members. */
export function withChanges<Kind extends PayloadKind>(
  message: Message,
  changes: Payload<Kind> | Pick<Reception, "gapBefore">,
): Message<Kind> {
  return AgingMessage.change(message as unknown as AgingMessage, changes) as Message<Kind>;
}
