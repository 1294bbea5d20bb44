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

/** Members of a {@link MessageView} as signals. */
export type MessageSignals<Kind extends PayloadKind = PayloadKind> = {
  readonly [Name in keyof MessageView<Kind>]: Signal<MessageView<Kind>[Name]>;
};

const SLUICE = new InjectionToken<Client>("sluice");

/** Provides a client, which the application closes. */
export function provideSluice(client: Client): EnvironmentProviders;
/**
 * Provides a client with a connection, which opens when the client is first injected and closes
 * with the application.
 *
 * @param options - Options of `connect`, or a function that returns them and may call `inject`.
 */
export function provideSluice(
  url: Address,
  options?: ConnectOptions | (() => ConnectOptions),
): EnvironmentProviders;
export function provideSluice(
  target: Client | Address,
  options: ConnectOptions | (() => ConnectOptions) = {},
): EnvironmentProviders {
  const useFactory = (): Client => {
    const client = toClient(target, valueOf(options));
    if (!isServer()) inject(DestroyRef).onDestroy(retain(client));
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
 * @param topic - Topic, or a signal or function that returns it; undefined for no subscription.
 */
export function injectMessages<Kind extends PayloadKind = PayloadKind>(
  topic: MaybeGetter<string | undefined>,
  options: MaybeGetter<ViewOptions<Kind>> = {},
): MessageSignals<Kind> {
  const view = signal(EMPTY_VIEW as MessageView<Kind>);
  const window = new ViewWindow<Kind>(injectSluice(), () => {
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
  return {
    messages: computed(() => view().messages),
    message: computed(() => view().message),
    payload: computed(() => view().payload),
    state: computed(() => view().state),
    gap: computed(() => view().gap),
    error: computed(() => view().error),
  };
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

function isServer(): boolean {
  return (inject(PLATFORM_ID) as unknown) === "server";
}
