package io.sluice.gateway.sim;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.util.List;

/**
 * Settings of a world with durable interests. They are drawn from a separate random sequence, so
 * that worlds without durable interests keep their seeds.
 *
 * @param patterns durable patterns of each node; empty for none
 * @param ordered whether the broker keeps the order across topics
 * @param volatileOneIn one in this many messages is not persistent; 0 for none
 * @param diskMicros maximum duration of a disk write
 * @param acknowledgeMicros maximum delay of an acknowledgement
 * @param pauseOneIn the broker pauses before one in this many retained messages
 * @param crashOneIn a node crashes, or loses the broker, in one of this many rounds
 * @param corruptionOneIn the journal is damaged at one of this many starts of a node
 * @param restartMean mean microseconds between restarts of the broker
 * @param crashMean mean microseconds between additional crashes of a node
 * @param storeOneIn the broker loses its store in one of this many restarts
 * @param fullDiskMean mean microseconds between full disks; 0 for never
 */
record Durability(
    List<String> patterns,
    boolean ordered,
    int volatileOneIn,
    long diskMicros,
    long acknowledgeMicros,
    int pauseOneIn,
    int crashOneIn,
    int corruptionOneIn,
    long restartMean,
    long crashMean,
    int storeOneIn,
    long fullDiskMean) {
  private static final List<List<String>> PATTERNS =
      List.of(
          List.of("a.*"),
          List.of(">"),
          List.of("b.1"),
          List.of("a.1", "b.1"),
          List.of("a.>", "b.1"));

  /** One in this many seeds has durable interests. */
  private static final int ONE_IN = 4;

  private static final long LONGEST_PAUSE = 4 * Plan.SECOND;
  private static final long ABSENCE = 20 * Plan.SECOND;
  private static final long SALT = 0xd00aL;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** Returns the random sequence of a seed for durable interests. */
  static SeededRandom stream(long seed) {
    return new SeededRandom((seed + SALT) * SPREADER);
  }

  static Durability none() {
    return new Durability(List.of(), true, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0);
  }

  static Durability drawn(SeededRandom random) {
    if (!random.oneIn(ONE_IN)) {
      return none();
    }
    return new Durability(
        random.of(PATTERNS),
        !random.oneIn(3),
        random.of(List.of(0, 0, 1)),
        random.of(List.of(Plan.MILLI, 20 * Plan.MILLI, 200 * Plan.MILLI, 2 * Plan.SECOND)),
        random.of(List.of(Plan.MILLI, 50 * Plan.MILLI, 500 * Plan.MILLI)),
        random.of(List.of(2, 8, 100)),
        random.of(List.of(50, 200, 1_000)),
        random.of(List.of(3, 20, 1_000_000)),
        random.of(List.of(0L, 3 * Plan.SECOND, 12 * Plan.SECOND)),
        random.between(4, 40) * Plan.SECOND,
        random.of(List.of(2, 5, 1_000_000)),
        random.oneIn(3) ? random.between(5, 60) * Plan.SECOND : 0);
  }

  Config config(Config config) {
    return config.with(BrokerSettings.DURABLE, patterns);
  }

  boolean isNone() {
    return patterns.isEmpty();
  }

  /** Returns whether a client prefers the node of its previous connection. */
  boolean isSticky(SeededRandom random) {
    return !isNone() && random.oneIn(2);
  }

  /** Returns the time for which such a client is disconnected. */
  long absence(SeededRandom random) {
    return random.oneIn(4) ? random.between(0, ABSENCE) : 0;
  }

  /**
   * Returns a pause while the broker delivers retained messages. It is limited only if a node can
   * recognize the end of the retained messages by silence alone.
   */
  long pause(SeededRandom random, long withinSpread) {
    return ordered ? random.mostlySmall(LONGEST_PAUSE) : random.between(0, withinSpread);
  }

  boolean isPersistent(SeededRandom random) {
    return volatileOneIn == 0 || !random.oneIn(volatileOneIn);
  }
}
