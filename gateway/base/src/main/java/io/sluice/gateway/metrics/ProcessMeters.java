package io.sluice.gateway.metrics;

import com.sun.management.OperatingSystemMXBean;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.netty.buffer.PooledByteBufAllocator;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/**
 * Meters of the JVM and the process: versions, memory, garbage collection, threads, CPU,
 * descriptors, uptime. Micrometer provides them, except resident memory and buffers. {@link
 * GatewayMetrics} creates and closes it, on its caller's thread.
 */
final class ProcessMeters implements AutoCloseable {
  /** Meters of Micrometer that this class replaces. */
  static final Set<String> REPLACED = Set.of("process.cpu.time", "system.cpu.count");

  private static final double NANOS = 1e9;

  private final JvmGcMetrics gc = new JvmGcMetrics();

  ProcessMeters(MeterRegistry registry) {
    buildInfo(registry);
    processors(registry);
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

  private static void buildInfo(MeterRegistry registry) {
    String version = ProcessMeters.class.getPackage().getImplementationVersion();
    Gauge.builder("sluice.build.info", () -> 1)
        .tag("version", version == null ? "dev" : version)
        .tag("java", Runtime.version().toString())
        .description("Versions of Sluice and of its JVM; the value is 1.")
        .register(registry);
  }

  // Micrometer's meters process.cpu.time and system.cpu.count have names that promtool rejects.
  private static void processors(MeterRegistry registry) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof OperatingSystemMXBean system) {
      FunctionCounter.builder("process.cpu", system, os -> os.getProcessCpuTime() / NANOS)
          .baseUnit("seconds")
          .description("CPU time of the process.")
          .register(registry);
    }
    Gauge.builder("system.cpus", Runtime.getRuntime(), Runtime::availableProcessors)
        .description("Processors available to the process.")
        .register(registry);
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
