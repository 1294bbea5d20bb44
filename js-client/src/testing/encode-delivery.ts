import {
  concat,
  content,
  encodeMembers,
  HAS_PROPERTIES,
  HIGH_BIT,
  KINDS,
  payloadBytes,
  propertiesOf,
  uint32s,
  words64,
} from "./encode.js";
import type { FrameData } from "./memory-socket.js";
import type { TestMessage } from "./stored-message.js";

/** Delivery of a message to a consumer, or in answer to a browse. */
export interface DeliveryPlacement {
  readonly ref: number;
  /** Undefined in answer to a browse. */
  readonly tag: number | undefined;
  /** Topic, if the consumer belongs to a subscription of a pattern. */
  readonly topic?: string | undefined;
  readonly redelivered: boolean;
}

const DELIVERY = 0x02;

/** Encodes a delivery of a queue: PROTOCOL.md, sections 4 and 5. */
export function encodeDelivery(
  message: TestMessage,
  placement: DeliveryPlacement,
  isBinary: boolean,
): FrameData {
  const { ref, tag, topic, redelivered } = placement;
  const { id, time, messageType, correlationId, replyTo, group } = message;
  const headers = { topic, messageType, correlationId, replyTo, group };
  if (!isBinary) {
    const members = { ref, tag, redelivered: redelivered || undefined, id, time };
    return JSON.stringify({ type: "delivery", ...members, ...headers, ...content(message) });
  }
  const members = encodeMembers({ ...headers, properties: propertiesOf(message) });
  const flags = (members ? HAS_PROPERTIES : 0) | (redelivered ? HIGH_BIT : 0);
  const first = Uint8Array.of(DELIVERY | KINDS[message.kind] | flags);
  const head = uint32s(ref, tag ?? 0, ...words64(id), time);
  return concat(first, head, ...(members ? [members] : []), payloadBytes(message));
}
