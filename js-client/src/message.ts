import type { JsonValue } from "./json.js";

/** Properties of a message: JMS properties that the node forwards. */
export type Properties = Readonly<Record<string, string | number | boolean>>;

/** What a message carries: text, bytes, or JSON (from a JMS MapMessage or StreamMessage). */
export type Payload =
  | { readonly kind: "text"; readonly payload: string }
  | { readonly kind: "bytes"; readonly payload: Uint8Array }
  | { readonly kind: "json"; readonly payload: JsonValue };

/** A message as the node sends it. */
export type SentMessage = Payload & {
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
};

/** A message as it reaches the application. `kind` says what `payload` is. */
export type Message = SentMessage & {
  /** It was published before the node answered the subscription, and comes from its log. */
  readonly replayed: boolean;
};
