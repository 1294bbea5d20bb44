package io.sluice.testkit;

import java.nio.file.Files;
import java.nio.file.Path;

/** Files of the documentation, from the folder of any module. Stateless. */
public final class Docs {
  private Docs() {}

  /** Returns a file below docs, which exists. */
  public static Path file(String... names) {
    Path file = Path.of("docs", names);
    for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
      if (Files.exists(up.resolve(file))) {
        return up.resolve(file);
      }
    }
    throw new AssertionError("no " + file + " above the working directory");
  }
}
