package io.sluice.helm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Prometheus' own judge of rules: the machine's, or one that is fetched without root.
 *
 * @param program its path
 */
record Promtool(String program) {
  private static final Path PROVIDER =
      Path.of("..", "gateway", "src", "test", "scripts", "provide-program.sh");
  private static final int KILLED = 137;
  private static final Duration PATIENCE = Duration.ofMinutes(3);

  /** How a program ended, and what it said on both of its outputs. */
  record End(int code, String output) {}

  /** Skips the test, with the reason, where there is none to be had. */
  static Promtool provide() throws Exception {
    End provider = run(PROVIDER.toString(), "promtool", Path.of("target", "promtool").toString());
    List<String> said = provider.output().lines().toList();
    String last = said.isEmpty() ? "" : said.get(said.size() - 1);
    assumeTrue(provider.code() == 0, "no promtool: " + last);
    return new Promtool(last);
  }

  End check(Path rules) throws Exception {
    return run(program, "check", "rules", rules.toString());
  }

  End test(Path cases) throws Exception {
    return run(program, "test", "rules", cases.toString());
  }

  private static End run(String... command) throws Exception {
    Path said = Files.createTempFile("promtool", ".log");
    try {
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(said.toFile())
              .start();
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
        return new End(KILLED, "it takes too long");
      }
      return new End(process.exitValue(), Files.readString(said));
    } finally {
      Files.delete(said);
    }
  }
}
