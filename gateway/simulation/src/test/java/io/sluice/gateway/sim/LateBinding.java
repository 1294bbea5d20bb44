package io.sluice.gateway.sim;

/**
 * Settings of messages for which the broker selects the consumers at the send: scheduled ones and
 * those of transactions.
 *
 * @param random separate random sequence, so that the others keep their seeds
 * @param meanMicros mean microseconds between two such messages; 0 for none
 * @param transactions whether some belong to transactions; the others are scheduled
 * @param isolationMean mean microseconds between two isolations of a node; 0 for none
 */
record LateBinding(SeededRandom random, long meanMicros, boolean transactions, long isolationMean) {
  /** One in this many seeds has such messages. */
  private static final int ONE_IN = 4;

  private static final long SALT = 0xb19dL;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  private static final int CALM = 10;
  private static final long MARGIN_MS = 4_000;
  private static final long MAX_SKEW = 300 * Plan.MILLI;

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
    if (!present) {
      return new LateBinding(random, 0, false, 0);
    }
    // With few messages, no consumer of most logs opened between a send and the delivery.
    boolean few = random.oneIn(3);
    boolean isolated = !few && random.oneIn(2);
    return new LateBinding(
        random,
        few ? random.between(10, 40) * Plan.SECOND : random.between(200, 4_000) * Plan.MILLI,
        !few || random.oneIn(2),
        isolated ? random.between(1, 20) * Plan.SECOND : 0);
  }

  /** Returns a margin that covers the latency of announcements. */
  long marginMs(long spreadMs, long otherMs) {
    return isNone() ? otherMs : spreadMs + MARGIN_MS;
  }

  /** Returns the mean of the ordinary messages, with which a run outlasts several margins. */
  long publishMean(long otherMicros) {
    return isNone() ? otherMicros : Math.max(otherMicros, 100 * Plan.MILLI);
  }

  /** Returns the mean of a fault that makes clients move, so that some survive an isolation. */
  long faultMean(long otherMicros) {
    return isolationMean == 0 ? otherMicros : CALM * otherMicros;
  }

  /** Returns the clock error with which no announcement in time seems too late. */
  long skew(long otherMicros) {
    return isNone() || isolationMean > 0 ? otherMicros : Math.min(otherMicros, MAX_SKEW);
  }

  boolean isNone() {
    return meanMicros == 0;
  }

  /** Returns whether the next message is a scheduled one. */
  boolean schedules() {
    return !transactions || random.oneIn(2);
  }

  /** Returns the time from the sending of a message to its delivery. */
  long delay() {
    return random.between(Plan.SECOND, 10 * Plan.SECOND);
  }

  /** Returns the latency of an announcement. */
  long latency() {
    return random.mostlySmall(LATENCY);
  }

  /** Returns the time for which a node is unreachable for the others. */
  long isolation() {
    return random.between(Plan.SECOND, 20 * Plan.SECOND);
  }

  /** Returns the time after the receipt of a message at which the node has announced it. */
  static long announced(Plan plan) {
    return plan.spreadMs() * Plan.MILLI + LAG / 2;
  }

  /** Returns the time after the delivery of a message at which all nodes have reported it. */
  static long reported(Plan plan) {
    return 2 * plan.spreadMs() * Plan.MILLI
        + plan.displacement
        + LATENCY
        + LAG
        + 2 * plan.overload.sequencerLag();
  }

  /**
   * Returns whether a node detects by its canaries that a message was sent long before. A scheduled
   * one names its times.
   */
  static boolean isDetected(Plan plan, boolean scheduled, long delay) {
    long spread = plan.spreadMs() * Plan.MILLI;
    return scheduled
        || plan.overload.isNone()
            && delay > spread + 2 * plan.canaryInterval + plan.displacement + LAG;
  }
}
