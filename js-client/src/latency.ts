/**
 * Latency measurement of messages: `@sluice/client/latency`.
 *
 * @module
 */

import { Histogram } from "./engine/histogram.js";
import type { Message } from "./engine/message.js";
import { toObserver, type SubscriptionObserver } from "./engine/observer.js";

/** Age of live messages on arrival, in milliseconds; see `age` of messages. */
export interface Latency {
  /** Number of measured messages. */
  readonly count: number;
  /** 50th percentile. */
  readonly p50: number;
  /** 95th percentile. */
  readonly p95: number;
  /** 99th percentile. */
  readonly p99: number;
  /** Maximum. */
  readonly max: number;
  /** Discards all measurements. */
  reset(): void;
}

/** Observer that measures the messages it passes on. */
export interface MeasuringObserver<Received = Message> extends SubscriptionObserver<Received> {
  /** Measured latency. */
  readonly latency: Latency;
}

/**
 * Returns an observer for `subscribe` that passes everything on and records the age of each live
 * message. Replayed messages are not measured. Percentiles are accurate to one eighth, or to a
 * millisecond below 16 ms, plus the clocks' uncertainty. Memory use is constant: 1 KB.
 *
 * @throws SluiceError `invalid-argument`
 */
export function measureLatency<Received extends Pick<Message, "replayed" | "age"> = Message>(
  observer: ((message: Received) => void) | SubscriptionObserver<Received>,
): MeasuringObserver<Received> {
  const target = toObserver(observer);
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
  const onMessage = (message: Received): void => {
    if (!message.replayed) histogram.add(message.age);
    target.onMessage(message);
  };
  return { ...target, onMessage, latency };
}
