package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Collection;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.DoubleSupplier;

/** Registry with a short form for each kind of meter. For any thread. */
public record MeterBuilder(MeterRegistry registry) {
  /** Registers a gauge that is changed by its events. */
  public LongAdder gauge(String name, String meaning) {
    LongAdder value = new LongAdder();
    gauge(name, meaning, null, value::sum);
    return value;
  }

  /** Registers a gauge that is read from its source. */
  public void gauge(String name, String meaning, String unit, DoubleSupplier value) {
    Gauge.builder(name, value::getAsDouble).description(meaning).baseUnit(unit).register(registry);
  }

  /** Registers a counter. */
  public LongAdder counter(String name, String meaning) {
    return counter(name, meaning, null);
  }

  /** Registers a counter of bytes. */
  public LongAdder bytes(String name, String meaning) {
    return counter(name + ".bytes", meaning, "bytes");
  }

  private LongAdder counter(String name, String meaning, String unit) {
    LongAdder value = new LongAdder();
    FunctionCounter.builder(name, value, LongAdder::sum)
        .description(meaning)
        .baseUnit(unit)
        .register(registry);
    return value;
  }

  TaggedCounter tagged(String name, String tag, String meaning, Collection<String> known) {
    return new TaggedCounter(registry, name, tag, meaning, known);
  }
}
