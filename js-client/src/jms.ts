/**
 * Simplified API of Jakarta Messaging 3.1 for JavaScript: `@sluice/client/jms`.
 *
 * @module
 */
export { BytesMessage } from "./jms/bytes-message.js";
export {
  ConnectionFactory,
  type ConnectionFactoryOptions,
  type ContextOptions,
} from "./jms/connection-factory.js";
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
export { JMSConsumer } from "./jms/jms-consumer.js";
export { JMSContext } from "./jms/jms-context.js";
export { JMSProducer, type Sendable } from "./jms/jms-producer.js";
export type { CompletionListener, ExceptionListener, MessageListener } from "./jms/listeners.js";
export { MapMessage } from "./jms/map-message.js";
export { Message } from "./jms/message.js";
export { QueueBrowser } from "./jms/queue-browser.js";
export { StreamMessage } from "./jms/stream-message.js";
export { TemporaryQueue } from "./jms/temporary-queue.js";
export { TextMessage } from "./jms/text-message.js";
export type { BodyValue } from "./jms/typed-value.js";
