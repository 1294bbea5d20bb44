/**
 * Hooks for React 18 and later: `@sluice/client/react`.
 *
 * @module
 */
"use client";

export type { Client } from "./client-type.js";
export type { KeyOf } from "./message-window.js";
export {
  useConnection,
  useConnectionState,
  useGap,
  useSubscription,
  type GapNotice,
} from "./react-events.js";
export {
  createHooks,
  type TypedHooks,
  type TypedPublish,
  type TypedUseMessages,
  type TypedUseSubscription,
  type TypedUseTopic,
} from "./react-typed.js";
export {
  useMessages,
  usePublish,
  useTopic,
  type MessagesOptions,
  type MessagesView,
  type Publish,
  type TopicStatus,
  type TopicView,
} from "./react-hooks.js";
export { usePresence, type PresenceView, type UsePresenceOptions } from "./use-presence.js";
export { useConsumer, type SubscriptionSource, type UseConsumerOptions } from "./use-consumer.js";
export {
  SluiceProvider,
  useClient,
  type GivenClientProps,
  type OwnedClientProps,
  type SluiceProviderProps,
} from "./react-provider.js";
