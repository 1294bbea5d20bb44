package io.sluice.gateway.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Resident memory of the process, including heap, native buffers and code, without the clients'
 * kernel buffers. Read from a file of Linux; other systems have no such meter. Any thread.
 */
final class ResidentMemory implements MeterBinder {
  private static final String LINE = "VmRSS:";
  private static final int BYTES = 1024;

  private final Path status;

  ResidentMemory(Path status) {
    this.status = status;
  }

  /** Creates an instance for this process. */
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

  /** Returns the resident memory; NaN if the system does not report it. */
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

  /** Parses a line such as {@code VmRSS: 123456 kB}. */
  private static double bytes(String line) {
    return Long.parseLong(line.replaceAll("\\D", "")) * (double) BYTES;
  }
}
