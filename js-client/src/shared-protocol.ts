import type { ClientEvents } from "./client-events.js";
import type { ClockOffset } from "./clock.js";
import { SluiceError } from "./errors.js";
import type { Properties, ReceivedMessage } from "./message.js";
import type { ConnectOptions, Transport } from "./options.js";
import type { Position } from "./position.js";
import type { ConnectionState } from "./state.js";
import type { SubscribeSettings } from "./subscribe-options.js";
import type { Gap, SubscriptionState } from "./subscription-state.js";

/** An error as it crosses a port, where only plain data keeps its members. */
export interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly topic: string | undefined;
  readonly cause: string | undefined;
}

/** A state whose error is plain. */
type Plain<State> = State extends { readonly error: unknown }
  ? Omit<State, "error"> & { readonly error: PlainError | Extract<State["error"], undefined> }
  : State;
export type PlainConnectionState = Plain<ConnectionState>;
export type PlainSubscriptionState = Plain<SubscriptionState>;

/** Events of the connection that every tab is told of as they are. */
export type ToldEvent = "hello" | "stale" | "live" | "draining" | "moved";

/** What a tab says to the worker. `id` is a number that the tab chooses. */
export type TabMessage =
  | {
      readonly type: "open";
      /** The name of a Web Lock that the tab holds for as long as it lives. */
      readonly lock: string;
      readonly urls: readonly string[];
      /** Without functions. */
      readonly options: Omit<ConnectOptions, "token"> & { readonly token?: string };
      /** The tab can be asked for a credential. */
      readonly asksForToken: boolean;
      /** Tabs with another value share nothing. */
      readonly share: string;
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
      readonly topic: string;
      readonly payload: string | Uint8Array;
      readonly properties: Properties | undefined;
    }
  | { readonly type: "token"; readonly id: number; readonly token: string }
  | { readonly type: "no-token"; readonly id: number; readonly error: PlainError }
  /** So many more messages have reached the tab. */
  | { readonly type: "heard"; readonly count: number }
  | { readonly type: "retry" }
  | { readonly type: "close" };

/** What of the port's order a position needs: it holds behind everything that was told before it. */
export interface Told {
  readonly id: number;
  readonly position: Position | undefined;
}

/** What the worker says to a tab. */
export type WorkerMessage =
  /** The first: the name of a Web Lock that the worker holds for as long as it lives. */
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
      readonly name: ToldEvent;
      readonly event: ClientEvents[ToldEvent];
    }
  | { readonly type: "error"; readonly error: PlainError }
  /** With a position, which may be undefined, where the tab does not find it by {@link follow}. */
  | {
      readonly type: "message";
      readonly id: number;
      /** What it is made anew from, because a port leaves out getters. */
      readonly message: ReceivedMessage;
      readonly position?: Position | undefined;
    }
  | (Told & { readonly type: "moved" })
  | (Told & { readonly type: "gap"; readonly gap: Gap })
  | (Told & { readonly type: "subscription-state"; readonly state: PlainSubscriptionState })
  | { readonly type: "refused"; readonly id: number; readonly error: PlainError }
  | { readonly type: "published"; readonly id: number }
  | { readonly type: "not-published"; readonly id: number; readonly error: PlainError }
  | { readonly type: "ask-token"; readonly id: number };

/** A tab says that it has heard messages each time it has heard so many. */
export const HEARD_EVERY = 1_000;

const KEPT_IDS = 8;

/**
 * Where a subscription at a position stands after a live message. A message crosses the port without
 * its position, which is larger than most messages, wherever this finds it; the worker looks.
 */
export function follow(
  position: Position | undefined,
  message: ReceivedMessage,
): Position | undefined {
  if (!position) return undefined;
  const others = position.ids?.filter((id) => id !== message.id) ?? [];
  const ids = [...others, message.id].slice(-KEPT_IDS);
  return { ...position, offset: message.offset, ids };
}

/** Whether two positions say the same. */
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

/** An error made plain. */
export function toPlain(error: SluiceError): PlainError {
  const { code, message, topic, cause } = error;
  return { code, message, topic, cause: cause === undefined ? undefined : textOf(cause) };
}

/** Whatever was thrown, made plain. */
export function thrownToPlain(thrown: unknown): PlainError {
  if (thrown instanceof SluiceError) return toPlain(thrown);
  return { code: "internal", message: textOf(thrown), topic: undefined, cause: undefined };
}

/** An error as the application sees it. */
export function fromPlain({ code, message, topic, cause }: PlainError): SluiceError {
  return new SluiceError(code, message, topic, cause);
}

/** What an error says, whatever it is. */
function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
