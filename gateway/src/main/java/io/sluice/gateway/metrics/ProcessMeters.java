package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.function.ToDoubleFunction;

/**
 * Micrometer's own meters of the JVM and the process: memory, garbage collection, threads, CPU,
 * descriptors, uptime; and the memory of the process and of buffers, of which it has none. Made and
 * closed by {@link GatewayMetrics}, on its caller's thread.
 */
final class ProcessMeters implements AutoCloseable {
  private final JvmGcMetrics gc = new JvmGcMetrics();

  ProcessMeters(MeterRegistry registry) {
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    new ResidentMemory().bindTo(registry);
    buffers(registry, "reserved", pool -> pool.metric().usedDirectMemory());
    buffers(registry, "used", PooledByteBufAllocator::pinnedDirectMemory);
    gc.bindTo(registry);
  }

  // Buffers of clients are outside of the heap and not among the JVM's own meters.
  private static void buffers(
      MeterRegistry registry, String state, ToDoubleFunction<PooledByteBufAllocator> bytes) {
    Gauge.builder("sluice.buffers", PooledByteBufAllocator.DEFAULT, bytes)
        .tag("state", state)
        .description("Memory of buffers outside of the heap: of the pool, and in use of that.")
        .baseUnit("bytes")
        .register(registry);
  }

  /** Stops listening to the garbage collector. */
  @Override
  public void close() {
    gc.close();
  }
}
