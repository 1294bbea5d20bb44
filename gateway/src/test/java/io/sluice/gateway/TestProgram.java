package io.sluice.gateway;

import io.sluice.testkit.CommandResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Programs required by tests: installed ones, or ones downloaded without root. Stateless. */
public final class TestProgram {
  private static final Path PROVIDER = Path.of("src", "test", "scripts", "provide-program.sh");

  private TestProgram() {}

  /**
   * Returns the path of a program that is installed or can be downloaded. Otherwise prints what to
   * install on standard error.
   *
   * @param name {@code haproxy}, {@code nginx} or {@code krb5kdc}
   */
  public static Optional<String> provide(String name) throws Exception {
    String target = Path.of("target", name).toString();
    CommandResult provider = CommandResult.of(Map.of(), List.of(PROVIDER.toString(), name, target));
    if (provider.code() != 0) {
      System.err.println("no " + name + ": " + provider.lastLine());
      return Optional.empty();
    }
    return Optional.of(provider.lastLine());
  }
}
