package io.sluice.gateway;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The modules of a node, from the folder of this one. Stateless. */
public final class Modules {
  private static final Path MAIN = Path.of("src", "main", "java");
  private static final Path THIS = Path.of("");
  private static final Path CLUSTER = Path.of("..", "cluster");
  private static final Path PACKAGE = Path.of("io", "sluice", "gateway");

  private Modules() {}

  /** Returns the folders with the main classes of a node. */
  public static List<Path> sources() {
    try (Stream<Path> children = Files.list(Path.of("").toAbsolutePath())) {
      return Stream.concat(Stream.of(THIS, CLUSTER), children.map(Path::getFileName))
          .map(module -> module.resolve(MAIN))
          .filter(main -> main.startsWith(CLUSTER) || Files.exists(main.resolve(PACKAGE)))
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the name of the module of a folder with main classes; {@code app} for this one. */
  public static String name(Path source) {
    return source.getNameCount() == MAIN.getNameCount()
        ? "app"
        : source.getName(source.getNameCount() - MAIN.getNameCount() - 1).toString();
  }
}
