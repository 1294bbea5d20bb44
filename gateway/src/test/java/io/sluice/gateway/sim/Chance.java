package io.sluice.gateway.sim;

import java.util.List;
import java.util.Random;

/** The one source of chance of a run. */
final class Chance {
  private final Random random;

  Chance(long seed) {
    random = new Random(seed);
  }

  /** A number from {@code least} to {@code most}. */
  long between(long least, long most) {
    return most <= least ? least : least + (long) (random.nextDouble() * (most - least + 1));
  }

  int below(int bound) {
    return random.nextInt(bound);
  }

  boolean oneIn(int count) {
    return random.nextInt(count) == 0;
  }

  <T> T of(List<T> choices) {
    return choices.get(random.nextInt(choices.size()));
  }

  long number() {
    return random.nextLong();
  }

  /** Mostly a small part of the most, now and then up to all of it. */
  long mostlySmall(long most) {
    return oneIn(20) ? between(0, most) : between(0, most / 20);
  }

  /** A wait whose mean is given, as between events that know nothing of each other. */
  long pause(long meanMicros) {
    return (long) (-Math.log(1 - random.nextDouble()) * meanMicros);
  }
}
