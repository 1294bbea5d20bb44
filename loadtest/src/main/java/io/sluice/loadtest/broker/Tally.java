package io.sluice.loadtest.broker;

import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * Which numbers of which producers came, and how many came again. Written by one thread; read when
 * that has ended.
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

  /** Takes what another consumer of the same queue has got: what both have is repeated. */
  void join(Tally other) {
    repeated += other.repeated;
    other.seen.forEach(
        (producer, numbers) -> {
          BitSet own = seen.computeIfAbsent(producer, absent -> new BitSet());
          BitSet both = (BitSet) own.clone();
          both.and(numbers);
          repeated += both.cardinality();
          own.or(numbers);
        });
  }

  /** How many of a producer's first numbers never came. */
  long lost(int producer, long sent) {
    BitSet numbers = seen.getOrDefault(producer, new BitSet());
    return sent - numbers.get(0, Math.toIntExact(sent)).cardinality();
  }

  /** Messages that had come before. */
  long repeated() {
    return repeated;
  }
}
