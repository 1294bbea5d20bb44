package io.sluice.gateway.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Limits a process to a part of one processor, by a control group of its own (version 1 or 2).
 * Whoever uses it has to own the machine's groups. Bound to one thread.
 */
final class Quota implements AutoCloseable {
  /** Short, so that what is held up is not held up for long. */
  private static final int PERIOD_US = 10_000;

  private static final Path TWO = Path.of("/sys/fs/cgroup");
  private static final Path ONE = TWO.resolve("cpu");
  private static final Path ROOT = Files.exists(ONE) ? ONE : TWO;
  private static final String MEMBERS = "cgroup.procs";

  private final Path folder;

  /**
   * Limits nobody yet.
   *
   * @param name of the group, beside the number of this process
   * @param percent of one processor
   */
  Quota(String name, int percent) {
    folder = ROOT.resolve("sluice-%d-%s".formatted(ProcessHandle.current().pid(), name));
    try {
      Files.createDirectories(folder); // one that was ended left its own
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

  /** Why this machine limits nobody; empty if it does. */
  static Optional<String> obstacle() {
    try (Quota probe = new Quota("probe", 100)) {
      probe.limit(ProcessHandle.current().pid());
      return Optional.empty();
    } catch (UncheckedIOException e) {
      return Optional.of("control groups can't be made here: " + e.getMessage());
    }
  }

  /** From now on a process with all its threads has no more. */
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

  /** Ends the limit. */
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
