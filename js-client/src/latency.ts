/**
 * Latency of messages, for pages that want to know it: `@sluice/client/latency`.
 *
 * @module
 */
import { toObserver } from "./arguments.js";
import { Histogram } from "./histogram.js";
import type { Message } from "./message.js";
import type { SubscriptionObserver } from "./observer.js";

/** How old live messages were when they came, in milliseconds; see `age` of messages. */
export interface Latency {
  /** How many messages were measured. */
  readonly count: number;
  /** Half of them were no older. */
  readonly p50: number;
  /** 95 of 100 were no older. */
  readonly p95: number;
  /** 99 of 100 were no older. */
  readonly p99: number;
  /** The oldest. */
  readonly max: number;
  /** Begins anew. */
  reset(): void;
}

/** An observer that measures what it passes on. */
export interface MeasuringObserver<Heard = Message> extends SubscriptionObserver<Heard> {
  /** What it has measured. */
  readonly latency: Latency;
}

/**
 * An observer for `subscribe` that passes everything on and measures how old each live message is;
 * replayed ones are old by nature and don't count. The percentiles are true to an eighth, or to a
 * millisecond below 16 ms, and as far as the clocks are; they take 1 KB, however many messages come.
 *
 * @throws SluiceError `invalid-argument`
 */
export function measureLatency<Heard extends Pick<Message, "replayed" | "age"> = Message>(
  observer: ((message: Heard) => void) | SubscriptionObserver<Heard>,
): MeasuringObserver<Heard> {
  const heard = toObserver(observer);
  const histogram = new Histogram();
  const latency: Latency = {
    get count() {
      return histogram.count;
    },
    get p50() {
      return histogram.percentile(50);
    },
    get p95() {
      return histogram.percentile(95);
    },
    get p99() {
      return histogram.percentile(99);
    },
    get max() {
      return histogram.max;
    },
    reset() {
      histogram.clear();
    },
  };
  const onMessage = (message: Heard): void => {
    if (!message.replayed) histogram.add(message.age);
    heard.onMessage(message);
  };
  return { ...heard, onMessage, latency };
}
