// Types only: shared code would become another file in a page's own build.
import type { withChanges, Message, Payload, PayloadKind } from "./message.js";

/**
 * Returns a message with its payload converted to a kind; throws if it cannot be converted.
 *
 * @param change - Function of the core.
 */
export function convert(message: Message, kind: PayloadKind, change: typeof withChanges): Message {
  if (message.kind === kind) return message;
  if (message.removed) return change(message, emptyPayload(kind));
  const text = toText(message);
  if (kind === "text") return change(message, { kind, payload: text });
  const payload: unknown = kind === "json" ? JSON.parse(text) : new TextEncoder().encode(text);
  return change(message, { kind, payload } as Payload);
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
