package io.sluice.loadtest.broker.workload;

/**
 * Producers, consumers, destinations and messages of a trial. Immutable. Producer and consumer
 * <i>i</i> use the destination <i>i</i> modulo the number of destinations.
 *
 * @param name how it is called in tables
 * @param connections of the producers, and as many of the consumers
 * @param sessions of each connection, shared by its producers or consumers; 0: each has its own
 * @param transaction messages a transaction, on both sides; 0: no transactions
 * @param priority 0 to 9
 * @param size bytes of a payload
 * @param properties integer properties of each message, called p0, p1 and so on
 * @param durable whether the consumers of a topic are durable subscribers
 * @param selector which messages the consumers want; empty: all
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
    String selector) {
  private static final int MAX_SIZE = 64 << 20;
  private static final int MAX_PARTIES = 10_000;
  private static final int MAX_PROPERTIES = 1_000;

  /**
   * Checks what would measure nothing.
   *
   * @throws IllegalArgumentException names the option that is wrong, and what was expected
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
          "--destinations %d with %d producers and %d consumers leaves one unused; expected as many"
                  .formatted(destinations, producers, consumers)
              + " producers and consumers at least");
    }
    if (durable && mode == Mode.QUEUE) {
      throw new IllegalArgumentException(
          "--durable with --mode queue: queues have no durable subscribers; expected --mode topic");
    }
  }

  /** The measure of much of what follows: one queue, one producer, one consumer, texts of 1 KiB. */
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
        "");
  }

  /** The same, called after what it does. */
  public BrokerWorkload described() {
    String many = destinations == 1 ? mode.toString() : destinations + " " + mode + "s";
    return new BrokerWorkload(
        many + " " + producers + "-" + consumers,
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
        selector);
  }

  /** Whether messages are sent and received in transactions. */
  public boolean transacted() {
    return transaction > 0;
  }

  /** How many sessions so many producers or consumers have. */
  public int sessionsFor(int parties) {
    return sessions == 0 ? parties : Math.min(parties, connections * sessions);
  }

  /** How many consumers get each message of a producer. */
  public int receiversOf(int producer) {
    if (mode == Mode.QUEUE) {
      return 1;
    }
    int destination = producer % destinations;
    return (consumers - destination + destinations - 1) / destinations;
  }

  static void within(String option, long value, long least, long most) {
    if (value < least || value > most) {
      throw new IllegalArgumentException(
          option + " " + value + ": expected a number from " + least + " to " + most);
    }
  }
}
