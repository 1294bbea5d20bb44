package io.sluice.loadtest.abtest;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/**
 * Order of an A/B test's runs: each block contains both systems once, in random order. The runs of
 * a block are close in time, and share the conditions of the machine. Stateless, for any thread.
 */
final class BlockSchedule {
  private BlockSchedule() {}

  /** Returns the slots in execution order; the same seed gives the same order. */
  static List<Slot> of(SystemUnderTest a, SystemUnderTest b, int blocks, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Slot> slots = new ArrayList<>();
    for (int block = 1; block <= blocks; block++) {
      boolean isAFirst = random.nextBoolean();
      slots.add(new Slot(block, 1, isAFirst ? a : b));
      slots.add(new Slot(block, 2, isAFirst ? b : a));
    }
    return slots;
  }

  /**
   * One run of the schedule. Immutable.
   *
   * @param block from 1
   * @param position in the block, from 1
   */
  record Slot(int block, int position, SystemUnderTest system) {}
}
