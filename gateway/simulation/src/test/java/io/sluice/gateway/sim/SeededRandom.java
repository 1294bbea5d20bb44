package io.sluice.gateway.sim;

import java.util.List;
import java.util.Random;

/** Pseudo-random numbers of one run. The sequence depends only on the seed. */
public final class SeededRandom {
  private final Random random;

  public SeededRandom(long seed) {
    random = new Random(seed);
  }

  /** Returns a number from {@code min} to {@code max}. */
  public long between(long min, long max) {
    return max <= min ? min : min + (long) (random.nextDouble() * (max - min + 1));
  }

  public int below(int bound) {
    return random.nextInt(bound);
  }

  public boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  public <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  public long number() {
    return random.nextLong();
  }

  /**
   * Returns mostly a twentieth of the maximum or less, and in one of 20 cases up to the maximum.
   */
  public long mostlySmall(long max) {
    return oneIn(20) ? between(0, max) : between(0, max / 20);
  }

  /**
   * Returns an exponentially distributed interval with the given mean, as between independent
   * events.
   */
  public long pause(long meanMicros) {
    return (long) (-Math.log(1 - random.nextDouble()) * meanMicros);
  }
}
