import type { ClientEmitter } from "./client-events.js";
import type { Undo } from "./emitter.js";
import { SluiceError } from "./errors.js";
import type { Message } from "./message.js";
import { iterateOver } from "./loop.js";
import type { LoopAttachment, LoopHost } from "./messages.js";
import { checkSubscribe, type MessagesOptions } from "./messages-options.js";
import type { Attachment } from "./observed-topic.js";
import {
  isHandler,
  toObserver,
  type MessageHandler,
  type Subscription,
  type EngineObserver,
  type SubscriptionObserver,
} from "./observer.js";
import type { From, Position } from "./position.js";
import { receiving } from "./received.js";
import type { SubscribeOptions, SubscribeSettings } from "./subscribe-options.js";
import { pending, type SubscriptionState } from "./subscription-state.js";
import type { SchemaMap } from "./topic-map.js";

/** Client as used by its subscriptions. */
export interface SubscriptionClient {
  /** Adds an observer to a topic; throws if the client is closed. */
  readonly add: (
    topic: string,
    observer: SubscriptionObserver,
    settings: SubscribeSettings,
  ) => Attachment;
  readonly events: ClientEmitter;
  readonly schemas: SchemaMap | undefined;
}

/** Checks the arguments of subscribe and returns the subscription. */
export function openSubscription(
  { add, events, schemas }: SubscriptionClient,
  topic: string,
  handler: MessageHandler<never> | MessagesOptions | undefined,
  rest: SubscribeOptions = {},
): Subscription<never> {
  const observer = isHandler(handler) && toObserver(handler as MessageHandler);
  const options = observer ? rest : ((handler ?? rest) as MessagesOptions);
  const settings = checkSubscribe(topic, options);
  const { signal } = options;
  /** Functions that end an observer, with those to call when the whole subscription ends. */
  const ends = new Map<Undo, Undo | undefined>();
  let source: Attachment["source"] | undefined;
  let positionOf: (() => Position | undefined) | undefined;
  /** State since the end. */
  let final: SubscriptionState | undefined;

  const unsubscribe = (): void => {
    final ??= { status: "closed" };
    signal?.removeEventListener("abort", unsubscribe);
    for (const [end, onEnd] of ends) {
      ends.delete(end);
      end();
      onEnd?.();
    }
  };
  const attach = (received: EngineObserver, from?: From, onEnd?: Undo): LoopAttachment => {
    const sourcePosition = (): Position | undefined => attachment.source.position;
    const fail = (error: SluiceError): void => {
      final = { status: "refused", error };
      events.call(received.onState, final);
      if (!events.call(received.onError, error)) events.report(error);
      unsubscribe();
    };
    const engine = receiving(topic, received, options, schemas, events, sourcePosition, fail);
    const attachment = add(topic, engine, { ...settings, from });
    const end = (): void => {
      attachment.end();
      engine.onEnd?.();
    };
    source ??= attachment.source;
    positionOf ??= received.positionOf ?? engine.positionOf;
    ends.set(end, onEnd);
    if (final || signal?.aborted) unsubscribe();
    else signal?.addEventListener("abort", unsubscribe);
    const detach = (): void => {
      if (ends.delete(end)) end();
    };
    return [detach, engine.positionOf];
  };
  // Loops over the messages of a handler begin now, others at the requested start.
  const from = observer ? undefined : settings.from;
  const loops: LoopHost = {
    topic,
    options,
    events,
    attach: (received, onEnd) => attach(received, from, onEnd),
    onFinished: () => {
      if (!observer) unsubscribe();
    },
  };

  if (observer) attach(observer, settings.from);
  const { dispose } = Symbol as { readonly dispose?: symbol };
  const messages = (): AsyncGenerator<Message, void, undefined> => iterateOver(loops);
  const once = async (): Promise<Message> => {
    for await (const message of messages()) return message;
    throw new SluiceError("closed", "the subscription has ended", topic);
  };
  return Object.defineProperties({} as Subscription<never>, {
    topic: { value: topic },
    position: { get: () => positionOf?.() },
    state: { get: () => final ?? source?.state ?? pending },
    unsubscribe: { value: unsubscribe },
    once: { value: once },
    [Symbol.asyncIterator]: { value: messages },
    ...(dispose && { [dispose]: { value: unsubscribe } }),
  });
}
