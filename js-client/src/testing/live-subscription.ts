import type { GapReason } from "../engine/subscription-state.js";
import { badFrame } from "./frame-error.js";
import type { SessionBroker } from "./session-host.js";
import type { LogEntry, LogReader, TopicLog } from "./topic-log.js";

/** Receiver of the messages of a subscription. */
export interface SubscriptionSink {
  sendEntry(entry: LogEntry): void;
  sendGap(reason: GapReason, offset: number): void;
}

/** Live stream of one subscription, with its rate. */
export class LiveSubscription implements LogReader {
  readonly #sink: SubscriptionSink;
  readonly #clock: SessionBroker["clock"];
  readonly #intervalMs: number;
  /** Newest message of each topic that waits for the rate. */
  readonly #waiting = new Map<string | undefined, LogEntry>();
  #log: TopicLog | undefined;
  #timer: unknown;

  constructor(sink: SubscriptionSink, clock: SessionBroker["clock"], rate: unknown) {
    const isRate =
      rate === undefined || (typeof rate === "number" && rate >= MIN_RATE && rate <= MAX_RATE);
    if (!isRate) throw badFrame("rate", "a number from 0.001 to 1000");
    this.#sink = sink;
    this.#clock = clock;
    this.#intervalMs = rate === undefined ? 0 : 1_000 / rate;
  }

  /** Begins the live stream. */
  attach(log: TopicLog): void {
    this.#log = log;
    log.readers.add(this);
  }

  onEntry(entry: LogEntry): void {
    if (this.#timer !== undefined) {
      this.#waiting.set(entry.message.destination.topic, entry);
      return;
    }
    this.#sink.sendEntry(entry);
    if (this.#intervalMs > 0) this.#pause();
  }

  onGap(reason: GapReason): void {
    this.#flush();
    this.#sink.sendGap(reason, this.#log?.offset ?? 0);
  }

  close(): void {
    this.#log?.readers.delete(this);
    this.#clock.clearTimeout(this.#timer);
  }

  #pause(): void {
    this.#timer = this.#clock.setTimeout(() => {
      this.#timer = undefined;
      if (this.#waiting.size > 0) this.#pause();
      this.#flush();
    }, this.#intervalMs);
  }

  /** Sends the waiting messages in the order of their offsets. */
  #flush(): void {
    const waiting = [...this.#waiting.values()].sort((a, b) => a.offset - b.offset);
    this.#waiting.clear();
    for (const entry of waiting) this.#sink.sendEntry(entry);
  }
}

const MIN_RATE = 0.001;
const MAX_RATE = 1_000;
