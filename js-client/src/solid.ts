/**
 * Primitives for Solid 1.6 and later: `@sluice/client/solid`.
 *
 * @module
 */
import {
  createComponent,
  createComputed,
  createContext,
  createEffect,
  createSignal,
  onCleanup,
  onMount,
  untrack,
  useContext,
  type Accessor,
  type JSX,
} from "solid-js";
import type { Client } from "./engine/client-type.js";
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
import type { Identified } from "./bindings/provider-options.js";
import type { ConnectionState } from "./engine/state.js";
import type { Gap } from "./engine/subscription-state.js";
import type { TypedClient } from "./engine/typed-client.js";
import type { Windowed } from "./bindings/view-members.js";

export type { Client } from "./engine/client-type.js";
export type { MaybeGetter } from "./bindings/maybe-getter.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
export type { FixedOptions, Identified } from "./bindings/provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";

/** Properties of {@link SluiceProvider}: a client, or the arguments to create one. */
export type SluiceProviderProps = (
  | {
      /** Client to provide; the provider does not close it. */
      readonly client: Client;
    }
  | (Identified & {
      /** Endpoint of the node, such as `wss://example.com/ws`, or several; read once. */
      readonly url: Address;
    })
) & {
  /** Components that use the client. */
  readonly children?: JSX.Element;
};

/** Types of {@link createMessages}. */
export interface MessagesTypes extends BindingTypes {
  /** A value or an accessor. */
  readonly argument: MaybeGetter<this["of"]>;
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** View with reactive members. */
  readonly result: MessageView<this["of"]>;
}

const SluiceContext = createContext<Client>();

/**
 * Provides the client; a client that it creates has a connection while it is mounted. `options` are
 * read once. Another `identity` ends the session; see the event `identity-changed`.
 */
export function SluiceProvider(props: SluiceProviderProps): JSX.Element {
  const client = untrack(() =>
    "client" in props ? props.client : toClient(props.url, props.options ?? {}, props.identity),
  );
  createComputed(() => {
    if ("url" in props) updateIdentity(client, props.identity);
  });
  onMount(() => {
    onCleanup(retain(client));
  });
  return createComponent(SluiceContext.Provider, {
    value: client,
    get children() {
      return props.children;
    },
  });
}

/**
 * Returns the client of the nearest {@link SluiceProvider}.
 *
 * @throws Error if there is none
 */
export function useSluice(): Client {
  const client = useContext(SluiceContext);
  if (!client) throw new Error("useSluice requires a SluiceProvider above the component");
  return client;
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key, as an object with
 * reactive members; do not destructure it. They change at most once a frame, at any message rate,
 * and always end up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others.
 *
 * Topic and options are values or accessors; without a topic (undefined) there is no subscription.
 *
 * @function
 */
export const createMessages: MessagesFunction<MessagesTypes> = (
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<never>> = {},
): MessageView<never> => {
  const [view, setView] = createSignal(EMPTY_VIEW);
  const window = new ViewWindow(useSluice(), () => setView(window.view));
  followArguments(window, topic, options, setView);
  return toReactive(view);
};

/**
 * Enters a topic, or watches it, while the owner exists, and returns its members as an object with
 * reactive members; do not destructure it. Another `info` is sent without leaving.
 *
 * @param topic - Topic or accessor; undefined for no topic.
 */
export function createPresence(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<PresenceViewOptions> = {},
): PresenceView {
  const [view, setView] = createSignal(EMPTY_PRESENCE);
  const window = new PresenceWindow(useSluice(), setView);
  followArguments(window, topic, options, setView);
  return toReactive(view);
}

/** Returns the connection state. */
export function createConnection(): Accessor<ConnectionState> {
  const client = useSluice();
  const [state, setState] = createSignal(client.state);
  onMount(() => {
    onCleanup(client.on("state", setState));
    setState(client.state);
  });
  return state;
}

/** Accessor of the latest gap, and a function that dismisses it. */
export type GapAccessor = Accessor<Gap | undefined> & {
  /** Resets the gap to undefined until the next one. */
  readonly dismiss: () => void;
};

/** Returns the latest gap of any subscription of the client, undefined before the first one. */
export function createGap(): GapAccessor {
  const client = useSluice();
  const [latest, setLatest] = createSignal<Gap>();
  onMount(() => {
    onCleanup(client.on("gap", setLatest));
  });
  const dismiss = (): void => {
    setLatest();
  };
  return Object.assign(() => latest(), { dismiss });
}

/** Primitives with the types of a topic map, as returned by {@link createPrimitives}. */
export interface TypedPrimitives<Topics extends object> {
  /** See {@link createMessages}. */
  readonly createMessages: MessagesFunction<MessagesTypes, Topics>;
  /** See {@link useSluice}. */
  readonly useSluice: () => TypedClient<Topics>;
  /** See {@link createConnection}. */
  readonly createConnection: typeof createConnection;
  /** See {@link createGap}. */
  readonly createGap: typeof createGap;
  /** See {@link createPresence}. */
  readonly createPresence: typeof createPresence;
}

/**
 * Returns the primitives of this module with the types of a topic map, which is that of the
 * provided client. Call it once, outside of components.
 */
export function createPrimitives<Topics extends object>(): TypedPrimitives<Topics> {
  return { createMessages, useSluice, createConnection, createGap, createPresence } as never;
}

function followArguments<View, Options extends object>(
  window: Windowed<View, Options>,
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<Options>,
  show: (view: View) => void,
): void {
  // Runs after rendering, and not on a server.
  createEffect(() => {
    const [nowTopic, nowOptions] = [valueOf(topic), valueOf(options)];
    untrack(() => {
      window.update(nowTopic, nowOptions);
      show(window.view);
    });
  });
  onCleanup(() => {
    window.close();
  });
}

function toReactive<View extends object>(view: Accessor<View>): View {
  const reactive = {};
  for (const name of Object.keys(untrack(view)) as (keyof View)[]) {
    Object.defineProperty(reactive, name, { get: () => view()[name], enumerable: true });
  }
  return reactive as View;
}
