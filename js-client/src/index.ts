/**
 * Client of the Sluice WebSocket gateway: `@sluice/client`.
 *
 * @module client
 */
export { connect } from "./engine/connect.js";
export type { Client } from "./engine/client-type.js";
export type { TypedClient } from "./engine/typed-client.js";
export type { ClientEvents, IdentityChange } from "./engine/client-events.js";
export type { Clock, ClockOffset } from "./engine/clock.js";
export type { Undo } from "./engine/emitter.js";
export {
  LoggedOut,
  SluiceError,
  type ClientErrorCode,
  type ErrorCode,
  type NodeErrorCode,
  type RejectedPayload,
} from "./engine/errors.js";
export type {
  InputOf,
  OutputOf,
  SchemaIssue,
  SchemaPathSegment,
  SchemaResult,
  StandardSchema,
} from "./engine/standard-schema.js";
export type {
  Converted,
  ConvertedTopics,
  KindOf,
  SchemaEntry,
  SchemaMap,
  SchemasFor,
  TopicIn,
  TopicsOf,
  TypedMessage,
  TypedPayload,
} from "./engine/topic-map.js";
export type { Hello, Limits } from "./engine/frames.js";
export type {
  Envelope,
  Message,
  Payload,
  PayloadKind,
  PayloadTypes,
  Properties,
  Reception,
} from "./engine/message.js";
export type { MessageSource } from "./queues/message-source.js";
export type { MessagesOptions } from "./engine/messages-options.js";
export type { MessageHandler, Subscription, SubscriptionObserver } from "./engine/observer.js";
export type {
  Address,
  CompressionOptions,
  ConnectOptions,
  Debug,
  DebugEntry,
  Encoding,
  Token,
  TokenProvider,
  Transport,
} from "./engine/options.js";
export type { From, Position } from "./engine/position.js";
export type { WebSocketConstructor, WebSocketLike } from "./transport/socket.js";
export type {
  Closed,
  Connecting,
  ConnectionEnd,
  ConnectionState,
  Draining,
  Paused,
  Open,
  Stale,
} from "./engine/state.js";
export type {
  Destination,
  PropertyType,
  PublishOptions,
  PublishPayload,
} from "./engine/publish-options.js";
export type { PendingPublish } from "./engine/pending-publish.js";
export type { ConsumeOptions, Consumer, ConsumerState } from "./queues/consumer-types.js";
export type {
  Delivery,
  DeliveryHandler,
  QueueEnvelope,
  QueueMessage,
  RespondOptions,
  SettleOptions,
  Settling,
  TypedDelivery,
  TypedDeliveryHandler,
} from "./queues/delivery-types.js";
export type { BrowseOptions, BrowseResult, Queue } from "./queues/queue-types.js";
export type {
  Reply,
  ReplyEnvelope,
  ReplyWithOptions,
  RequestHandler,
  RequestOptions,
  RequestResult,
  ServeOptions,
  TypedReply,
} from "./queues/request-types.js";
export type {
  Presence,
  PresenceMember,
  PresenceOptions,
  PresenceState,
} from "./queues/presence-types.js";
export type { SubscribeOptions } from "./engine/subscribe-options.js";
export type {
  AfterGap,
  Ended,
  Gap,
  GapReason,
  Live,
  PendingSubscription,
  Refused,
  StreamStart,
  SubscriptionState,
} from "./engine/subscription-state.js";
export type {
  DurableInfo,
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "./queues/subscription-types.js";
export type { Transaction, TransactionPublishOptions } from "./queues/transaction-types.js";
export { VERSION } from "./engine/version.js";
