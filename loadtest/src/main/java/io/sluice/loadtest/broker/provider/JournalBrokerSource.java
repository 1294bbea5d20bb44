package io.sluice.loadtest.broker.provider;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Source that starts a broker with an empty journal for each run and stops it afterwards. For one
 * thread.
 */
public final class JournalBrokerSource implements BrokerSource {
  /** Files of Artemis' journal, and of KahaDB's. */
  private static final Pattern JOURNAL = Pattern.compile("/journal/[^/]+\\.amq$|/db-[0-9]+\\.log$");

  private final JournalVariant variant;
  private final Path folder;
  private final BrokerTarget base;

  /**
   * Creates a source.
   *
   * @param folder in which a sub-folder per broker is created and deleted
   * @param base credentials and destination names
   */
  public JournalBrokerSource(JournalVariant variant, Path folder, BrokerTarget base) {
    this.variant = variant;
    this.folder = folder;
    this.base = base;
  }

  @Override
  public Lease open() throws IOException {
    Path journal = Files.createTempDirectory(folder, "journal-");
    ChildBroker broker = ChildBroker.start(variant, journal);
    BrokerTarget target = base.at(variant.provider(), broker.url());
    return new Lease() {
      @Override
      public BrokerTarget target() {
        return target;
      }

      @Override
      public int journalFiles() throws IOException {
        return count(journal);
      }

      @Override
      public void close() throws IOException {
        broker.close();
        delete(journal);
      }
    };
  }

  /** Returns the number of files in which the brokers store messages. */
  private static int count(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      return (int) paths.filter(path -> JOURNAL.matcher(path.toString()).find()).count();
    }
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> paths = Files.walk(folder)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(path);
      }
    }
  }
}
