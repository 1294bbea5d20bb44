package io.sluice.helm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.testkit.CommandResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Prometheus' promtool, which checks rules: installed, or downloaded without root.
 *
 * @param program path of the program
 */
record Promtool(String program) {
  private static final Path PROVIDER =
      Path.of("..", "gateway", "src", "test", "scripts", "provide-program.sh");

  /** Returns promtool, or skips the test with a reason if it is not available. */
  static Promtool provide() throws Exception {
    CommandResult provider =
        run(PROVIDER.toString(), "promtool", Path.of("target", "promtool").toString());
    assumeTrue(provider.code() == 0, "no promtool: " + provider.lastLine());
    return new Promtool(provider.lastLine());
  }

  CommandResult check(Path rules) throws Exception {
    return run(program, "check", "rules", rules.toString());
  }

  /** Checks a configuration of Prometheus without the files that it names. */
  CommandResult checkConfig(Path configuration) throws Exception {
    return run(program, "check", "config", "--syntax-only", configuration.toString());
  }

  CommandResult test(List<Path> cases) throws Exception {
    List<String> command = new ArrayList<>(List.of(program, "test", "rules"));
    cases.forEach(file -> command.add(file.toString()));
    return run(command.toArray(String[]::new));
  }

  private static CommandResult run(String... command) throws Exception {
    return CommandResult.of(Map.of(), List.of(command));
  }
}
