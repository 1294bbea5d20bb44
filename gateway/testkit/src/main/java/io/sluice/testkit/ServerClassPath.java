package io.sluice.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Class paths of servers that tests start as processes, from separate modules. Stateless. */
final class ServerClassPath {
  private ServerClassPath() {}

  /**
   * Returns the class path of a server, from the folder of any module.
   *
   * @param module folder of its module below that of the gateway
   */
  static String of(String module) {
    Path classPath = Path.of("gateway", module, "target", "class-path.txt");
    for (Path up = Path.of("").toAbsolutePath(); up != null; up = up.getParent()) {
      Path file = up.resolve(classPath);
      if (Files.exists(file)) {
        try {
          return Files.readString(file);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
      }
    }
    throw new AssertionError("no " + classPath + " above the working directory; build that module");
  }
}
