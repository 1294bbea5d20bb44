/**
 * Hooks for React 18 and later: `@sluice/client/react`.
 *
 * @module
 */
"use client";

export type { Client } from "./client-type.js";
export {
  useConnection,
  useConnectionState,
  useGap,
  useSubscription,
  type GapNotice,
  type TypedUseSubscription,
} from "./react-events.js";
export { createHooks, type TypedHooks, type TypedPublish } from "./react-typed.js";
export {
  useMessages,
  usePublish,
  useTopic,
  type MessagesTypes,
  type Publish,
  type TopicTypes,
  type TopicView,
  type TypedUseMessages,
  type TypedUseTopic,
} from "./react-hooks.js";
export type { MessageView, PayloadOf, ViewOptions } from "./message-view.js";
export type { BindingTypes, MessagesFunction } from "./messages-function.js";
export type { FixedOptions, Identified } from "./provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./presence-view.js";
export { usePresence } from "./use-presence.js";
export { useConsumer, type SubscriptionSource, type UseConsumerOptions } from "./use-consumer.js";
export {
  SluiceProvider,
  useClient,
  type GivenClientProps,
  type OwnedClientProps,
  type SluiceProviderProps,
} from "./react-provider.js";
