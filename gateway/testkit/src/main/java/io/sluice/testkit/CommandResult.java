package io.sluice.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Exit code and output of a command that has ended. Immutable.
 *
 * @param output standard output and standard error, merged
 */
public record CommandResult(int code, String output) {
  private static final int TIMED_OUT = 137;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /**
   * Runs a command until it ends. Kills it and its descendants after five minutes; the exit code is
   * then 137.
   *
   * @param environment variables added to those of this process
   * @throws IOException if the program cannot be started
   */
  public static CommandResult of(Map<String, String> environment, List<String> command)
      throws IOException, InterruptedException {
    Path output = Files.createTempFile("command", ".log");
    try {
      Process process = start(environment, command, output);
      if (!process.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return new CommandResult(TIMED_OUT, command.get(0) + " did not end within " + TIMEOUT);
      }
      return new CommandResult(process.exitValue(), Files.readString(output));
    } finally {
      Files.delete(output);
    }
  }

  private static Process start(Map<String, String> environment, List<String> command, Path output)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.redirectOutput(output.toFile()).start();
  }

  /** Returns the last line of the output; empty if there is no output. */
  public String lastLine() {
    List<String> lines = output.lines().toList();
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }
}
