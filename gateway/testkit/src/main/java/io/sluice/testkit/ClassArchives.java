package io.sluice.testkit;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Archives of loaded classes (class data sharing), which the build makes before the tests that use
 * them. Processes start with about half of the CPU time. Stateless.
 */
public final class ClassArchives {
  private static final List<Path> FOLDERS =
      Stream.of("gateway/target", "gateway/kafka-server/target")
          .map(target -> Path.of(target, "class-archives"))
          .toList();

  private ClassArchives() {}

  /** Returns the JVM options that use an archive; none if it does not exist. */
  public static List<String> options(String name) {
    return find(name + ".jsa")
        .map(archive -> List.of("-Xlog:cds*=off", "-XX:SharedArchiveFile=" + archive))
        .orElse(List.of());
  }

  /** Returns a file in a folder of archives, if it exists. */
  public static Optional<Path> find(String file) {
    for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
      for (Path folder : FOLDERS) {
        Path found = up.resolve(folder).resolve(file);
        if (Files.exists(found)) {
          return Optional.of(found);
        }
      }
    }
    return Optional.empty();
  }
}
