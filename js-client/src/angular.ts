/**
 * Signals for Angular 20 and later: `@sluice/client/angular`.
 *
 * @module
 */
import {
  computed,
  DestroyRef,
  effect,
  inject,
  InjectionToken,
  makeEnvironmentProviders,
  PLATFORM_ID,
  signal,
  untracked,
  type EnvironmentProviders,
  type Signal,
} from "@angular/core";
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
import type { WithIdentity } from "./bindings/provider-options.js";
import type { ConnectionState } from "./engine/state.js";
import type { Gap } from "./engine/subscription-state.js";
import type { TypedClient } from "./engine/typed-client.js";
import { mapMembers, type Windowed } from "./bindings/view-members.js";

export type { Client } from "./engine/client-type.js";
export type { MaybeGetter } from "./bindings/maybe-getter.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type { BindingTypes, MessagesFunction } from "./bindings/messages-function.js";
export type { FixedOptions, WithIdentity } from "./bindings/provider-options.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";

/** Members of a view as signals. */
export type ViewSignals<View> = {
  readonly [Name in keyof View]: Signal<View[Name]>;
};

/** Types of {@link injectMessages}. */
export interface MessagesTypes extends BindingTypes {
  /** A value, or a signal or function that returns it. */
  readonly argument: MaybeGetter<this["of"]>;
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** Members of the view as signals. */
  readonly result: ViewSignals<MessageView<this["of"]>>;
}

/** Options of {@link provideSluice}. */
export type ProviderOptions = WithIdentity<MaybeGetter<string>>;

const SLUICE = new InjectionToken<Client>("sluice");

/** Provides a client, which the application closes. */
export function provideSluice(client: Client): EnvironmentProviders;
/**
 * Provides a client with a connection, which opens when the client is first injected and closes
 * with the application.
 *
 * @param options - Options of `connect`, or a function that returns them and may call `inject`. The
 *   user to whom the credential belongs is a value, or a signal or function that returns it. Another
 *   user ends the session; see the event `identity-changed`.
 */
export function provideSluice(
  url: Address,
  options?: MaybeGetter<ProviderOptions>,
): EnvironmentProviders;
export function provideSluice(
  target: Client | Address,
  given: MaybeGetter<ProviderOptions> = {},
): EnvironmentProviders {
  const useFactory = (): Client => {
    const { identity, ...options } = valueOf(given);
    const client = toClient(target, options, valueOf(identity));
    if (!isServer()) {
      effect(() => {
        updateIdentity(client, valueOf(identity));
      });
      inject(DestroyRef).onDestroy(retain(client));
    }
    return client;
  };
  return makeEnvironmentProviders([{ provide: SLUICE, useFactory }]);
}

/** Returns the provided client. Call it in an injection context. */
export function injectSluice(): Client {
  return inject(SLUICE);
}

/**
 * Returns the latest messages of a topic or pattern, or the newest of each key. Call it in an
 * injection context, whose destruction ends the subscription. The signals change at most once a
 * frame, at any message rate, and always end up with the newest message.
 *
 * Components with the same topic and options share a subscription; a later one starts with the
 * messages of the others.
 *
 * Topic and options are values, or signals or functions that return them; without a topic
 * (undefined) there is no subscription.
 *
 * @function
 */
export const injectMessages: MessagesFunction<MessagesTypes> = (
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<never>> = {},
): ViewSignals<MessageView<never>> =>
  injectView(EMPTY_VIEW, topic, options, (client, show) => new ViewWindow(client, show));

/**
 * Enters a topic, or watches it, until the injection context is destroyed, and returns its members.
 * Another `info` is sent without leaving.
 *
 * @param topic - Topic, or a signal or function that returns it; undefined for no topic.
 */
export function injectPresence(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<PresenceViewOptions> = {},
): ViewSignals<PresenceView> {
  return injectView(
    EMPTY_PRESENCE,
    topic,
    options,
    (client, show) => new PresenceWindow(client, show),
  );
}

/** Returns the connection state. Call it in an injection context. */
export function injectConnection(): Signal<ConnectionState> {
  const client = injectSluice();
  const state = signal(client.state);
  if (!isServer()) {
    const stop = client.on("state", (now) => {
      state.set(now);
    });
    inject(DestroyRef).onDestroy(stop);
  }
  return state.asReadonly();
}

/** Signal of the latest gap, and a function that dismisses it. */
export type GapSignal = Signal<Gap | undefined> & {
  /** Resets the gap to undefined until the next one. */
  readonly dismiss: () => void;
};

/**
 * Returns the latest gap of any subscription of the client, undefined before the first one. Call it
 * in an injection context.
 */
export function injectGap(): GapSignal {
  const client = injectSluice();
  const latest = signal<Gap | undefined>(undefined);
  if (!isServer()) {
    const stop = client.on("gap", (gap) => {
      latest.set(gap);
    });
    inject(DestroyRef).onDestroy(stop);
  }
  const dismiss = (): void => {
    latest.set(undefined);
  };
  return Object.assign(latest.asReadonly(), { dismiss });
}

/** Functions with the types of a topic map, as returned by {@link createInjectFunctions}. */
export interface TypedInjectFunctions<Topics extends object> {
  /** See {@link injectMessages}. */
  readonly injectMessages: MessagesFunction<MessagesTypes, Topics>;
  /** See {@link injectSluice}. */
  readonly injectSluice: () => TypedClient<Topics>;
  /** See {@link injectConnection}. */
  readonly injectConnection: typeof injectConnection;
  /** See {@link injectGap}. */
  readonly injectGap: typeof injectGap;
  /** See {@link injectPresence}. */
  readonly injectPresence: typeof injectPresence;
}

/**
 * Returns the functions of this module with the types of a topic map, which is that of the provided
 * client. Call it once, in a module.
 */
export function createInjectFunctions<Topics extends object>(): TypedInjectFunctions<Topics> {
  return { injectMessages, injectSluice, injectConnection, injectGap, injectPresence } as never;
}

function injectView<View extends object, Options extends object>(
  empty: View,
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<Options>,
  open: (client: Client, show: () => void) => Windowed<View, Options>,
): ViewSignals<View> {
  const view = signal(empty);
  const window = open(injectSluice(), () => {
    view.set(window.view);
  });
  // Effects also run on a server.
  if (!isServer()) {
    effect(() => {
      const [nowTopic, nowOptions] = [valueOf(topic), valueOf(options)];
      untracked(() => {
        window.update(nowTopic, nowOptions);
        view.set(window.view);
      });
    });
  }
  inject(DestroyRef).onDestroy(() => {
    window.close();
  });
  return mapMembers(empty, (name) => computed(() => view()[name])) as ViewSignals<View>;
}

function isServer(): boolean {
  return (inject(PLATFORM_ID) as unknown) === "server";
}
