package io.sluice.helm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * How a program ended.
 *
 * @param output what it said, on both of its outputs
 */
record End(int code, String output) {
  private static final int KILLED = 137;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  /** Runs it to its end, or until it has taken too long. */
  static End of(Map<String, String> environment, List<String> command) throws Exception {
    Path said = Files.createTempFile("said", ".log");
    try {
      Process process = start(environment, command, said);
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return new End(KILLED, command.get(0) + " takes too long");
      }
      return new End(process.exitValue(), Files.readString(said));
    } finally {
      Files.delete(said);
    }
  }

  private static Process start(Map<String, String> environment, List<String> command, Path said)
      throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().putAll(environment);
    return builder.redirectOutput(said.toFile()).start();
  }
}
