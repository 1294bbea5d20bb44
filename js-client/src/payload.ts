import { checkOneOf } from "./arguments.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message, type Payload, type PayloadKind } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";

/** Throws unless `kind` is one of payloads, or undefined. */
export function checkKind(kind: unknown): void {
  const kinds: PayloadKind[] = ["text", "json", "bytes"];
  if (kind !== undefined) checkOneOf("payload", kinds, kind);
}

/**
 * An observer of messages as they come, for one who wants their payloads of one kind. What cannot
 * be converted is told as an error, and the stream goes on.
 *
 * @param report - Hears of errors where the observer has no `onError`.
 */
export function converting(
  kind: PayloadKind,
  observer: SubscriptionObserver,
  report: (error: SluiceError) => void,
): SubscriptionObserver {
  const onMessage = (message: Message): void => {
    let converted: Message;
    try {
      converted = convert(message, kind);
    } catch (cause) {
      const why = `a message of kind ${message.kind} cannot be read as ${kind}`;
      (observer.onError ?? report)(new SluiceError("bad-payload", why, message.topic, cause));
      return;
    }
    observer.onMessage(converted);
  };
  return { ...observer, onMessage };
}

function convert(message: Message, kind: PayloadKind): Message {
  if (message.kind === kind) return message;
  const text = toText(message);
  if (kind === "text") return withChanges(message, { kind, payload: text });
  const payload: unknown = kind === "json" ? JSON.parse(text) : new TextEncoder().encode(text);
  return withChanges(message, { kind, payload } as Payload);
}

function toText({ kind, payload }: Payload): string {
  if (kind === "text") return payload;
  if (kind === "json") return JSON.stringify(payload);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
}
