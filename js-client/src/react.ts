/**
 * Hooks for React 18 and later: `@sluice/client/react`.
 *
 * @module
 */
"use client";

export type { Client } from "./client-type.js";
export type { KeyOf } from "./message-window.js";
export {
  useConnectionState,
  useMessages,
  usePublish,
  useTopic,
  type MessagesOptions,
  type MessagesView,
  type Publish,
  type TopicStatus,
  type TopicView,
} from "./react-hooks.js";
export { useConsumer, type SubscriptionSource, type UseConsumerOptions } from "./use-consumer.js";
export {
  SluiceProvider,
  useClient,
  type GivenClientProps,
  type OwnedClientProps,
  type SluiceProviderProps,
} from "./react-provider.js";
