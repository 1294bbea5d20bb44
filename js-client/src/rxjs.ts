/**
 * Cold observables for RxJS 7.2 and later: `@sluice/client/rxjs`. Each subscriber has its own
 * subscription, which ends with it. A closed client completes them, or fails them with its error.
 * Libraries that accept `Symbol.observable` can consume them.
 *
 * @module
 */
import { Observable, type Subscriber } from "rxjs";
import type { Client } from "./engine/client-type.js";
import { ViewWindow, type MessageView, type ViewOptions } from "./bindings/message-view.js";
import type {
  BindingTypes,
  ClientMessagesFunction,
  MessagesFunction,
} from "./bindings/messages-function.js";
import {
  PresenceWindow,
  type PresenceView,
  type PresenceViewOptions,
} from "./bindings/presence-view.js";
import type { ConnectionState } from "./engine/state.js";
import type { SubscribeOptions } from "./engine/subscribe-options.js";
import type { Gap } from "./engine/subscription-state.js";
import type { TopicsIn } from "./engine/typed-client.js";

export type { Client } from "./engine/client-type.js";
export type { MessageView, PayloadOf, ViewOptions } from "./bindings/message-view.js";
export type {
  BindingTypes,
  ClientMessagesFunction,
  MessagesFunction,
} from "./bindings/messages-function.js";
export type { PresenceView, PresenceViewOptions } from "./bindings/presence-view.js";

/** Types of {@link messages$}. */
export interface MessagesTypes extends BindingTypes {
  /** A value. */
  readonly argument: this["of"];
  /** Options of `subscribe`. */
  readonly options: SubscribeOptions;
  /** Observable of the messages. */
  readonly result: Observable<this["of"]>;
}

/** Types of {@link views$}. */
export interface ViewsTypes extends BindingTypes {
  /** A value. */
  readonly argument: this["of"];
  /** Options with the retention. */
  readonly options: ViewOptions<this["of"]>;
  /** Observable of the views. */
  readonly result: Observable<MessageView<this["of"]>>;
}

/**
 * Emits each message of a topic or pattern; none without a topic (undefined). Fails with the error of
 * a refused subscription. The client's `error` event reports invalid payloads.
 *
 * @function
 */
export const messages$: ClientMessagesFunction<MessagesTypes> = (
  client: Client,
  topic: string | undefined,
  options: SubscribeOptions = {},
): Observable<never> =>
  new Observable<never>((subscriber) => {
    endWith(client, subscriber);
    if (topic === undefined || subscriber.closed) return;
    const subscription = client.subscribe(
      topic,
      {
        onMessage: (message) => {
          subscriber.next(message as never);
        },
        onState: (state) => {
          if (state.status === "refused") subscriber.error(state.error);
        },
      },
      options,
    );
    subscriber.add(subscription.unsubscribe);
  });

/**
 * Emits the latest messages of a topic or pattern, or the newest of each key, together with state,
 * gap and error: at once, and at most once per animation frame. Views with the same topic and
 * options share a subscription. Without a topic (undefined) there is none.
 *
 * @function
 */
export const views$: ClientMessagesFunction<ViewsTypes> = (
  client: Client,
  topic: string | undefined,
  options: ViewOptions<never> = {},
): Observable<MessageView<never>> =>
  new Observable((subscriber) => {
    const window = new ViewWindow(client, () => {
      subscriber.next(window.view);
    });
    subscriber.add(() => {
      window.close();
    });
    window.update(topic, options);
    subscriber.next(window.view);
    endWith(client, subscriber);
  });

/**
 * Enters a topic, or watches it, and emits its members: at once, and after each change.
 *
 * @param topic - Undefined for no topic.
 */
export function presence$(
  client: Client,
  topic: string | undefined,
  options: PresenceViewOptions = {},
): Observable<PresenceView> {
  return new Observable((subscriber) => {
    const window = new PresenceWindow(client, (view) => {
      subscriber.next(view);
    });
    subscriber.add(() => {
      window.close();
    });
    window.update(topic, options);
    subscriber.next(window.view);
    endWith(client, subscriber);
  });
}

/** Emits the connection state and its changes; completes after `closed`. */
export function connection$(client: Client): Observable<ConnectionState> {
  return new Observable((subscriber) => {
    const emit = (state: ConnectionState): void => {
      subscriber.next(state);
      if (state.status === "closed") subscriber.complete();
    };
    subscriber.add(client.on("state", emit));
    emit(client.state);
  });
}

/**
 * Emits the gaps of the client's subscriptions.
 *
 * @param topic - Only gaps of this topic or pattern; default: all.
 */
export function gaps$(client: Client, topic?: string): Observable<Gap> {
  return new Observable((subscriber) => {
    subscriber.add(
      client.on("gap", (gap) => {
        if (topic === undefined || gap.topic === topic) subscriber.next(gap);
      }),
    );
    endWith(client, subscriber);
  });
}

/** Emits the latest gap of a client, and undefined at first and when it is dismissed. */
export type LatestGap = Observable<Gap | undefined> & {
  /** Emits undefined to all subscribers, until the next gap. */
  readonly dismiss: () => void;
};

/** Returns the latest gap of the client's subscriptions since it was subscribed to. */
export function gap$(client: Client): LatestGap {
  const dismissed = new Set<Subscriber<Gap | undefined>>();
  const observable = new Observable<Gap | undefined>((subscriber) => {
    dismissed.add(subscriber);
    subscriber.add(() => dismissed.delete(subscriber));
    subscriber.next(undefined);
    subscriber.add(gaps$(client).subscribe(subscriber));
  });
  const dismiss = (): void => {
    for (const subscriber of dismissed) subscriber.next(undefined);
  };
  return Object.assign(observable, { dismiss });
}

/** Functions of one client with the types of its topic map. */
export interface Observables<Topics extends object> {
  /** See {@link messages$}. */
  readonly messages$: MessagesFunction<MessagesTypes, Topics>;
  /** See {@link views$}. */
  readonly views$: MessagesFunction<ViewsTypes, Topics>;
  /** See {@link connection$}. */
  readonly connection$: () => Observable<ConnectionState>;
  /** See {@link gap$}. */
  readonly gap$: () => LatestGap;
  /** See {@link gaps$}. */
  readonly gaps$: (topic?: string) => Observable<Gap>;
  /** See {@link presence$}. */
  readonly presence$: (
    topic: string | undefined,
    options?: PresenceViewOptions,
  ) => Observable<PresenceView>;
}

/** Returns the functions of this module for a client, whose topic map determines their types. */
export function createObservables<Used extends Client>(client: Used): Observables<TopicsIn<Used>> {
  const functions = { messages$, views$, connection$, gap$, gaps$, presence$ };
  const entries = Object.entries(functions) as [string, (...all: unknown[]) => unknown][];
  return Object.fromEntries(
    entries.map(([name, call]) => [name, (...rest: unknown[]) => call(client, ...rest)]),
  ) as never;
}

/** Ends a subscriber with the client, at once if that is closed. */
function endWith(client: Client, subscriber: Subscriber<never>): void {
  const onState = (state: ConnectionState): void => {
    if (state.status !== "closed") return;
    if (state.error) subscriber.error(state.error);
    else subscriber.complete();
  };
  subscriber.add(client.on("state", onState));
  onState(client.state);
}
