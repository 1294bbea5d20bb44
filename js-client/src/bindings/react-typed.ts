import type { PublishOptions } from "../engine/publish-options.js";
import {
  useConnection,
  useGap,
  useSubscription,
  type TypedUseSubscription,
} from "./react-events.js";
import {
  useMessages,
  usePublish,
  useTopic,
  type TypedUseMessages,
  type TypedUseTopic,
} from "./react-hooks.js";
import { useClient } from "./react-provider.js";
import type { Lookup, PublishedAs, TopicIn } from "../engine/topic-map.js";
import type { TypedClient } from "../engine/typed-client.js";
import { useConsumer } from "./use-consumer.js";
import { usePresence } from "./use-presence.js";

/** Function that publishes with the types of a topic map. */
export type TypedPublish<Topics extends object> = <Topic extends TopicIn<Topics>>(
  topic: Topic,
  payload: PublishedAs<Lookup<Topics, Topic>>,
  options?: PublishOptions,
) => Promise<void>;

/** Hooks with the types of a topic map, as returned by {@link createHooks}. */
export interface TypedHooks<Topics extends object> {
  /** See {@link useTopic}. */
  readonly useTopic: TypedUseTopic<Topics>;
  /** See {@link useMessages}. */
  readonly useMessages: TypedUseMessages<Topics>;
  /** See {@link useSubscription}. */
  readonly useSubscription: TypedUseSubscription<Topics>;
  /** See {@link usePublish}. */
  readonly usePublish: () => TypedPublish<Topics>;
  /** See {@link useClient}. */
  readonly useClient: () => TypedClient<Topics>;
  /** See {@link useConsumer}. */
  readonly useConsumer: typeof useConsumer;
  /** See {@link useConnection}. */
  readonly useConnection: typeof useConnection;
  /** See {@link useGap}. */
  readonly useGap: typeof useGap;
  /** See {@link usePresence}. */
  readonly usePresence: typeof usePresence;
}

/**
 * Returns the hooks of this module with the types of a topic map, which is that of the provided
 * client. Call it once, outside of components.
 */
export function createHooks<Topics extends object>(): TypedHooks<Topics> {
  const hooks = { useTopic, useMessages, useSubscription, usePublish, useClient };
  return { ...hooks, useConsumer, useConnection, useGap, usePresence } as never;
}
