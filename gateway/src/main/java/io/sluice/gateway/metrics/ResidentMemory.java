package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * How much of the process is in memory, which the heap is only a part of: the clients' kernel
 * buffers are not in it, native buffers and code are. Where the system does not tell (it is Linux's
 * to tell) there is no such meter. For any thread.
 */
final class ResidentMemory implements MeterBinder {
  private static final String LINE = "VmRSS:";
  private static final int BYTES = 1024;

  private final Path status;

  ResidentMemory(Path status) {
    this.status = status;
  }

  /** That of this process. */
  ResidentMemory() {
    this(Path.of("/proc/self/status"));
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    if (!Double.isNaN(bytes())) {
      Gauge.builder("process.resident.memory", this::bytes)
          .description("Memory of the process that is not swapped out.")
          .baseUnit("bytes")
          .register(registry);
    }
  }

  /** NaN if the system does not tell. */
  private double bytes() {
    try (Stream<String> lines = Files.lines(status)) {
      return lines
          .filter(line -> line.startsWith(LINE))
          .mapToDouble(ResidentMemory::bytes)
          .findFirst()
          .orElse(Double.NaN);
    } catch (IOException e) {
      return Double.NaN;
    }
  }

  /** Such as {@code VmRSS: 123456 kB}. */
  private static double bytes(String line) {
    return Long.parseLong(line.replaceAll("\\D", "")) * (double) BYTES;
  }
}
