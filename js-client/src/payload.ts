import { checkOneOf } from "./arguments.js";
import { SluiceError } from "./errors.js";
import { withChanges, type Message, type Payload, type PayloadKind } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";

/** Throws unless `kind` is a payload kind or undefined. */
export function checkKind(kind: unknown): void {
  const kinds: PayloadKind[] = ["text", "json", "bytes"];
  if (kind !== undefined) checkOneOf("payload", kinds, kind);
}

/**
 * Returns an observer that converts payloads to one kind. A payload that cannot be converted is
 * reported as an error, and the stream continues.
 *
 * @param report - Receives errors if the observer has no `onError`.
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
      const text = `cannot convert a ${message.kind} payload to ${kind}`;
      (observer.onError ?? report)(new SluiceError("bad-payload", text, message.topic, cause));
      return;
    }
    observer.onMessage(converted);
  };
  return { ...observer, onMessage };
}

function convert(message: Message, kind: PayloadKind): Message {
  if (message.kind === kind) return message;
  if (message.removed) return withChanges(message, emptyPayload(kind));
  const text = toText(message);
  if (kind === "text") return withChanges(message, { kind, payload: text });
  const payload: unknown = kind === "json" ? JSON.parse(text) : new TextEncoder().encode(text);
  return withChanges(message, { kind, payload } as Payload);
}

function emptyPayload(kind: PayloadKind): Payload {
  const empty = { text: "", bytes: new Uint8Array(), json: null };
  return { kind, payload: empty[kind] } as Payload;
}

function toText({ kind, payload }: Payload): string {
  if (kind === "text") return payload;
  if (kind === "json") return JSON.stringify(payload);
  return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(payload);
}
