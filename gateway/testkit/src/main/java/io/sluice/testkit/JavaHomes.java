package io.sluice.testkit;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Java installations of this machine. Stateless. */
public final class JavaHomes {
  private static final Path USUAL = Path.of("/usr/lib/jvm");

  private JavaHomes() {}

  /**
   * Returns the executable of a Java of a version or a later one: that of this process, of {@code
   * SLUICE_JAVA} or {@code JAVA_HOME}, or in the usual folder. Otherwise prints what to install on
   * standard error.
   */
  public static Optional<Path> atLeast(int version) throws IOException {
    List<Path> homes = new ArrayList<>();
    Stream.of(
            System.getProperty("java.home"),
            System.getenv("SLUICE_JAVA"),
            System.getenv("JAVA_HOME"))
        .filter(home -> home != null && !home.isEmpty())
        .forEach(home -> homes.add(Path.of(home)));
    if (Files.isDirectory(USUAL)) {
      try (Stream<Path> installed = Files.list(USUAL)) {
        installed.sorted().forEach(homes::add);
      }
    }
    for (Path home : homes) {
      if (version(home) >= version) {
        return Optional.of(home.resolve("bin").resolve("java"));
      }
    }
    System.err.printf("no Java %d or later; install it, or set SLUICE_JAVA%n", version);
    return Optional.empty();
  }

  private static int version(Path home) throws IOException {
    Path file = home.resolve("release");
    if (!Files.isReadable(file) || !Files.isExecutable(home.resolve("bin").resolve("java"))) {
      return 0;
    }
    Properties release = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      release.load(reader);
    }
    String version = release.getProperty("JAVA_VERSION", "").replaceFirst("\"?(\\d*).*", "$1");
    return version.isEmpty() ? 0 : Integer.parseInt(version);
  }
}
