/**
 * Hooks for React 18 and later: `@sluice/client/react`.
 *
 * @module
 */
"use client";

export type { Client } from "./engine/client-type.js";
export {
  useConnection,
  useGap,
  useSubscription,
  type GapNotice,
  type TypedUseSubscription,
} from "./bindings/react-events.js";
export { createHooks, type TypedHooks, type TypedPublish } from "./bindings/react-typed.js";
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
} from "./bindings/react-hooks.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
export type { FixedOptions, Identified } from "./bindings/provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";
export { usePresence } from "./bindings/use-presence.js";
export {
  useConsumer,
  type SubscriptionSource,
  type UseConsumerOptions,
} from "./bindings/use-consumer.js";
export {
  SluiceProvider,
  useClient,
  type GivenClientProps,
  type OwnedClientProps,
  type SluiceProviderProps,
} from "./bindings/react-provider.js";
