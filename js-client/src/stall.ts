/**
 * Tells of topics that have fallen silent: `@sluice/client/stall`.
 *
 * @module
 */
import { check, checkFunction, checkObject } from "./arguments.js";
import type { Client } from "./client-type.js";
import { systemClock, type Clock } from "./clock.js";
import type { Message } from "./message.js";
import type { Subscription } from "./observer.js";
import { onAbort } from "./signal.js";
import type { SubscribeOptions } from "./subscribe-options.js";

/** How long a subscription has been silent. */
export interface Stall {
  /** Milliseconds since its latest message, or since it began or the connection came back. */
  readonly sinceMs: number;
}

/** What {@link watchStalls} watches for. */
export interface StallOptions {
  /** A silence of so many milliseconds is a stall. */
  readonly stallAfter: number;
  /** Called once for each stall. */
  readonly onStall: (stall: Stall) => void;
  /** Called when messages move again after a stall. */
  readonly onMove?: (() => void) | undefined;
  /** Source of time and timers; for tests. */
  readonly clock?: Clock | undefined;
}

const MAX_MS = 2 ** 31 - 1;

/**
 * Watches a topic or pattern that ought to have messages all the time. It tells once when none has
 * come for so long although the subscription stands and the connection is open, and again when it
 * moves. While the connection is away, or the node has lost its broker, the client's state says so,
 * and no stall is told.
 *
 * It subscribes on the wire only if nobody else has; call what it returns to end it.
 *
 * @param options - What to watch for, and the options of a subscription where it is the first.
 * @throws SluiceError `invalid-argument`, or `closed`
 */
export function watchStalls(
  client: Client,
  topic: string,
  options: StallOptions & SubscribeOptions,
): Subscription {
  checkObject("options", options);
  const { stallAfter, onStall, onMove, clock = systemClock } = options;
  const isTime = Number.isInteger(stallAfter) && stallAfter >= 1 && stallAfter <= MAX_MS;
  check(isTime, "stallAfter", `a whole number from 1 to ${String(MAX_MS)}`, stallAfter);
  checkFunction("onStall", onStall);
  if (onMove !== undefined) checkFunction("onMove", onMove);

  let since = clock.now();
  let isStalled = false;
  let timer: unknown;

  const isFlowing = (): boolean =>
    client.state.status === "open" && ["live", "gap"].includes(subscription.state.status);
  const schedule = (): void => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(look, Math.max(1, since + stallAfter - clock.now()));
  };
  // One timer for any number of messages: it comes, looks for the latest, and is set again.
  const look = (): void => {
    if (!isFlowing()) return;
    const sinceMs = clock.now() - since;
    if (sinceMs < stallAfter) {
      schedule();
    } else {
      isStalled = true;
      onStall({ sinceMs });
    }
  };
  const move = (): void => {
    since = clock.now();
    if (!isStalled) return;
    isStalled = false;
    schedule();
    onMove?.();
  };
  const onState = (): void => {
    if (isStalled || !isFlowing()) return;
    since = clock.now();
    schedule();
  };

  const onMessage = (message: Message): void => {
    if (!message.replayed) move();
  };
  const subscription = client.subscribe(topic, { onMessage, onState }, options);
  const stop = client.on("state", onState);
  const undo = (): void => {
    options.signal?.removeEventListener("abort", undo);
    stop();
    clock.clearTimeout(timer);
    subscription();
  };
  onState();
  onAbort(options.signal, undo);
  return Object.defineProperties(undo, {
    position: { get: () => subscription.position },
    state: { get: () => subscription.state },
  }) as Subscription;
}
