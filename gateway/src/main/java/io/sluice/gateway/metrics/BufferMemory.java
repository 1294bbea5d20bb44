package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.function.ToDoubleFunction;

/**
 * The memory of buffers for clients, which is outside of the heap and not among the JVM's own
 * meters: what connections make a node hold shows here. For any thread.
 */
final class BufferMemory implements MeterBinder {
  @Override
  public void bindTo(MeterRegistry registry) {
    gauge(registry, "reserved", pool -> pool.metric().usedDirectMemory());
    gauge(registry, "used", PooledByteBufAllocator::pinnedDirectMemory);
  }

  private static void gauge(
      MeterRegistry registry, String state, ToDoubleFunction<PooledByteBufAllocator> bytes) {
    Gauge.builder("sluice.buffers", PooledByteBufAllocator.DEFAULT, bytes)
        .tag("state", state)
        .description("Memory of buffers outside of the heap: of the pool, and in use of that.")
        .baseUnit("bytes")
        .register(registry);
  }
}
