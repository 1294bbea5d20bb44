package io.sluice.gateway.sim;

/**
 * Settings of messages for which the broker selects the consumers at the send: scheduled ones and
 * those of transactions.
 *
 * @param random separate random sequence, so that the others keep their seeds
 * @param meanMicros mean microseconds between two such messages; 0 for none
 */
record LateBinding(SeededRandom random, long meanMicros) {
  /** One in this many seeds has such messages. */
  private static final int ONE_IN = 4;

  private static final long SALT = 0xb19dL;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** Maximum latency of an announcement between two nodes. */
  private static final long LATENCY = Plan.SECOND / 2;

  /** Maximum duration of a report within the nodes. */
  private static final long LAG = 2 * Plan.SECOND;

  /** One such message. Its {@link Published#acceptedMicros} is the time of its delivery. */
  static final class Bound {
    final Published message;
    final long sentMicros;
    final boolean scheduled;

    /** Whether a node that received it was up long enough to announce it. */
    boolean announced;

    Bound(Published message, long sentMicros, boolean scheduled) {
      this.message = message;
      this.sentMicros = sentMicros;
      this.scheduled = scheduled;
    }
  }

  /**
   * @param possible whether the world may have such messages
   */
  static LateBinding drawn(long seed, boolean possible) {
    SeededRandom random = new SeededRandom((seed + SALT) * SPREADER);
    boolean present = random.oneIn(ONE_IN) && possible;
    return new LateBinding(random, present ? random.between(500, 4_000) * Plan.MILLI : 0);
  }

  boolean isNone() {
    return meanMicros == 0;
  }

  /** Returns the time from the sending of a message to its delivery. */
  long delay() {
    return random.between(Plan.SECOND, 10 * Plan.SECOND);
  }

  /** Returns the latency of an announcement. */
  long latency() {
    return random.mostlySmall(LATENCY);
  }

  /** Returns the time after the receipt of a message at which the node has announced it. */
  static long announced(Plan plan) {
    return plan.spreadMs() * Plan.MILLI + LAG / 2;
  }

  /** Returns the time after the delivery of a message at which all nodes have reported it. */
  static long reported(Plan plan) {
    return 2 * plan.spreadMs() * Plan.MILLI + plan.displacement + LATENCY + LAG;
  }

  /**
   * Returns whether a node detects by its canaries that a message was sent long before. A scheduled
   * one names its times.
   */
  static boolean isDetected(Plan plan, boolean scheduled, long delay) {
    long margin = plan.marginMs() * Plan.MILLI;
    return scheduled || delay > margin + 2 * plan.canaryInterval + plan.displacement + LAG;
  }
}
