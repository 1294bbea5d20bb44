package io.sluice.gateway.config;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** What is wrong with a configuration file. Stateless. */
final class FoundProblems {
  private FoundProblems() {}

  /**
   * Reads a file, and tells what is wrong with it, each by its key.
   *
   * @param folder where the file is written
   * @param settings all but the broker's URL
   */
  static List<String> of(Path folder, String settings) throws IOException {
    Path file = folder.resolve("sluice.yaml");
    Files.writeString(file, "broker.url: tcp://localhost:1\n" + settings);
    return ConfigFile.read(file, Map.<String, String>of()::get).problems().stream()
        .map(problem -> problem.key() + ": " + problem.what())
        .toList();
  }
}
