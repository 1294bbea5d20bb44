package io.sluice.gateway.sim;

import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import java.util.List;

/**
 * What a world with durable interests has beside everything else. It comes from a stream of chance
 * of its own, so that worlds without them are what they were before there was any of this.
 *
 * @param patterns that the broker keeps for each node; none if empty
 * @param ordered whether the broker keeps the order across topics
 * @param volatileOneIn how few of the messages are not persistent; 0 for none
 * @param diskMicros how long a node's disk takes at most
 * @param acknowledgeMicros how long an acknowledgement is under way at most
 * @param pauseOneIn before how few messages of those that it has kept the broker pauses
 * @param crashOneIn in how few rounds a node crashes, or loses the broker
 * @param harmOneIn at how few starts of a node its journal is damaged
 * @param restartMean microseconds between restarts of the broker
 * @param crashMean microseconds between crashes of a node, beside those of other worlds
 * @param storeOneIn at how few of these it loses its store
 * @param fullDiskMean microseconds between nodes' disks being full; 0 for never
 */
record Durability(
    List<String> patterns,
    boolean ordered,
    int volatileOneIn,
    long diskMicros,
    long acknowledgeMicros,
    int pauseOneIn,
    int crashOneIn,
    int harmOneIn,
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

  /** Of all seeds, so few have durable interests. */
  private static final int ONE_IN = 4;

  private static final long LONGEST_PAUSE = 4 * Plan.SECOND;
  private static final long ABSENCE = 20 * Plan.SECOND;
  private static final long SALT = 0xd00aL;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** The stream of chance of a seed. */
  static Chance stream(long seed) {
    return new Chance((seed + SALT) * SPREADER);
  }

  static Durability none() {
    return new Durability(List.of(), true, 0, 0, 0, 1, 1, 1, 0, 0, 1, 0);
  }

  static Durability drawn(Chance chance) {
    if (!chance.oneIn(ONE_IN)) {
      return none();
    }
    return new Durability(
        chance.of(PATTERNS),
        !chance.oneIn(3),
        chance.of(List.of(0, 0, 1)),
        chance.of(List.of(Plan.MILLI, 20 * Plan.MILLI, 200 * Plan.MILLI, 2 * Plan.SECOND)),
        chance.of(List.of(Plan.MILLI, 50 * Plan.MILLI, 500 * Plan.MILLI)),
        chance.of(List.of(2, 8, 100)),
        chance.of(List.of(50, 200, 1_000)),
        chance.of(List.of(3, 20, 1_000_000)),
        chance.of(List.of(0L, 3 * Plan.SECOND, 12 * Plan.SECOND)),
        chance.between(4, 40) * Plan.SECOND,
        chance.of(List.of(2, 5, 1_000_000)),
        chance.oneIn(3) ? chance.between(5, 60) * Plan.SECOND : 0);
  }

  Config config(Config config) {
    return config.with(BrokerSettings.DURABLE, patterns);
  }

  boolean isNone() {
    return patterns.isEmpty();
  }

  /** Whether a client is one of those that come back to the node that they know. */
  boolean isLoyal(Chance chance) {
    return !isNone() && chance.oneIn(2);
  }

  /** How long such a client stays away. */
  long absence(Chance chance) {
    return chance.oneIn(4) ? chance.between(0, ABSENCE) : 0;
  }

  /**
   * How long a broker pauses that delivers what it has kept: as long as it likes, unless quiet is
   * all by which a node can tell that it is done.
   */
  long pause(Chance chance, long withinSpread) {
    return ordered ? chance.mostlySmall(LONGEST_PAUSE) : chance.between(0, withinSpread);
  }

  boolean isPersistent(Chance chance) {
    return volatileOneIn == 0 || !chance.oneIn(volatileOneIn);
  }
}
