package io.sluice.loadtest.broker;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/**
 * A broker that is started for each run, with an empty journal, and ends with it. For one thread.
 */
final class JournalSite implements Site {
  private final JournalVariant variant;
  private final Path folder;
  private final Target base;

  /**
   * A site.
   *
   * @param folder in which each broker gets one of its own, that is deleted afterwards
   * @param base says who we are at the broker
   */
  JournalSite(JournalVariant variant, Path folder, Target base) {
    this.variant = variant;
    this.folder = folder;
    this.base = base;
  }

  @Override
  public Visit open() throws IOException {
    Path own = Files.createTempDirectory(folder, "journal-");
    ChildBroker broker = ChildBroker.start(variant, own);
    Target target = base.at(variant.provider(), broker.url());
    return new Visit() {
      @Override
      public Target target() {
        return target;
      }

      @Override
      public void close() throws IOException {
        broker.close();
        delete(own);
      }
    };
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
