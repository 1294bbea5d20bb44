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
 * Meters of the JVM and the process: memory, garbage collection, threads, CPU, descriptors, uptime.
 * Micrometer provides them, except resident memory and buffers. {@link GatewayMetrics} creates and
 * closes it, on its caller's thread.
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

  // Buffers of clients are outside of the heap and not covered by the JVM's meters.
  private static void buffers(
      MeterRegistry registry, String state, ToDoubleFunction<PooledByteBufAllocator> bytes) {
    Gauge.builder("sluice.buffers", PooledByteBufAllocator.DEFAULT, bytes)
        .tag("state", state)
        .description("Direct memory of buffers: reserved by the pool, and used of that.")
        .baseUnit("bytes")
        .register(registry);
  }

  /** Removes the listener of the garbage collector. */
  @Override
  public void close() {
    gc.close();
  }
}
