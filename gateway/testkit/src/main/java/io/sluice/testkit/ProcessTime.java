package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** CPU time of processes on Linux. Stateless, for any thread. */
public final class ProcessTime {
  private static final double TICKS_PER_SECOND = 100;

  /** Index among the fields after the program's name. */
  private static final int USER_TICKS = 11;

  private ProcessTime() {}

  /** Returns the user and system CPU time of a process, in seconds. */
  public static double cpuSeconds(long pid) {
    String stat = stat(pid);
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[USER_TICKS + 1]))
        / TICKS_PER_SECOND;
  }

  private static String stat(long pid) {
    try {
      return Files.readString(Path.of("/proc", String.valueOf(pid), "stat"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
