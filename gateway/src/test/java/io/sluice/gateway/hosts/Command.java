package io.sluice.gateway.hosts;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runner of short-lived programs. Stateless. */
final class Command {
  private static final long TIMEOUT_S = 30;

  private Command() {}

  /**
   * Result of a program.
   *
   * @param output standard output and standard error
   */
  record Outcome(int exitCode, String output) {}

  /** Runs a program, which must exit with 0. Returns its output. */
  static String run(List<String> command) {
    Outcome outcome = attempt(command);
    if (outcome.exitCode() != 0) {
      throw new IllegalStateException(
          "%s ended with %d: %s"
              .formatted(String.join(" ", command), outcome.exitCode(), outcome.output()));
    }
    return outcome.output();
  }

  /** Runs a program. */
  static Outcome attempt(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      process.getOutputStream().close();
      String output = new String(process.getInputStream().readAllBytes()).strip();
      if (!process.waitFor(TIMEOUT_S, TimeUnit.SECONDS)) {
        process.destroyForcibly();
        throw new IllegalStateException(command + " does not end");
      }
      return new Outcome(process.exitValue(), output);
    } catch (IOException e) {
      throw new UncheckedIOException(command + " can't be run", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
