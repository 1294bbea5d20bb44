package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * File of an AOT cache while it is created. All files of a creation are in a temporary folder next
 * to the target. {@link #publish} renames the complete file; until then nodes use the former cache
 * or none. Used by the main thread; {@link #close} also by a shutdown hook.
 */
public final class AotCacheFile implements AutoCloseable {
  private final Path target;
  private final Path folder;

  private AotCacheFile(Path target, Path folder) {
    this.target = target;
    this.folder = folder;
  }

  /**
   * Creates the temporary folder.
   *
   * @throws IOException if the folder of the target cannot be written
   */
  public static AotCacheFile create(Path target) throws IOException {
    Path absolute = target.toAbsolutePath();
    Path parent = Files.createDirectories(absolute.getParent());
    return new AotCacheFile(absolute, Files.createTempDirectory(parent, ".aot-cache-"));
  }

  /** Returns the temporary folder. */
  public Path folder() {
    return folder;
  }

  /** Returns the file that the virtual machine writes. */
  public Path unpublished() {
    return folder.resolve("cache");
  }

  /** Renames the complete file to its target, and replaces a former one. */
  public void publish() throws IOException {
    Files.move(unpublished(), target, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Deletes the temporary folder. */
  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(folder)) {
      List<Path> deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
      for (Path file : deepestFirst) {
        Files.deleteIfExists(file);
      }
    } catch (IOException | UncheckedIOException e) {
      // Ignored: the folder was deleted by the shutdown hook, or remains and is not used.
    }
  }
}
