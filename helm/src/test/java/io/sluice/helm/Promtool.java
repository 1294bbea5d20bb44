package io.sluice.helm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testkit.CommandResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Prometheus' own judge of rules: the machine's, or one that is fetched without root.
 *
 * @param program its path
 */
record Promtool(String program) {
  private static final Path PROVIDER =
      Path.of("..", "gateway", "src", "test", "scripts", "provide-program.sh");

  /** Skips the test, with the reason, where there is none to be had. */
  static Promtool provide() throws Exception {
    CommandResult provider =
        run(PROVIDER.toString(), "promtool", Path.of("target", "promtool").toString());
    assumeTrue(provider.code() == 0, "no promtool: " + provider.lastLine());
    return new Promtool(provider.lastLine());
  }

  CommandResult check(Path rules) throws Exception {
    return run(program, "check", "rules", rules.toString());
  }

  CommandResult test(Path cases) throws Exception {
    return run(program, "test", "rules", cases.toString());
  }

  private static CommandResult run(String... command) throws Exception {
    return CommandResult.of(Map.of(), List.of(command));
  }
}
