package io.sluice.loadtest.load;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Counters at one moment, with the server's CPU time. Two of them bound the measured time.
 * Immutable.
 *
 * @param serverCpuNanos CPU time of the server's process; 0 if unknown
 */
record MeasuredWindow(long nanos, Counters.Snapshot counts, long serverCpuNanos) {
  private static final int KIBI = 1024;

  static MeasuredWindow now(Counters.Snapshot counts, MeasurementOptions options) {
    long cpu =
        options.server() == null
            ? 0
            : options.server().info().totalCpuDuration().map(Duration::toNanos).orElse(0L);
    return new MeasuredWindow(System.nanoTime(), counts, cpu);
  }

  /** Returns the resident memory of a process, or 0 if it is unknown. */
  static long residentBytes(ProcessHandle process) {
    Path status = Path.of("/proc", Long.toString(process.pid()), "status");
    try {
      return Files.readAllLines(status).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * KIBI)
          .sum();
    } catch (IOException e) {
      return 0; // not Linux, or the process has ended
    }
  }
}
