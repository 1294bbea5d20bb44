package io.sluice.gateway.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Limit of a process to a fraction of one processor, by a control group (version 1 or 2). Requires
 * ownership of the machine's control groups. Bound to one thread.
 */
final class CpuQuota implements AutoCloseable {
  /** Short, so a throttled process does not pause for long. */
  private static final int PERIOD_US = 10_000;

  private static final Path TWO = Path.of("/sys/fs/cgroup");
  private static final Path ONE = TWO.resolve("cpu");
  private static final Path ROOT = Files.exists(ONE) ? ONE : TWO;
  private static final String MEMBERS = "cgroup.procs";

  private final Path folder;

  /**
   * Creates a control group without processes.
   *
   * @param name name of the group, in addition to this process's id
   * @param percent percentage of one processor
   */
  CpuQuota(String name, int percent) {
    folder = ROOT.resolve("sluice-%d-%s".formatted(ProcessHandle.current().pid(), name));
    try {
      Files.createDirectories(folder); // a killed process has left its group
      int quotaUs = PERIOD_US * percent / 100;
      if (ROOT.equals(ONE)) {
        Files.writeString(folder.resolve("cpu.cfs_period_us"), "" + PERIOD_US);
        Files.writeString(folder.resolve("cpu.cfs_quota_us"), "" + quotaUs);
      } else {
        Files.writeString(folder.resolve("cpu.max"), quotaUs + " " + PERIOD_US);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the reason why this machine cannot limit processes; empty if it can. */
  static Optional<String> obstacle() {
    try (CpuQuota probe = new CpuQuota("probe", 100)) {
      probe.limit(ProcessHandle.current().pid());
      return Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.of("control groups can't be made here: " + e.getMessage());
    }
  }

  /** Limits a process with all its threads. */
  void limit(long pid) {
    move(String.valueOf(pid), folder);
  }

  private static void move(String pid, Path group) {
    try {
      Files.writeString(group.resolve(MEMBERS), pid);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes the limit. */
  @Override
  public void close() {
    try {
      Files.readAllLines(folder.resolve(MEMBERS)).forEach(pid -> move(pid, ROOT));
      Files.delete(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
