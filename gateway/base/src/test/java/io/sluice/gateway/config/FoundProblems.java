package io.sluice.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** Problems that the rules of this package find. Stateless. */
public final class FoundProblems {
  private FoundProblems() {}

  /**
   * Writes a file, reads it, and returns its problems, each with its key.
   *
   * @param folder where the file is written
   * @param settings all but the broker's URL
   */
  static List<String> of(Path folder, String settings) throws IOException {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, "broker.url: tcp://localhost:1\n" + settings);
    return of(ConfigFile.read(file, Map.<String, String>of()::get)).stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  /** Reads a text as a file {@code f}, for the rules of other packages. */
  public static ConfigFindings reading(String text) {
    return new ConfigFindings(ConfigFile.parse("f", text, name -> null));
  }

  /** Returns the problems of a text that some rules find, each with its key. */
  public static List<String> of(String text, Consumer<ConfigFindings> rules) {
    ConfigFindings findings = reading(text);
    rules.accept(findings);
    return findings.problems().stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }

  /** Returns the problems of values that were read. */
  static List<Problem> of(ConfigDraft draft) {
    ConfigFindings findings = new ConfigFindings(draft);
    ConfigRules.check(findings);
    return findings.problems();
  }
}
