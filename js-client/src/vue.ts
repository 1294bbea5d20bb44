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
  watchPostEffect,
  type ComputedRef,
  type InjectionKey,
  type MaybeRefOrGetter,
  type ShallowRef,
} from "vue";
import type { Client } from "./client-type.js";
import type { PayloadKind } from "./message.js";
import { EMPTY_VIEW, ViewWindow, type MessageView, type ViewOptions } from "./message-view.js";
import type { Address, ConnectOptions } from "./options.js";
import { retain, toClient } from "./provided-client.js";
import type { ConnectionState } from "./state.js";
import type { Gap } from "./subscription-state.js";

export type { Client } from "./client-type.js";
export type { MessageView, ViewOptions } from "./message-view.js";

/** Members of a {@link MessageView} as computed refs. */
export type MessageRefs<Kind extends PayloadKind = PayloadKind> = {
  readonly [Name in keyof MessageView<Kind>]: ComputedRef<MessageView<Kind>[Name]>;
};

/** Key of the client, for `app.provide(sluiceKey, client)`. */
export const sluiceKey: InjectionKey<Client> = Symbol("sluice");

/** Clients by the component that provides them, because `inject` skips that component. */
const providedBy = new WeakMap<object, Client>();

/** Provides a client, which the application closes, to this component and those below it. */
export function provideSluice(client: Client): Client;
/**
 * Provides a client with a connection to this component and those below it. The connection is open
 * while this component is mounted. Call it in `setup`.
 */
export function provideSluice(url: Address, options?: ConnectOptions): Client;
export function provideSluice(target: Client | Address, options?: ConnectOptions): Client {
  const client = toClient(target, options);
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
 * @param topic - Topic, ref or getter; undefined for no subscription.
 */
export function useMessages<Kind extends PayloadKind = PayloadKind>(
  topic: MaybeRefOrGetter<string | undefined>,
  options: MaybeRefOrGetter<ViewOptions<Kind>> = {},
): MessageRefs<Kind> {
  const window = new ViewWindow<Kind>(useSluice(), show);
  const view = shallowRef(EMPTY_VIEW as MessageView<Kind>);
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
  return {
    messages: computed(() => view.value.messages),
    message: computed(() => view.value.message),
    payload: computed(() => view.value.payload),
    state: computed(() => view.value.state),
    gap: computed(() => view.value.gap),
    error: computed(() => view.value.error),
  };
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

/**
 * Returns the latest gap of any subscription of the client, undefined before the first one. The
 * application may reset it to undefined, for example when a notice is dismissed.
 */
export function useGap(): ShallowRef<Gap | undefined> {
  const client = useSluice();
  const latest = shallowRef<Gap>();
  watchPostEffect((onCleanup) => {
    onCleanup(
      client.on("gap", (gap) => {
        latest.value = gap;
      }),
    );
  });
  return latest;
}
