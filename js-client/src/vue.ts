/**
 * Composables for Vue 3.5 and later: `@sluice/client/vue`.
 *
 * @module
 */
import {
  computed,
  getCurrentInstance,
  hasInjectionContext,
  inject,
  onMounted,
  onScopeDispose,
  onUnmounted,
  provide,
  shallowRef,
  toValue,
  watch,
  watchPostEffect,
  type ComputedRef,
  type InjectionKey,
  type MaybeRefOrGetter,
  type ShallowRef,
} from "vue";
import type { Client } from "./engine/client-type.js";
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
import { mapMembers } from "./bindings/view-members.js";

export type { Client } from "./engine/client-type.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
export type { FixedOptions, WithIdentity } from "./bindings/provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";

/** Members of a view as computed refs. */
export type ViewRefs<View> = {
  readonly [Name in keyof View]: ComputedRef<View[Name]>;
};

/** Types of {@link useMessages}. */
export interface MessagesTypes extends BindingTypes {
  /** A value, a ref or a getter. */
  readonly argument: MaybeRefOrGetter<this["of"]>;
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** Members of the view as computed refs. */
  readonly result: ViewRefs<MessageView<this["of"]>>;
}

/** Result of {@link useGap}. */
export interface GapRef {
  /** Latest gap of any subscription of the client; undefined before the first one. */
  readonly gap: Readonly<ShallowRef<Gap | undefined>>;
  /** Resets `gap` to undefined until the next gap. */
  readonly dismiss: () => void;
}

/** Options of {@link provideSluice}. */
export type ProviderOptions = WithIdentity<MaybeRefOrGetter<string>>;

/** Key of the client, for `app.provide(sluiceKey, client)`. */
export const sluiceKey: InjectionKey<Client> = Symbol("sluice");

/** Clients by the component that provides them, because `inject` skips that component. */
const providedBy = new WeakMap<object, Client>();

/** Provides a client, which the application closes, to this component and those below it. */
export function provideSluice(client: Client): Client;
/**
 * Provides a client with a connection to this component and those below it. The connection is open
 * while this component is mounted. Call it in `setup`.
 *
 * @param options - Options of `connect`, and the user to whom the credential belongs: a value, a ref
 *   or a getter. Another user ends the session; see the event `identity-changed`.
 */
export function provideSluice(url: Address, options?: ProviderOptions): Client;
export function provideSluice(
  target: Client | Address,
  { identity, ...options }: ProviderOptions = {},
): Client {
  const client = toClient(target, options, toValue(identity));
  const update = (user: string | undefined): void => {
    updateIdentity(client, user);
  };
  watch(() => toValue(identity), update, { flush: "sync" });
  const instance = getCurrentInstance();
  if (instance) providedBy.set(instance, client);
  provide(sluiceKey, client);
  onMounted(() => {
    onUnmounted(retain(client), instance);
  });
  return client;
}

/**
 * Returns the provided client.
 *
 * @throws Error if there is none
 */
export function useSluice(): Client {
  const instance = getCurrentInstance();
  const own = instance ? providedBy.get(instance) : undefined;
  const client = own ?? (hasInjectionContext() ? inject(sluiceKey, undefined) : undefined);
  if (!client) throw new Error("useSluice requires provideSluice in this component or above it");
  return client;
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. The component
 * renders at most once a frame, at any message rate, and always ends up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others.
 *
 * Topic and options are values, refs or getters; without a topic (undefined) there is no
 * subscription.
 *
 * @function
 */
export const useMessages: MessagesFunction<MessagesTypes> = (
  topic: MaybeRefOrGetter<string | undefined>,
  options: MaybeRefOrGetter<ViewOptions<never>> = {},
): ViewRefs<MessageView<never>> => {
  const view = shallowRef(EMPTY_VIEW);
  const window = new ViewWindow(useSluice(), show);
  function show(): void {
    view.value = window.view;
  }
  // Runs after mounting, and not on a server.
  watchPostEffect(() => {
    window.update(toValue(topic), toValue(options));
    show();
  });
  onScopeDispose(() => {
    window.close();
  });
  return toRefs(view);
};

/**
 * Enters a topic, or watches it, while the component is mounted, and returns its members. Another
 * `info` is sent without leaving.
 *
 * @param topic - Topic, ref or getter; undefined for no topic.
 */
export function usePresence(
  topic: MaybeRefOrGetter<string | undefined>,
  options: MaybeRefOrGetter<PresenceViewOptions> = {},
): ViewRefs<PresenceView> {
  const view = shallowRef(EMPTY_PRESENCE);
  const window = new PresenceWindow(useSluice(), show);
  function show(): void {
    view.value = window.view;
  }
  watchPostEffect(() => {
    window.update(toValue(topic), toValue(options));
    show();
  });
  onScopeDispose(() => {
    window.close();
  });
  return toRefs(view);
}

/** Returns the connection state. */
export function useConnection(): Readonly<ShallowRef<ConnectionState>> {
  const client = useSluice();
  const state = shallowRef(client.state);
  watchPostEffect((onCleanup) => {
    const show = (): void => {
      state.value = client.state;
    };
    onCleanup(client.on("state", show));
    show();
  });
  return state;
}

/** Returns the latest gap of the client, and a function that dismisses it. */
export function useGap(): GapRef {
  const client = useSluice();
  const gap = shallowRef<Gap>();
  watchPostEffect((onCleanup) => {
    onCleanup(
      client.on("gap", (latest) => {
        gap.value = latest;
      }),
    );
  });
  const dismiss = (): void => {
    gap.value = undefined;
  };
  return { gap, dismiss };
}

/** Composables with the types of a topic map, as returned by {@link createComposables}. */
export interface TypedComposables<Topics extends object> {
  /** See {@link useMessages}. */
  readonly useMessages: MessagesFunction<MessagesTypes, Topics>;
  /** See {@link useSluice}. */
  readonly useSluice: () => TypedClient<Topics>;
  /** See {@link useConnection}. */
  readonly useConnection: typeof useConnection;
  /** See {@link useGap}. */
  readonly useGap: typeof useGap;
  /** See {@link usePresence}. */
  readonly usePresence: typeof usePresence;
}

/**
 * Returns the composables of this module with the types of a topic map, which is that of the
 * provided client. Call it once, outside of components.
 */
export function createComposables<Topics extends object>(): TypedComposables<Topics> {
  return { useMessages, useSluice, useConnection, useGap, usePresence } as never;
}

function toRefs<View extends object>(view: ShallowRef<View>): ViewRefs<View> {
  return mapMembers(view.value, (name) => computed(() => view.value[name])) as ViewRefs<View>;
}
