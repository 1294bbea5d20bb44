package io.sluice.loadtest;

import java.util.Map;
import java.util.TreeMap;

/**
 * Check of the sequence numbers that one client receives in one topic. Not thread-safe: one client
 * calls it.
 *
 * <p>The first number is arbitrary. A skipped number is lost until it is received; then it is
 * reordered. At most {@link #MAX_HOLES} holes are stored: older ones remain lost, and a late number
 * from them counts as a duplicate.
 */
final class SequenceCheck {
  static final int MAX_HOLES = 1024;

  /** Last missing number by first missing number of each hole. */
  private final TreeMap<Long, Long> holes = new TreeMap<>();

  private long first = -1;
  private long next;
  private long received;
  private long lost;
  private long duplicates;
  private long reordered;

  void onNumber(long number) {
    received++;
    if (first < 0) {
      first = number;
      next = number + 1;
    } else if (number >= next) {
      onAhead(number);
    } else {
      onBehind(number);
    }
  }

  long received() {
    return received;
  }

  /** Returns the number of skipped numbers not received since. */
  long lost() {
    return lost;
  }

  long duplicates() {
    return duplicates;
  }

  /** Returns the number of numbers received after a higher one. */
  long reordered() {
    return reordered;
  }

  /** Returns whether every number was received once and in order. */
  boolean isFaultless() {
    return lost == 0 && duplicates == 0 && reordered == 0;
  }

  private void onAhead(long number) {
    if (number > next) {
      addHole(next, number - 1);
      lost += number - next;
    }
    next = number + 1;
  }

  private void onBehind(long number) {
    if (number < first) {
      reordered++;
      return;
    }
    Map.Entry<Long, Long> hole = holes.floorEntry(number);
    if (hole == null || hole.getValue() < number) {
      duplicates++;
      return;
    }
    fill(hole.getKey(), hole.getValue(), number);
    reordered++;
    lost--;
  }

  private void fill(long start, long end, long number) {
    holes.remove(start);
    if (start < number) {
      addHole(start, number - 1);
    }
    if (number < end) {
      addHole(number + 1, end);
    }
  }

  private void addHole(long start, long end) {
    holes.put(start, end);
    if (holes.size() > MAX_HOLES) {
      holes.pollFirstEntry();
    }
  }
}
