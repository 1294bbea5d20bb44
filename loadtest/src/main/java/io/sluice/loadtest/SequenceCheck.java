package io.sluice.loadtest;

import java.util.Map;
import java.util.TreeMap;

/**
 * The numbers that one client has received of one topic, and those that it should have. Not
 * thread-safe: one client calls it.
 *
 * <p>The first number may be any. A number that was passed over is lost until it comes; then it is
 * reordered. Holes that it remembers are bounded: past {@link #MAX_HOLES} the oldest stays lost for
 * good, and a latecomer out of it counts as a duplicate.
 */
final class SequenceCheck {
  static final int MAX_HOLES = 1024;

  /** First missing number to last missing number. */
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

  /** Numbers passed over that have not come. */
  long lost() {
    return lost;
  }

  long duplicates() {
    return duplicates;
  }

  /** Numbers that came after a higher one. */
  long reordered() {
    return reordered;
  }

  /** Every number came, once and in order. */
  boolean flawless() {
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
