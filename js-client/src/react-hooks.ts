import { useCallback, useEffect, useMemo, useSyncExternalStore } from "react";
import type { SluiceError } from "./errors.js";
import { invalidArgument } from "./errors.js";
import type { Message, Payload, Properties } from "./message.js";
import {
  EMPTY,
  errorOf,
  MessageWindow,
  type KeyOf,
  type WindowSnapshot,
} from "./message-window.js";
import { useClient } from "./react-provider.js";
import { initialState, type ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";
import { feedsOf } from "./topic-feeds.js";

/** What both hooks of messages say of their subscription. */
export interface TopicStatus {
  /** Where the subscription stands. */
  readonly state: SubscriptionState;
  /** Why there is no subscription, if the node or the client has refused it. */
  readonly error: SluiceError | undefined;
}

/** What {@link useTopic} gives. */
export interface TopicView extends TopicStatus {
  /** The newest one; undefined before the first. */
  readonly message: Message | undefined;
  /** That of the message. */
  readonly payload: Payload["payload"];
  /** Messages may be missing behind this one: what is shown may be out of date. */
  readonly gap: Gap | undefined;
}

/** Options of {@link useMessages}: those of the subscription, and which messages are kept. */
export interface MessagesOptions extends SubscribeOptions {
  /** At most so many messages, or keys, 1 to 1,000,000; those that are the oldest go. */
  readonly keep: number;
  /** Keeps the newest message of each key that this returns. It must not have effects. */
  readonly by?: KeyOf;
}

/** What {@link useMessages} gives. */
export interface MessagesView extends TopicStatus {
  /** In the order in which they came, the newest last. */
  readonly messages: readonly Message[];
  /** Messages may be missing between these, or behind the last. */
  readonly gap: Gap | undefined;
}

/** Publishes as `publish` of the client does. */
export type Publish = (
  topic: string,
  payload: string | Uint8Array,
  properties?: Properties,
) => Promise<void>;

const MAX_KEEP = 1_000_000;
const NO_OPTIONS: SubscribeOptions = {};

/** Where the connection stands. */
export function useConnectionState(): ConnectionState {
  const client = useClient();
  const subscribe = useCallback(
    (onChange: () => void) =>
      client.on("state", () => {
        onChange();
      }),
    [client],
  );
  return useSyncExternalStore(
    subscribe,
    () => client.state,
    () => initialState,
  );
}

/**
 * The newest message of a topic or pattern. The component renders at most once a frame, however
 * many messages come, and always shows the newest in the end.
 *
 * Components that ask for the same topic with the same options share a subscription; one that comes
 * later begins with what the others show. While a topic is subscribed, another `delivery` or `rate`
 * for it is an `error` of the kind `invalid-argument`.
 *
 * @param topic - Undefined: nothing is subscribed.
 */
export function useTopic(
  topic: string | undefined,
  options: SubscribeOptions = NO_OPTIONS,
): TopicView {
  const shown = useMessageWindow(topic, options, 1, undefined);
  return useMemo(() => {
    const { messages, state, gap } = shown;
    const message = messages.at(-1);
    return { message, payload: message?.payload, state, gap, error: errorOf(state) };
  }, [shown]);
}

/**
 * The latest messages of a topic or pattern, or the newest of each key. Otherwise like
 * {@link useTopic}.
 *
 * @throws SluiceError `invalid-argument`
 */
export function useMessages(topic: string | undefined, options: MessagesOptions): MessagesView {
  const { keep, by, ...subscribeOptions } = options;
  if (!Number.isInteger(keep) || keep < 1 || keep > MAX_KEEP) {
    throw invalidArgument("keep", "a whole number from 1 to 1000000", keep);
  }
  const shown = useMessageWindow(topic, subscribeOptions, keep, by);
  return useMemo(() => ({ ...shown, error: errorOf(shown.state) }), [shown]);
}

/** A function that publishes; the same at each render. */
export function usePublish(): Publish {
  const client = useClient();
  return useCallback<Publish>(
    (topic, payload, properties) => client.publish(topic, payload, properties),
    [client],
  );
}

function useMessageWindow(
  topic: string | undefined,
  options: SubscribeOptions,
  keep: number,
  by: KeyOf | undefined,
): WindowSnapshot {
  const client = useClient();
  // Options are an object of its own at each render; what counts is what is in it.
  const values = JSON.stringify(options);
  const window = useMemo(
    () => new MessageWindow(feedsOf(client), topic, options, { keep, by }),
    [client, topic, values],
  );
  useEffect(() => {
    window.retain({ keep, by });
  }, [window, keep, by]);
  return useSyncExternalStore(window.subscribe, window.snapshot, () => EMPTY);
}
