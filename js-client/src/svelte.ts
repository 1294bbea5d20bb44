/**
 * Reactive values for Svelte 5.7 and later: `@sluice/client/svelte`.
 *
 * @module
 */
import { getContext, onMount, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import { toStore } from "svelte/store";
import type { Client } from "./engine/client-type.js";
import type { Undo } from "./engine/emitter.js";
import { valueOf, type MaybeGetter } from "./bindings/maybe-getter.js";
import {
  EMPTY_VIEW,
  ViewWindow,
  type MessageView,
  type ViewOptions,
} from "./bindings/message-view.js";
import type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
import type { Address } from "./engine/options.js";
import {
  EMPTY_PRESENCE,
  PresenceWindow,
  type PresenceViewOptions,
  type PresenceView,
} from "./bindings/presence-view.js";
import { retain, toClient, updateIdentity } from "./bindings/provided-client.js";
import type { WithIdentity } from "./bindings/provider-options.js";
import type { ConnectionState } from "./engine/state.js";
import type { Gap } from "./engine/subscription-state.js";
import type { TypedClient } from "./engine/typed-client.js";
import type { Windowed } from "./bindings/view-members.js";

export type { Client } from "./engine/client-type.js";
export type { MaybeGetter } from "./bindings/maybe-getter.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
export type { FixedOptions, WithIdentity } from "./bindings/provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";

/** Value that is reactive where an effect or a template reads it. */
export interface Current<Value> {
  /** Current value. */
  readonly current: Value;
}

/** Types of {@link messages}. */
export interface MessagesTypes extends BindingTypes {
  /** A value, or a function that returns it. */
  readonly argument: MaybeGetter<this["of"]>;
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** Reactive view. */
  readonly result: Current<MessageView<this["of"]>>;
}

/** Options of {@link setSluice}. */
export type ProviderOptions = WithIdentity<MaybeGetter<string>>;

const KEY = Symbol("sluice");

/** Provides a client, which the application closes, to this component and those below it. */
export function setSluice(client: Client): Client;
/**
 * Provides a client with a connection to this component and those below it. The connection is open
 * while this component is mounted. Call it during initialization of the component.
 *
 * @param options - Options of `connect`, and the user to whom the credential belongs: a value, or a
 *   function that returns it. Another user ends the session; see the event `identity-changed`.
 */
export function setSluice(url: Address, options?: ProviderOptions): Client;
export function setSluice(
  target: Client | Address,
  { identity, ...options }: ProviderOptions = {},
): Client {
  const client = setContext(KEY, toClient(target, options, valueOf(identity)));
  onMount(() => {
    const release = retain(client);
    const stop = toStore(() => valueOf(identity)).subscribe((user) => {
      updateIdentity(client, user);
    });
    return () => {
      stop();
      release();
    };
  });
  return client;
}

/**
 * Returns the provided client. Call it during initialization of the component.
 *
 * @throws Error if there is none
 */
export function getSluice(): Client {
  const client = getContext<Client | undefined>(KEY);
  if (!client) throw new Error("getSluice requires setSluice in this component or above it");
  return client;
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. The topic is
 * subscribed while an effect or a template reads `current`. They run at most once a frame, at any
 * message rate, and always end up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others.
 *
 * Topic and options are values, or functions that return them; without a topic (undefined) there is
 * no subscription.
 *
 * @function
 */
export const messages: MessagesFunction<MessagesTypes> = (
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<never>> = {},
): Current<MessageView<never>> =>
  windowed(EMPTY_VIEW, topic, options, (client, update) => new ViewWindow(client, update));

/**
 * Enters a topic, or watches it, while an effect or a template reads `current`. Another `info` is
 * sent without leaving.
 *
 * @param topic - Topic, or a function that returns it; undefined for no topic.
 */
export function presence(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<PresenceViewOptions> = {},
): Current<PresenceView> {
  return windowed(
    EMPTY_PRESENCE,
    topic,
    options,
    (client, update) => new PresenceWindow(client, update),
  );
}

/** Returns the connection state. */
export function connection(): Current<ConnectionState> {
  const client = getSluice();
  return subscribed(
    (update) => client.on("state", update),
    () => client.state,
  );
}

/** Latest gap of the client, and a function that dismisses it. */
export interface CurrentGap extends Current<Gap | undefined> {
  /** Resets the gap to undefined until the next one. */
  readonly dismiss: () => void;
}

/** Returns the latest gap of any subscription of the client since it was first read. */
export function gap(): CurrentGap {
  const client = getSluice();
  let latest: Gap | undefined;
  let show: (gap?: Gap) => void = () => undefined;
  const shown = subscribed(
    (update) => {
      show = (now) => {
        latest = now;
        update();
      };
      return client.on("gap", show);
    },
    () => latest,
  );
  const dismiss = (): void => {
    show();
  };
  return Object.defineProperty(shown, "dismiss", { value: dismiss }) as CurrentGap;
}

/** Reactive values with the types of a topic map, as returned by {@link createReactive}. */
export interface TypedReactive<Topics extends object> {
  /** See {@link messages}. */
  readonly messages: MessagesFunction<MessagesTypes, Topics>;
  /** See {@link getSluice}. */
  readonly getSluice: () => TypedClient<Topics>;
  /** See {@link connection}. */
  readonly connection: typeof connection;
  /** See {@link gap}. */
  readonly gap: typeof gap;
  /** See {@link presence}. */
  readonly presence: typeof presence;
}

/**
 * Returns the functions of this module with the types of a topic map, which is that of the provided
 * client. Call it once, in a module.
 */
export function createReactive<Topics extends object>(): TypedReactive<Topics> {
  return { messages, getSluice, connection, gap, presence } as never;
}

function windowed<View, Options extends object>(
  empty: View,
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<Options>,
  open: (client: Client, update: () => void) => Windowed<View, Options>,
): Current<View> {
  const client = getSluice();
  let window: Windowed<View, Options> | undefined;
  const track = createSubscriber((update) => {
    const opened = open(client, update);
    window = opened;
    return () => {
      opened.close();
      window = undefined;
    };
  });
  return {
    get current() {
      track();
      // Reading the arguments here makes the reader depend on them.
      window?.update(valueOf(topic), valueOf(options));
      return window?.view ?? empty;
    },
  };
}

function subscribed<Value>(start: (update: () => void) => Undo, read: () => Value): Current<Value> {
  const track = createSubscriber(start);
  return {
    get current() {
      track();
      return read();
    },
  };
}
