import type { Client } from "../engine/client-type.js";
import type { Undo } from "../engine/emitter.js";
import { invalidArgument, type SluiceError } from "../engine/errors.js";
import type { Message } from "../engine/message.js";
import {
  EMPTY,
  MessageWindow,
  type KeyOf,
  type Retention,
  type WindowSnapshot,
} from "./message-window.js";
import { valuesOf } from "./options-key.js";
import type { SubscribeOptions } from "../engine/subscribe-options.js";
import type { Gap, SubscriptionState } from "../engine/subscription-state.js";
import { topicsOf } from "./window-topics.js";

/** Options of a message view: those of the subscription, and the retention. */
export interface ViewOptions<Received = Message> extends SubscribeOptions {
  /**
   * Maximum number of messages, or of keys, 1 to 1,000,000; the oldest ones are removed. Default:
   * 1, the newest message.
   */
  readonly keep?: number | undefined;
  /**
   * Returns the key of a message: only the newest message of each key is retained, at the place of
   * the first one. It must be pure. Above `keep`, the key that has not changed for longest is
   * removed.
   */
  readonly by?: ((message: Received) => unknown) | undefined;
}

/** Payload of a type of messages. */
export type PayloadOf<Received> =
  Received extends Pick<Message, "payload"> ? Received["payload"] : never;

/** Retained messages of a topic or pattern, with the status of their subscription. */
export interface MessageView<Received = Message> {
  /**
   * Retained messages, the newest last; with `by` in the order in which their keys first appeared.
   */
  readonly messages: readonly Received[];
  /** Newest message; undefined before the first one. */
  readonly message: Received | undefined;
  /** Payload of the newest message. */
  readonly payload: PayloadOf<Received> | undefined;
  /** State of the subscription. */
  readonly state: SubscriptionState;
  /** Gap between the retained messages or after the last one: values may be outdated. */
  readonly gap: Gap | undefined;
  /**
   * Error with which the node or the client has refused the subscription, or that of an invalid
   * payload (`invalid-payload`, `bad-payload`) until the next message.
   */
  readonly error: SluiceError | undefined;
}

const MAX_KEEP = 1_000_000;

/** View before the first message. */
export const EMPTY_VIEW = toView(EMPTY);

/**
 * Message view whose topic and options may change. It notifies a component at most once per
 * animation frame, and never within a call.
 */
export class ViewWindow {
  readonly #client: Client;
  readonly #onChange: () => void;
  #key: string | undefined;
  #window: MessageWindow | undefined;
  #leave: Undo | undefined;
  #view = EMPTY_VIEW;

  constructor(client: Client, onChange: () => void) {
    this.#client = client;
    this.#onChange = onChange;
  }

  /** Current view; the same object until the next change. */
  get view(): MessageView<never> {
    return this.#view;
  }

  /**
   * Sets topic and options. Only another topic or other values of the subscription's options
   * replace the subscription.
   *
   * @param topic - Undefined for no subscription.
   * @throws SluiceError `invalid-argument`
   */
  update(topic: string | undefined, options: ViewOptions<never>): void {
    const { keep, by, ...subscribeOptions } = options;
    const retention = toRetention(keep, by);
    const key = JSON.stringify([topic, valuesOf(subscribeOptions)]);
    if (key === this.#key) {
      this.#window?.retain(retention);
      return;
    }
    this.close();
    this.#key = key;
    this.#open(new MessageWindow(topicsOf(this.#client), topic, subscribeOptions, retention));
  }

  /** Ends the subscription; the view remains. */
  close(): void {
    this.#leave?.();
    this.#leave = this.#window = this.#key = undefined;
  }

  #open(window: MessageWindow): void {
    this.#window = window;
    this.#leave = window.subscribe(() => {
      this.#view = toView(window.snapshot());
      this.#onChange();
    });
    this.#view = toView(window.snapshot());
  }
}

/** Returns the retention of options. */
export function toRetention(keep = 1, by: ((message: never) => unknown) | undefined): Retention {
  if (!Number.isInteger(keep) || keep < 1 || keep > MAX_KEEP) {
    throw invalidArgument("keep", "a whole number from 1 to 1000000", keep);
  }
  return { keep, by: by as KeyOf | undefined };
}

/** Returns the view of a window, for messages of any type. */
export function toView({ newest, ...rest }: WindowSnapshot): MessageView<never> {
  return { ...rest, message: newest, payload: newest?.payload } as unknown as MessageView<never>;
}
