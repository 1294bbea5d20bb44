/**
 * Detection of topics without messages: `@sluice/client/stall`.
 *
 * @module
 */
import { check, checkFunction, checkObject } from "./engine/arguments.js";
import type { Client } from "./engine/client-type.js";
import { systemClock, type Clock } from "./engine/clock.js";
import type { Message } from "./engine/message.js";
import type { Subscription } from "./engine/observer.js";
import { onAbort } from "./engine/signal.js";
import type { SubscribeOptions } from "./engine/subscribe-options.js";

/** Stall of a subscription. */
export interface Stall {
  /** Milliseconds since its latest message, or since its start or the reconnect. */
  readonly sinceMs: number;
}

/** Options of {@link watchStalls}. */
export interface StallOptions {
  /** Milliseconds without a message after which a topic counts as stalled. */
  readonly stallAfter: number;
  /** Called once for each stall. */
  readonly onStall: (stall: Stall) => void;
  /** Called when messages arrive again after a stall. */
  readonly onMove?: (() => void) | undefined;
  /** Source of time and timers; for tests. */
  readonly clock?: Clock | undefined;
}

const MAX_MS = 2 ** 31 - 1;

/**
 * Watches a topic or pattern that normally has messages all the time. It reports a stall once when
 * no message has arrived for the configured time although the subscription is live and the
 * connection is open. It reports again when messages resume. While the connection is lost, or the
 * node has no broker, the client's state reports that, and no stall is reported.
 *
 * It shares an existing subscription on the wire; call the returned function to end it.
 *
 * @param options - Options of the watch, and of the subscription if it is the first one.
 * @throws SluiceError `invalid-argument`, or `closed`
 */
export function watchStalls(
  client: Client,
  topic: string,
  options: StallOptions & SubscribeOptions,
): Subscription {
  checkObject("options", options);
  const { stallAfter, onStall, onMove, clock = systemClock, ...subscribeOptions } = options;
  const isTime = Number.isInteger(stallAfter) && stallAfter >= 1 && stallAfter <= MAX_MS;
  check(isTime, "stallAfter", `a whole number from 1 to ${String(MAX_MS)}`, stallAfter);
  checkFunction("onStall", onStall);
  if (onMove !== undefined) checkFunction("onMove", onMove);

  let latestActivityAt = clock.now();
  let isStalled = false;
  let timer: unknown;

  const isLive = (): boolean =>
    client.state.status === "open" && ["live", "gap"].includes(subscription.state.status);
  const schedule = (): void => {
    clock.clearTimeout(timer);
    timer = clock.setTimeout(checkStall, Math.max(1, latestActivityAt + stallAfter - clock.now()));
  };
  // One timer for any number of messages: it compares the latest activity when it fires.
  const checkStall = (): void => {
    if (!isLive()) return;
    const sinceMs = clock.now() - latestActivityAt;
    if (sinceMs < stallAfter) {
      schedule();
    } else {
      isStalled = true;
      onStall({ sinceMs });
    }
  };
  const onActivity = (): void => {
    latestActivityAt = clock.now();
    if (!isStalled) return;
    isStalled = false;
    schedule();
    onMove?.();
  };
  const onState = (): void => {
    if (isStalled || !isLive()) return;
    latestActivityAt = clock.now();
    schedule();
  };

  const onMessage = (message: Message): void => {
    if (!message.replayed) onActivity();
  };
  const subscription = client.subscribe(topic, { onMessage, onState }, subscribeOptions);
  const removeStateListener = client.on("state", onState);
  const unwatch = (): void => {
    options.signal?.removeEventListener("abort", unwatch);
    removeStateListener();
    clock.clearTimeout(timer);
    subscription.unsubscribe();
  };
  onState();
  onAbort(options.signal, unwatch);
  const { dispose } = Symbol as { readonly dispose?: symbol };
  return Object.defineProperties({} as Subscription, {
    ...Object.getOwnPropertyDescriptors(subscription),
    unsubscribe: { value: unwatch },
    ...(dispose && { [dispose]: { value: unwatch } }),
  });
}
