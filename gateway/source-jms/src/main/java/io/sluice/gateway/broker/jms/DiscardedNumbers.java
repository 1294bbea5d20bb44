package io.sluice.gateway.broker.jms;

import io.sluice.gateway.broker.Broker;
import java.util.Map;
import java.util.TreeMap;

/**
 * Numbers of the messages of one consumer that the broker has discarded. A report may arrive before
 * messages with lower numbers. Used by one thread at a time.
 */
public final class DiscardedNumbers {
  /** Maximum number of ranges. The two lowest ones are merged above it. */
  static final int MAX_RANGES = 1_024;

  /** Disjoint ranges of numbers: the last one by the first one. */
  private final TreeMap<Long, Long> ranges = new TreeMap<>();

  /** Number of the latest message. */
  private long latest = Long.MIN_VALUE;

  /** True if a discarded message without a number may precede the next message. */
  private boolean unnumbered;

  /** Records a discarded message, whose number may be {@link Broker#NO_SEQUENCE}. */
  public void add(long number) {
    if (number == Broker.NO_SEQUENCE) {
      unnumbered = true;
      return;
    }
    Map.Entry<Long, Long> range = ranges.floorEntry(number);
    if (range == null || range.getValue() < number) {
      ranges.put(number, number);
    }
    if (ranges.size() > MAX_RANGES) {
      mergeLowestTwo();
    }
  }

  private void mergeLowestTwo() {
    long first = ranges.firstKey();
    ranges.put(first, ranges.remove(ranges.higherKey(first)));
  }

  /**
   * Records a message that has arrived. Returns whether the broker has discarded one between it and
   * the previous one; within a merged range, also if it may have.
   */
  public boolean onArrival(long number) {
    boolean missed = unnumbered;
    unnumbered = false;
    if (number != Broker.NO_SEQUENCE) {
      Map.Entry<Long, Long> before = ranges.lowerEntry(number);
      missed |= before != null && before.getValue() > latest;
      latest = number;
      mergeBefore(number);
    }
    return missed;
  }

  // None is removed: messages of a lower priority may still arrive between them.
  private void mergeBefore(long number) {
    while (ranges.size() > 1 && ranges.get(ranges.higherKey(ranges.firstKey())) < number) {
      mergeLowestTwo();
    }
  }
}
