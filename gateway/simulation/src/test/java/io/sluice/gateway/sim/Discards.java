package io.sluice.gateway.sim;

/**
 * Messages that the broker discards for one consumer. It reports each of them at once, before
 * earlier messages that are still in flight.
 */
final class Discards {
  private static final long SALT = 0xd15cL;
  private static final long SPREADER = 0x9e3779b97f4a7c15L;

  /** One in this many seeds has discards. */
  private static final int ONE_SEED_IN = 6;

  private final SeededRandom random;
  private final long oneIn;
  private boolean ended;

  /**
   * @param possible whether the world may have discards
   */
  Discards(long seed, boolean possible, Plan plan) {
    random = new SeededRandom((seed + SALT) * SPREADER);
    boolean drawn =
        random.oneIn(ONE_SEED_IN)
            || plan.breaks(Rule.DISCARD_IS_REPORTED)
            || plan.breaks(Rule.DISCARD_IS_REPORTED_IN_PLACE);
    oneIn = drawn && possible ? random.between(20, 300) : 0;
  }

  boolean isNone() {
    return oneIn == 0;
  }

  /** Returns whether the broker discards the next message of a consumer. */
  boolean next() {
    return !isNone() && !ended && random.oneIn((int) oneIn);
  }

  void end() {
    ended = true;
  }
}
