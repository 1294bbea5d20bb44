/**
 * Client of the Sluice WebSocket gateway: `@sluice/client`.
 *
 * @module client
 */
export { connect } from "./connect.js";
export type { Client, Client as SluiceClient } from "./client-type.js";
export type { TypedClient } from "./typed-client.js";
export type { ClientEvents, IdentityChange } from "./client-events.js";
export type { Clock, ClockOffset } from "./clock.js";
export { afterClose, type AfterClose } from "./close-codes.js";
export type { Undo } from "./emitter.js";
export {
  LoggedOut,
  SluiceError,
  type ClientErrorCode,
  type ErrorCode,
  type NodeErrorCode,
  type RejectedPayload,
} from "./errors.js";
export type {
  InputOf,
  OutputOf,
  SchemaIssue,
  SchemaPathSegment,
  SchemaResult,
  StandardSchema,
} from "./standard-schema.js";
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
} from "./topic-map.js";
export type { Hello, Limits } from "./frames.js";
export type {
  Envelope,
  Message,
  Payload,
  PayloadKind,
  PayloadTypes,
  Properties,
  Reception,
} from "./message.js";
export type { MessageSource } from "./message-source.js";
export type { MessagesOptions } from "./messages-options.js";
export type { MessageHandler, Subscription, SubscriptionObserver } from "./observer.js";
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
} from "./options.js";
export type { From, Position } from "./position.js";
export type { WebSocketConstructor, WebSocketLike } from "./socket.js";
export type {
  Closed,
  Connecting,
  ConnectionEnd,
  ConnectionState,
  Draining,
  Open,
  Stale,
} from "./state.js";
export type {
  Destination,
  PropertyType,
  PublishOptions,
  PublishPayload,
} from "./publish-options.js";
export type { PendingPublish } from "./pending-publish.js";
export type { ConsumeOptions, Consumer, ConsumerState } from "./consumer-types.js";
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
} from "./delivery-types.js";
export type { BrowseOptions, BrowseResult, Queue } from "./queue-types.js";
export type {
  Reply,
  ReplyEnvelope,
  ReplyWithOptions,
  RequestHandler,
  RequestOptions,
  RequestResult,
  ServeOptions,
  TypedReply,
} from "./request-types.js";
export type { Presence, PresenceMember, PresenceOptions, PresenceState } from "./presence-types.js";
export type { SubscribeOptions } from "./subscribe-options.js";
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
} from "./subscription-state.js";
export type {
  DurableInfo,
  DurableList,
  DurableSubscription,
  SharedSubscription,
} from "./subscription-types.js";
export type { Transaction, TransactionPublishOptions } from "./transaction-types.js";
export { VERSION } from "./version.js";
