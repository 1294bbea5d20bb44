import type { ClientEvents } from "../engine/client-events.js";
import type { ClockOffset } from "../engine/clock.js";
import { SluiceError } from "../engine/errors.js";
import type { ReceivedMessage } from "../engine/message.js";
import type { ConnectOptions, Transport } from "../engine/options.js";
import { MAX_IDS, type Position } from "../engine/position.js";
import type { Publication } from "../engine/publish-options.js";
import { errorAt } from "../queues/queue-error.js";
import type { ConnectionState } from "../engine/state.js";
import type { SubscribeSettings } from "../engine/subscribe-options.js";
import type { Gap, SubscriptionState } from "../engine/subscription-state.js";

/** Error as sent over a port, which preserves only plain data. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly topic: string | undefined;
  readonly queue: string | undefined;
  readonly cause: string | undefined;
}

/** State with a plain error. */
type Plain<State> = State extends { readonly error: unknown }
  ? Omit<State, "error"> & { readonly error: PlainError | Extract<State["error"], undefined> }
  : State;
export type PlainConnectionState = Plain<ConnectionState>;
export type PlainSubscriptionState = Plain<SubscriptionState>;

/** Connection events that are forwarded unchanged to every tab. */
export type ForwardedEvent = "hello" | "stale" | "live" | "draining" | "moved" | "identity-changed";

/** Message from a tab to the worker. `id` is a number chosen by the tab. */
export type TabMessage =
  | {
      readonly type: "open";
      /** Name of a Web Lock that the tab holds until it ends. */
      readonly lock: string;
      readonly urls: readonly string[];
      /** Options without functions. */
      readonly options: Omit<ConnectOptions, "token"> & { readonly token?: string };
      /** True if the worker can request a credential from the tab. */
      readonly asksForToken: boolean;
      /** Sharing scope; tabs with other values share nothing. */
      readonly share: string;
      /** User of the tab; those of other users share nothing with it. */
      readonly identity: string | undefined;
    }
  | {
      readonly type: "subscribe";
      readonly id: number;
      readonly topic: string;
      readonly settings: SubscribeSettings;
    }
  | { readonly type: "unsubscribe"; readonly id: number }
  | {
      readonly type: "publish";
      readonly id: number;
      readonly publication: Publication;
      /** Subject that the tab shows; undefined if it is unknown. */
      readonly subject: string | undefined;
    }
  | { readonly type: "token"; readonly id: number; readonly token: string }
  | { readonly type: "no-token"; readonly id: number; readonly error: PlainError }
  /** Acknowledges this number of further messages. */
  | { readonly type: "heard"; readonly count: number }
  | { readonly type: "retry" }
  | { readonly type: "close" };

/** Position that includes everything sent before it on the port. */
export interface PositionUpdate {
  readonly id: number;
  readonly position: Position | undefined;
}

/** Message from the worker to a tab. */
export type WorkerMessage =
  /** First message: the name of a Web Lock that the worker holds until it ends. */
  | { readonly type: "worker"; readonly lock: string }
  | {
      readonly type: "state";
      readonly state: PlainConnectionState;
      readonly transport: Transport | undefined;
    }
  | { readonly type: "transport"; readonly transport: Transport | undefined }
  | { readonly type: "clock"; readonly clockOffset: ClockOffset | undefined }
  | {
      readonly type: "event";
      readonly name: ForwardedEvent;
      readonly event: ClientEvents[ForwardedEvent];
    }
  | { readonly type: "error"; readonly error: PlainError }
  /**
   * Has a position, possibly undefined, if {@link advancePosition} does not yield it in the tab.
   */
  | {
      readonly type: "message";
      readonly id: number;
      /** Source of the tab's message object, because a port drops getters. */
      readonly message: ReceivedMessage;
      readonly position?: Position | undefined;
      /** The position has the highest id of each partition. */
      readonly isOrdered?: true;
    }
  | (PositionUpdate & { readonly type: "moved" })
  | (PositionUpdate & { readonly type: "gap"; readonly gap: Gap })
  | (PositionUpdate & {
      readonly type: "subscription-state";
      readonly state: PlainSubscriptionState;
    })
  | { readonly type: "refused"; readonly id: number; readonly error: PlainError }
  | { readonly type: "published"; readonly id: number }
  | { readonly type: "not-published"; readonly id: number; readonly error: PlainError }
  | { readonly type: "ask-token"; readonly id: number };

/** Number of messages after which a tab acknowledges. */
export const ACK_INTERVAL = 1_000;

const POSITION_IDS = 8;
const PARTITION_DIGITS = 4;

/**
 * Returns the position after a live message. A position is larger than most messages, so a message
 * is sent without it wherever this function yields it; the worker checks that.
 *
 * @param isOrdered - Whether the source has offsets.
 */
export function advancePosition(
  position: Position | undefined,
  message: ReceivedMessage,
  isOrdered = false,
): Position | undefined {
  if (!position) return undefined;
  const key = isOrdered ? message.id.slice(0, PARTITION_DIGITS) : message.id;
  const known = position.ids ?? [];
  const others = known.filter((id) => !id.startsWith(key));
  const replaced = known.find((id) => id.startsWith(key)) ?? "";
  const highest = replaced > message.id ? replaced : message.id;
  const ids = [...others, highest].slice(isOrdered ? -MAX_IDS : -POSITION_IDS);
  return { ...position, offset: message.offset, ids };
}

/** Returns whether two positions are equal. */
export function isSame(one: Position | undefined, other: Position | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.epoch === other.epoch &&
    one.offset === other.offset &&
    one.since === other.since &&
    one.time === other.time &&
    String(one.ids) === String(other.ids)
  );
}

/** Returns the plain form of an error. */
export function toPlain(error: SluiceError): PlainError {
  const { code, message, topic, queue, cause } = error;
  return { code, message, topic, queue, cause: cause === undefined ? undefined : textOf(cause) };
}

/** Returns the plain form of any thrown value. */
export function thrownToPlain(thrown: unknown): PlainError {
  if (thrown instanceof SluiceError) return toPlain(thrown);
  const message = textOf(thrown);
  return { code: "internal", message, topic: undefined, queue: undefined, cause: undefined };
}

/** Returns the error for the application. */
export function fromPlain({ code, message, topic, queue, cause }: PlainError): SluiceError {
  return errorAt({ topic, queue }, code, message, cause);
}

/** Returns the message of any thrown value. */
function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
