/**
 * Primitives for Solid 1.6 and later: `@sluice/client/solid`.
 *
 * @module
 */
import {
  createComponent,
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
import type { Client } from "./client-type.js";
import { valueOf, type MaybeGetter } from "./maybe-getter.js";
import type { PayloadKind } from "./message.js";
import { EMPTY_VIEW, ViewWindow, type MessageView, type ViewOptions } from "./message-view.js";
import type { Address, ConnectOptions } from "./options.js";
import { retain, toClient } from "./provided-client.js";
import type { ConnectionState } from "./state.js";
import type { Gap } from "./subscription-state.js";

export type { Client } from "./client-type.js";
export type { MaybeGetter } from "./maybe-getter.js";
export type { MessageView, ViewOptions } from "./message-view.js";

/** Properties of {@link SluiceProvider}: a client, or the arguments to create one. */
export type SluiceProviderProps = (
  | {
      /** Client to provide; the provider does not close it. */
      readonly client: Client;
    }
  | {
      /** Endpoint of the node, such as `wss://example.com/ws`, or several; read once. */
      readonly url: Address;
      /** Options of `connect`, read once. */
      readonly options?: ConnectOptions | undefined;
    }
) & {
  /** Components that use the client. */
  readonly children?: JSX.Element;
};

const SluiceContext = createContext<Client>();

/** Provides the client; a client that it creates has a connection while it is mounted. */
export function SluiceProvider(props: SluiceProviderProps): JSX.Element {
  const client = untrack(() =>
    "client" in props ? props.client : toClient(props.url, props.options),
  );
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
 * @param topic - Topic or accessor; undefined for no subscription.
 */
export function createMessages<Kind extends PayloadKind = PayloadKind>(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<Kind>> = {},
): MessageView<Kind> {
  const [view, setView] = createSignal(EMPTY_VIEW as MessageView<Kind>);
  const window = new ViewWindow<Kind>(useSluice(), show);
  function show(): void {
    setView(window.view);
  }
  // Runs after rendering, and not on a server.
  createEffect(() => {
    const [nowTopic, nowOptions] = [valueOf(topic), valueOf(options)];
    untrack(() => {
      window.update(nowTopic, nowOptions);
      show();
    });
  });
  onCleanup(() => {
    window.close();
  });
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

function toReactive<Kind extends PayloadKind>(
  view: Accessor<MessageView<Kind>>,
): MessageView<Kind> {
  return {
    get messages() {
      return view().messages;
    },
    get message() {
      return view().message;
    },
    get payload() {
      return view().payload;
    },
    get state() {
      return view().state;
    },
    get gap() {
      return view().gap;
    },
    get error() {
      return view().error;
    },
  };
}
