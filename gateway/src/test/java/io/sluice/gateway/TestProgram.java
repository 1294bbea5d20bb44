package io.sluice.gateway;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Programs with which nodes are tested: those of the machine, or fetched without root. */
public final class TestProgram {
  private static final Path PROVIDER = Path.of("src", "test", "scripts", "provide-program.sh");
  private static final Duration PATIENCE = Duration.ofMinutes(2);

  private TestProgram() {}

  /**
   * Returns the program's path, if it is there or can be fetched; otherwise it is said on standard
   * error what to install.
   *
   * @param name {@code haproxy}, {@code nginx} or {@code krb5kdc}
   */
  public static Optional<String> provide(String name) throws Exception {
    Path said = Files.createTempFile(name, ".log");
    try {
      Process provider =
          new ProcessBuilder(PROVIDER.toString(), name, Path.of("target", name).toString())
              .redirectError(said.toFile())
              .start();
      boolean ended = provider.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (!ended) {
        provider.descendants().forEach(ProcessHandle::destroyForcibly);
        provider.destroyForcibly();
      }
      if (!ended || provider.exitValue() != 0) {
        String why = ended ? lastLine(said) : "it takes too long to fetch it";
        System.err.println("no " + name + ": " + why);
        return Optional.empty();
      }
      return Optional.of(provider.inputReader().readLine());
    } finally {
      Files.delete(said);
    }
  }

  private static String lastLine(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }
}
