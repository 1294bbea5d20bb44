package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;

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
    new BufferMemory().bindTo(registry);
    gc.bindTo(registry);
  }

  /** Stops listening to the garbage collector. */
  @Override
  public void close() {
    gc.close();
  }
}
