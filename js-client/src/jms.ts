/**
 * Simplified API of Jakarta Messaging 3.1 for JavaScript: `@sluice/client/jms`.
 *
 * @module
 */
export { BytesMessage } from "./jms/bytes-message.js";
export {
  DeliveryMode,
  SessionMode,
  type DeliveryModeValue,
  type SessionModeValue,
} from "./jms/constants.js";
export { Queue, Topic, type Destination } from "./jms/destinations.js";
export {
  GapException,
  InvalidDestinationException,
  InvalidSelectorException,
  JMSException,
  JMSIllegalStateException,
  JMSRuntimeException,
  JMSSecurityException,
  MessageEOFException,
  MessageFormatException,
  MessageNotReadableException,
  MessageNotWriteableException,
  ResourceAllocationException,
  TransactionRolledBackException,
} from "./jms/exceptions.js";
export { MapMessage } from "./jms/map-message.js";
export { Message } from "./jms/message.js";
export { StreamMessage } from "./jms/stream-message.js";
export { TextMessage } from "./jms/text-message.js";
export type { BodyValue } from "./jms/typed-value.js";
