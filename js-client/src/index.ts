export { connect } from "./connect.js";
export type { ClientEvents, SluiceClient } from "./client.js";
export type { Clock, ClockOffset } from "./clock.js";
export { afterClose, type AfterClose } from "./close-codes.js";
export type { Undo } from "./emitter.js";
export { SluiceError, type ClientErrorCode, type ErrorCode, type NodeErrorCode } from "./errors.js";
export type { GapReason, Hello, Limits } from "./frames.js";
export type { JsonObject, JsonValue } from "./json.js";
export type { Message, Payload, Properties } from "./message.js";
export type { ConnectOptions, Encoding, Token } from "./options.js";
export type { WebSocketConstructor, WebSocketLike } from "./socket.js";
export type { From, Position } from "./position.js";
export type { ConnectionEnd, ConnectionState } from "./state.js";
export type { SubscribeOptions } from "./subscribe-options.js";
export type {
  Gap,
  Subscription,
  SubscriptionObserver,
  SubscriptionState,
} from "./subscriptions.js";
export { VERSION } from "./version.js";
