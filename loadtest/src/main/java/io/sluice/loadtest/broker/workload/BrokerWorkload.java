package io.sluice.loadtest.broker.workload;

import io.sluice.loadtest.broker.price.GeneratedPrices;
import io.sluice.loadtest.broker.price.PriceFeed;
import io.sluice.loadtest.broker.price.PriceFiles;
import io.sluice.loadtest.broker.price.ReplayedPrices;
import java.io.IOException;

/**
 * Producers, consumers, destinations and messages of a trial. Immutable, for any thread.
 *
 * <p>Producer and consumer <i>i</i> use the destination <i>i</i> modulo the number of destinations.
 *
 * @param name name in tables
 * @param connections number of the producers' connections, and of the consumers'
 * @param sessions number per connection, shared by its producers or consumers; 0 for one each
 * @param transaction messages per transaction of producers and consumers; 0 for no transactions
 * @param priority JMS priority, 0 to 9
 * @param size payload size in bytes
 * @param properties number of integer properties per message, named p0, p1 and so on
 * @param durable whether the consumers of a topic are durable subscribers
 * @param selector JMS selector of the consumers; empty for all messages
 * @param replyTo whether each producer waits for a reply on its temporary queue
 * @param files recording of prices
 */
public record BrokerWorkload(
    String name,
    Mode mode,
    int connections,
    int sessions,
    int destinations,
    int producers,
    int consumers,
    int transaction,
    int priority,
    MessageType type,
    int size,
    int properties,
    boolean durable,
    Acknowledge acknowledge,
    String selector,
    boolean replyTo,
    PriceFiles files) {
  private static final int MAX_SIZE = 64 << 20;
  private static final int MAX_PARTIES = 10_000;
  private static final int MAX_PROPERTIES = 1_000;

  /**
   * Creates a workload after checking its values.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  public BrokerWorkload {
    within("--connections", connections, 1, MAX_PARTIES);
    within("--sessions", sessions, 0, MAX_PARTIES);
    within("--destinations", destinations, 1, MAX_PARTIES);
    within("--producers", producers, 1, MAX_PARTIES);
    within("--consumers", consumers, 1, MAX_PARTIES);
    within("--messages-per-transaction", transaction, 0, 1_000_000);
    within("--priority", priority, 0, 9);
    within("--size", size, BenchStamp.BYTES, MAX_SIZE);
    within("--properties", properties, 0, MAX_PROPERTIES);
    if (producers < destinations || consumers < destinations) {
      throw new IllegalArgumentException(
          "--destinations %d with %d producers and %d consumers leaves one unused; expected at least"
                  .formatted(destinations, producers, consumers)
              + " as prefix producers and consumers");
    }
    if (durable && mode == Mode.QUEUE) {
      throw new IllegalArgumentException(
          "--durable with --mode queue: queues have no durable subscribers; expected --mode topic");
    }
    if (replyTo && (mode != Mode.QUEUE || transaction > 0 || !selector.isEmpty())) {
      throw new IllegalArgumentException(
          "--reply-to supports neither topics nor transactions nor selectors; expected --mode"
              + " queue without them");
    }
    if (files.areUsed() && !type.hasPrice()) {
      throw new IllegalArgumentException(
          "--record and --replay with --type %s: expected --type price or object".formatted(type));
    }
  }

  /** Returns the baseline workload: one queue, one producer, one consumer, texts of 1 KiB. */
  public static BrokerWorkload plain() {
    return new BrokerWorkload(
        "queue 1-1",
        Mode.QUEUE,
        1,
        0,
        1,
        1,
        1,
        0,
        4,
        MessageType.TEXT,
        1024,
        0,
        false,
        Acknowledge.AUTO,
        "",
        false,
        PriceFiles.NONE);
  }

  /** Returns a copy with a descriptive name. */
  public BrokerWorkload described() {
    String prefix = destinations == 1 ? mode.toString() : destinations + " " + mode + "s";
    return new BrokerWorkload(
        prefix + " " + producers + "-" + consumers,
        mode,
        connections,
        sessions,
        destinations,
        producers,
        consumers,
        transaction,
        priority,
        type,
        size,
        properties,
        durable,
        acknowledge,
        selector,
        replyTo,
        files);
  }

  /** Returns a new feed of the prices that a producer sends. */
  public PriceFeed prices(int producer) throws IOException {
    if (!type.hasPrice()) {
      return PriceFeed.NONE;
    }
    return files.replay() == null
        ? new GeneratedPrices(producer, size - BenchStamp.BYTES)
        : ReplayedPrices.open(files.replay());
  }

  /**
   * Returns whether a broker stores the persistent messages: those of a topic without durable
   * subscribers are only forwarded.
   */
  public boolean storable() {
    return mode == Mode.QUEUE || durable;
  }

  /** Returns whether messages are sent and received in transactions. */
  public boolean transacted() {
    return transaction > 0;
  }

  /** Returns the number of sessions for a number of producers or consumers. */
  public int sessionsFor(int parties) {
    return sessions == 0 ? parties : Math.min(parties, connections * sessions);
  }

  /** Returns the number of consumers that receive each message of a producer. */
  public int receiversOf(int producer) {
    if (mode == Mode.QUEUE) {
      return 1;
    }
    int destination = producer % destinations;
    return (consumers - destination + destinations - 1) / destinations;
  }

  static void within(String option, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          option + " " + value + ": expected a number from " + min + " to " + max);
    }
  }
}
