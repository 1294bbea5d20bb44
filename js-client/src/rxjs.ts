/**
 * Cold observables for RxJS 7.2 and later: `@sluice/client/rxjs`. Each subscriber has its own
 * subscription, which ends with it. A closed client completes them, or fails them with its error.
 * Libraries that accept `Symbol.observable` can consume them.
 *
 * @module
 */
import { Observable, type Subscriber } from "rxjs";
import type { Client } from "./client-type.js";
import type { Message, PayloadKind } from "./message.js";
import { ViewWindow, type MessageView, type ViewOptions } from "./message-view.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeOptions } from "./subscribe-options.js";
import type { Gap } from "./subscription-state.js";

export type { Client } from "./client-type.js";
export type { MessageView, ViewOptions } from "./message-view.js";

/**
 * Emits each message of a topic or pattern. Fails with the error of a refused subscription. The
 * client's `error` event reports payloads that cannot be converted.
 */
export function messages$<Kind extends PayloadKind = PayloadKind>(
  client: Client,
  topic: string,
  options: SubscribeOptions & { readonly payload?: Kind | undefined } = {},
): Observable<Message<Kind>> {
  return new Observable((subscriber) => {
    endWith(client, subscriber);
    const subscription = client.subscribe(
      topic,
      {
        onMessage: (message) => {
          subscriber.next(message as Message<Kind>);
        },
        onState: (state) => {
          if (state.status === "refused") subscriber.error(state.error);
        },
      },
      options,
    );
    subscriber.add(subscription.unsubscribe);
  });
}

/**
 * Emits the latest messages of a topic or pattern, or the newest of each key, together with state,
 * gap and error: at once, and at most once per animation frame. Views with the same topic and
 * options share a subscription.
 *
 * @param topic - Undefined for no subscription.
 */
export function views$<Kind extends PayloadKind = PayloadKind>(
  client: Client,
  topic: string | undefined,
  options: ViewOptions<Kind> = {},
): Observable<MessageView<Kind>> {
  return new Observable((subscriber) => {
    const window = new ViewWindow<Kind>(client, () => {
      subscriber.next(window.view);
    });
    subscriber.add(() => {
      window.close();
    });
    endWith(client, subscriber);
    window.update(topic, options);
    subscriber.next(window.view);
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

function endWith(client: Client, subscriber: Subscriber<never>): void {
  subscriber.add(
    client.on("state", (state) => {
      if (state.status !== "closed") return;
      if (state.error) subscriber.error(state.error);
      else subscriber.complete();
    }),
  );
}
