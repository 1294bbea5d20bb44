package io.sluice.gateway.metrics;

import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Meters of the consumers of queues. Any thread. */
public final class QueueMeters {
  private final LongAdder consumers;
  private final LongAdder pending;
  private final TaggedCounter deliveries;
  private final TaggedCounter settlements;
  private final TaggedCounter released;
  private final TaggedCounter undeliverable;
  private final LongAdder stuck;
  private volatile boolean connected;

  QueueMeters(MeterBuilder meters) {
    consumers = meters.gauge("sluice.queue.consumers", "Active consumers of queues.");
    pending =
        meters.gauge(
            "sluice.queue.pending",
            "Messages of queues that clients have received and not settled.");
    meters.gauge(
        "sluice.queue.connected",
        "1 while the connection for queues is established, otherwise 0.",
        null,
        () -> connected ? 1 : 0);
    deliveries =
        meters.tagged(
            "sluice.queue.deliveries",
            "redelivered",
            "Messages of queues delivered to clients, by whether they are marked as redelivered.",
            List.of("true", "unknown", "false"));
    settlements =
        meters.tagged(
            "sluice.queue.settlements",
            "outcome",
            "Messages that clients settled: ack, release, reject, or the error code of the"
                + " refusal.",
            List.of(
                "ack",
                "release",
                "reject",
                "not-pending",
                "settle-failed",
                "broker-unavailable",
                "rate-limited"));
    released =
        meters.tagged(
            "sluice.queue.released",
            "reason",
            "Unsettled messages that returned to their queue: not settled in time, the broker was"
                + " lost, the consumer ended.",
            List.of("timeout", "broker-lost", "closed"));
    undeliverable =
        meters.tagged(
            "sluice.queue.undeliverable",
            "cause",
            "Messages that were moved to the dead-letter queue because they cannot be delivered.",
            List.of("too-large", "unsupported", "attempts"));
    stuck =
        meters.counter(
            "sluice.queue.stuck",
            "Consumers that ended because a message could not be received, or not be moved to the"
                + " dead-letter queue, in ten attempts.");
  }

  /** Changes the number of active consumers. */
  public void consumers(int change) {
    consumers.add(change);
  }

  /** Returns the number of active consumers. */
  public long consumers() {
    return consumers.sum();
  }

  /** Changes the number of unsettled messages. */
  public void pending(int change) {
    pending.add(change);
  }

  /** Returns the number of unsettled messages. */
  public long pending() {
    return pending.sum();
  }

  /** Counts a delivery by its mark: true, unknown or false. */
  public void delivered(String redelivered) {
    deliveries.add(redelivered, 1);
  }

  /** Counts settled messages by kind, or refused settlements by error code. */
  public void settled(String outcome, long messages) {
    settlements.add(outcome, messages);
  }

  /** Counts messages that returned to their queue. */
  public void released(String reason, long messages) {
    released.add(reason, messages);
  }

  public void undeliverable(String cause) {
    undeliverable.add(cause, 1);
  }

  /** Counts a consumer that ends because of a message without attempts left. */
  public void stuck() {
    stuck.increment();
  }

  public void connected(boolean isConnected) {
    connected = isConnected;
  }
}
