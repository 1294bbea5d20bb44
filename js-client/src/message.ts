import type { NodeClock } from "./clock.js";
import type { GapReason } from "./subscription-state.js";

/** Properties of a message: JMS properties that the node forwards. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

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

/** A message as the node sends it. */
export type SentMessage = Payload & Envelope;

/** A message as it reaches the application. `kind` says what `payload` is. */
export type Message<Kind extends PayloadKind = PayloadKind> = Payload<Kind> & Envelope & Reception;

/** What of a message is not reckoned anew at each reading. */
export type ReceivedMessage = SentMessage & Pick<Reception, "replayed" | "gapBefore">;

/** A message with its age, which is reckoned only when somebody asks. */
class AgingMessage {
  declare readonly time: number;
  readonly #clock: NodeClock;

  constructor(clock: NodeClock, members: ReceivedMessage) {
    Object.assign(this, members);
    this.#clock = clock;
  }

  /** The same message but for these members. */
  static change(message: AgingMessage, changes: object): AgingMessage {
    return new AgingMessage(message.#clock, {
      ...(message as unknown as ReceivedMessage),
      ...changes,
    });
  }

  get age(): number {
    return this.#clock.now() - this.time;
  }

  get ageUncertainty(): number {
    return this.#clock.uncertainty;
  }
}

/** The message for the application. */
export function toMessage(clock: NodeClock, members: ReceivedMessage): Message {
  return new AgingMessage(clock, members) as unknown as Message;
}

/** A copy of a message that differs in some members. */
export function withChanges<Kind extends PayloadKind>(
  message: Message,
  changes: Payload<Kind> | Pick<Reception, "gapBefore">,
): Message<Kind> {
  return AgingMessage.change(
    message as unknown as AgingMessage,
    changes,
  ) as unknown as Message<Kind>;
}
