package io.sluice.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Archives of loaded classes (class data sharing), which the build makes before the integration
 * tests. Processes start with about half of the CPU time. Stateless.
 */
final class ClassArchives {
  private static final Path FOLDER = Path.of("gateway", "target", "class-archives");

  private ClassArchives() {}

  /** Returns the JVM options that use an archive; none if it does not exist. */
  static List<String> options(String name) {
    for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
      Path archive = up.resolve(FOLDER).resolve(name + ".jsa");
      if (Files.exists(archive)) {
        return List.of("-Xlog:cds*=off", "-XX:SharedArchiveFile=" + archive);
      }
    }
    return List.of();
  }
}
