package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counters for the values of one tag, at most {@link #MAX_VALUES}. Further values are counted as
 * {@code other}, because clients may choose tag values. Any thread may call it.
 *
 * <p>A value's first event registers a meter, which takes the registry's lock. Values passed to the
 * constructor are registered there, so their events take no lock.
 */
final class TaggedCounter {
  static final int MAX_VALUES = 64;
  private static final String OTHER = "other";

  private final MeterRegistry registry;
  private final String name;
  private final String tag;
  private final String meaning;
  private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();
  private final LongAdder other;

  TaggedCounter(
      MeterRegistry registry, String name, String tag, String meaning, Collection<String> known) {
    this.registry = registry;
    this.name = name;
    this.tag = tag;
    this.meaning = meaning;
    this.other = register(OTHER);
    counts.put(OTHER, other);
    known.forEach(value -> counts.computeIfAbsent(value, this::register));
  }

  void add(String value, long count) {
    LongAdder adder = counts.get(value);
    if (adder == null) {
      adder = admit(value);
    }
    adder.add(count);
  }

  private synchronized LongAdder admit(String value) {
    return counts.size() < MAX_VALUES ? counts.computeIfAbsent(value, this::register) : other;
  }

  private LongAdder register(String value) {
    LongAdder adder = new LongAdder();
    FunctionCounter.builder(name, adder, LongAdder::sum)
        .tag(tag, value)
        .description(meaning)
        .register(registry);
    return adder;
  }
}
