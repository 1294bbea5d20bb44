package io.sluice.loadtest.broker;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Sequence numbers received from each producer, and the number of duplicates. One thread writes it;
 * it is read after that thread's last message.
 */
final class Tally {
  private final Map<Integer, BitSet> seen = new HashMap<>();
  private long repeated;

  void add(int producer, long number) {
    BitSet numbers = seen.computeIfAbsent(producer, absent -> new BitSet());
    int index = Math.toIntExact(number);
    if (numbers.get(index)) {
      repeated++;
    } else {
      numbers.set(index);
    }
  }

  /** Merges the tally of another consumer of the same queue. Numbers in both are duplicates. */
  void merge(Tally other) {
    repeated += other.repeated;
    other.seen.forEach(
        (producer, numbers) -> {
          BitSet received = seen.computeIfAbsent(producer, absent -> new BitSet());
          BitSet both = (BitSet) received.clone();
          both.and(numbers);
          repeated += both.cardinality();
          received.or(numbers);
        });
  }

  /** Returns how many of a producer's first numbers are missing. */
  long lost(int producer, long sent) {
    BitSet numbers = seen.getOrDefault(producer, new BitSet());
    return sent - numbers.get(0, Math.toIntExact(sent)).cardinality();
  }

  /** Returns the number of duplicates. */
  long repeated() {
    return repeated;
  }
}
