/**
 * Reactive values for Svelte 5.7 and later: `@sluice/client/svelte`.
 *
 * @module
 */
import { getContext, onMount, setContext } from "svelte";
import { createSubscriber } from "svelte/reactivity";
import type { Client } from "./client-type.js";
import type { Undo } from "./emitter.js";
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

/** Value that is reactive where an effect or a template reads it. */
export interface Current<Value> {
  /** Current value. */
  readonly current: Value;
}

const KEY = Symbol("sluice");

/** Provides a client, which the application closes, to this component and those below it. */
export function setSluice(client: Client): Client;
/**
 * Provides a client with a connection to this component and those below it. The connection is open
 * while this component is mounted. Call it during initialization of the component.
 */
export function setSluice(url: Address, options?: ConnectOptions): Client;
export function setSluice(target: Client | Address, options?: ConnectOptions): Client {
  const client = setContext(KEY, toClient(target, options));
  onMount(() => retain(client));
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
 * @param topic - Topic, or a function that returns it; undefined for no subscription.
 */
export function messages<Kind extends PayloadKind = PayloadKind>(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<Kind>> = {},
): Current<MessageView<Kind>> {
  const client = getSluice();
  let window: ViewWindow<Kind> | undefined;
  const track = createSubscriber((update) => {
    const opened = new ViewWindow<Kind>(client, update);
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
      return window?.view ?? (EMPTY_VIEW as MessageView<Kind>);
    },
  };
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

function subscribed<Value>(start: (update: () => void) => Undo, read: () => Value): Current<Value> {
  const track = createSubscriber(start);
  return {
    get current() {
      track();
      return read();
    },
  };
}
