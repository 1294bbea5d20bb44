package io.sluice.loadtest.abtest;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * System under test during one run: a process that is started for it, or a running system. One
 * thread calls it.
 */
final class SystemProcess implements AutoCloseable {
  private static final long POLL_MILLIS = 50;

  private final SystemUnderTest system;
  private final Process process;
  private final Path log;
  private final Duration stopTimeout;
  private final Thread stopAtExit;

  private SystemProcess(SystemUnderTest system, Process process, Path log, Duration stopTimeout) {
    this.system = system;
    this.process = process;
    this.log = log;
    this.stopTimeout = stopTimeout;
    this.stopAtExit = process == null ? null : new Thread(process::destroy, "stop-system");
    if (stopAtExit != null) {
      Runtime.getRuntime().addShutdownHook(stopAtExit);
    }
  }

  /**
   * Starts a system and waits until it is ready.
   *
   * @param log file to which its output is appended
   * @throws IOException if it is not ready in time, or if another system is at its address; the
   *     message names the system
   */
  static SystemProcess start(
      SystemUnderTest system, Path log, Duration startTimeout, Duration stopTimeout)
      throws IOException, InterruptedException {
    ReadyProbe probe = new ReadyProbe(system);
    if (system.command().isPresent() && probe.isReady()) {
      throw new IOException(
          "system %s: %s responds before the system was started; stop that process, or omit --%s to measure it without restarts"
              .formatted(system.name(), probe.address(), system.name()));
    }
    SystemProcess started = new SystemProcess(system, launch(system, log), log, stopTimeout);
    try {
      started.awaitReady(probe, startTimeout);
      return started;
    } catch (IOException | InterruptedException e) {
      started.close();
      throw e;
    }
  }

  private static Process launch(SystemUnderTest system, Path log) throws IOException {
    if (system.command().isEmpty()) {
      return null;
    }
    // The shell is replaced by the command, which therefore receives the signals.
    return new ProcessBuilder("sh", "-c", "exec " + system.command().get())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
        .start();
  }

  private void awaitReady(ReadyProbe probe, Duration timeout)
      throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (!probe.isReady()) {
      if (process != null && !process.isAlive()) {
        throw failure("ended with status " + process.exitValue() + " before it was ready");
      }
      if (System.nanoTime() > deadline) {
        throw failure("not ready at " + probe.address() + " within " + timeout.toSeconds() + " s");
      }
      TimeUnit.MILLISECONDS.sleep(POLL_MILLIS);
    }
  }

  private IOException failure(String reason) {
    return new IOException(
        "system %s: %s%s"
            .formatted(system.name(), reason, process == null ? "" : "; its output is in " + log));
  }

  /**
   * Returns the identity of the started process.
   *
   * @param measured identity that the system itself exposes; empty if unknown
   */
  String identity(String measured) {
    if (process == null) {
      return measured;
    }
    Instant start = process.info().startInstant().orElse(Instant.EPOCH);
    return "process " + process.pid() + " started " + start;
  }

  /** Returns whether the process still runs; true for a system that was not started here. */
  boolean isAlive() {
    return process == null || process.isAlive();
  }

  /** Stops a started process with SIGTERM, and with SIGKILL after the time limit. */
  @Override
  public void close() {
    if (process == null) {
      return;
    }
    process.destroy();
    removeHook();
    try {
      if (!process.waitFor(stopTimeout.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(stopAtExit);
    } catch (IllegalStateException e) {
      return; // The program is ending, and the hook stops the process, too.
    }
  }
}
