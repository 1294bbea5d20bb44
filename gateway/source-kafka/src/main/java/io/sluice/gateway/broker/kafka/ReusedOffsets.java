package io.sluice.gateway.broker.kafka;

import io.sluice.gateway.broker.StreamPlace;
import java.util.Map;
import java.util.TreeMap;

/**
 * Offsets of a topic that are assigned again, because the cluster has removed records from the end
 * of partitions. A client with such an offset may have the removed record. Bound to the feed's
 * thread.
 */
final class ReusedOffsets {
  private record Range(long first, long last) {}

  private final Map<Integer, Range> ranges = new TreeMap<>();

  /** Stream of the ranges; those of another one are forgotten. */
  private String stream = "";

  /** Sets the present stream. */
  void onStream(String present) {
    if (!stream.equals(present)) {
      stream = present;
      ranges.clear();
    }
  }

  /**
   * Adds a range. A partition has one range; offsets between two of them count.
   *
   * @param end offset after the last one
   */
  void add(int partition, long first, long end) {
    if (first < end) {
      ranges.merge(
          partition,
          new Range(first, end - 1),
          (a, b) -> new Range(Math.min(a.first, b.first), Math.max(a.last, b.last)));
    }
  }

  /** Returns the first and last identities of the ranges, in pairs. */
  long[] ids() {
    long[] ids = new long[2 * ranges.size()];
    int next = 0;
    for (Map.Entry<Integer, Range> each : ranges.entrySet()) {
      ids[next++] = StreamPlace.id(each.getKey(), each.getValue().first);
      ids[next++] = StreamPlace.id(each.getKey(), each.getValue().last, -1); // the highest mark
    }
    return ids;
  }
}
