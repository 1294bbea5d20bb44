package io.sluice.gateway.hosts;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of benchmark results. Stateless. */
final class ResultFiles {
  private static final Path FOLDER = Path.of("..", "docs", "benchmarks", "results");

  private ResultFiles() {}

  /** Prints values. With {@code sluice.docs=write}, also replaces the file of that name. */
  static void write(String name, String csv) throws IOException {
    System.out.println(csv);
    if ("write".equals(System.getProperty("sluice.docs"))) {
      Files.writeString(FOLDER.resolve(name + ".csv"), csv);
    }
  }
}
