package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.JournalLimits;
import io.sluice.gateway.store.StoreFailure;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.sqlite.JDBC;

/**
 * Real journal of a node. After a crash only the bytes written before remain. The node's memory is
 * not written before a sync, so the files at any time are those of the latest sync. Only the
 * watermark file may be older.
 */
final class NodeJournal {
  /** Exceeds the number of messages that can be redelivered, so that each of them is recognized. */
  private static final int UNACKNOWLEDGED = 4_096;

  private static final long ROOMY = 1L << 30;
  private static final String LOCK = "journal.lock";
  private static final String WATERMARK = ".safe";

  private final Path home;
  private final SeededRandom random;
  private final SeededRandom epochs;
  private final JournalLimits limits;
  private int life;
  private Journal journal;
  private boolean corrupted;

  NodeJournal(Path home, SeededRandom random, Plan plan) {
    this.home = home;
    this.random = random;
    this.epochs = new SeededRandom(home.getFileName().toString().hashCode());
    this.limits =
        new JournalLimits(
            Math.max(UNACKNOWLEDGED, plan.config.get(HistorySettings.MESSAGES)),
            ROOMY,
            plan.config.get(HistorySettings.AGE),
            ROOMY);
  }

  private Path folder(int ofLife) {
    return home.resolve(Integer.toString(ofLife));
  }

  /** Opens the journal for one run of the node. */
  Journal open(NodeClock clock) {
    try {
      journal = Journal.open(folder(life), limits, wall(clock), epochs::number);
      return journal;
    } catch (StoreFailure e) {
      throw new IllegalStateException(e);
    }
  }

  private static InstantSource wall(NodeClock clock) {
    return () -> Instant.ofEpochMilli(clock.wallMs());
  }

  /** Returns whether the journal was damaged since it was last open. */
  boolean isCorrupted() {
    return corrupted;
  }

  void opened() {
    corrupted = false;
  }

  /** Closes the journal in order. */
  void close() {
    close(journal);
  }

  // On a full disk the journal does not close in order.
  private static void close(Journal closing) {
    try {
      closing.close();
    } catch (StoreFailure e) {
      if (!String.valueOf(e.getMessage()).contains(FullDisk.MESSAGE)) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Copies the files that a crash at this time would leave, for {@link #crash}. */
  void image() {
    copyTo(folder(life + 1), path -> true);
  }

  /** Copies the current watermark, for {@link #crash}. A later one may not reach the disk. */
  void imageOfWatermark() {
    copyTo(folder(life + 1), path -> path.endsWith(WATERMARK));
  }

  /** Copies all other files, including the bytes written since the image was made. */
  void imageOfTheRest() {
    copyTo(folder(life + 1), path -> !path.endsWith(WATERMARK));
  }

  /** Continues with the existing image, or with one of the current files. */
  void crash() {
    if (!Files.exists(folder(life + 1))) {
      image();
    }
    close(journal);
    delete(folder(life));
    life++;
  }

  private interface Choice {
    boolean has(String path);
  }

  private void copyTo(Path image, Choice choice) {
    try (Stream<Path> files = Files.list(folder(life))) {
      Files.createDirectories(image);
      for (Path file : files.toList()) {
        String name = file.getFileName().toString();
        if (!name.equals(LOCK) && !name.endsWith("-shm") && choice.has(name)) {
          Files.copy(file, image.resolve(name), StandardCopyOption.REPLACE_EXISTING);
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Deletes the journal while the node is down. */
  void lose() {
    corrupted = true;
    delete(folder(life));
  }

  /** Damages one of the files while the node is down. */
  void corrupt() {
    if (!Files.exists(folder(life))) {
      return; // the node has not run yet
    }
    try (Stream<Path> files = Files.list(folder(life))) {
      List<Path> all = files.filter(file -> !file.endsWith(LOCK)).sorted().toList();
      if (!all.isEmpty()) {
        corrupted = true;
        corrupt(random.of(all));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void corrupt(Path file) throws IOException {
    long length = Files.size(file);
    if (length == 0 || random.oneIn(3)) {
      Files.delete(file);
      return;
    }
    try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
      if (random.oneIn(2)) {
        torn.setLength(random.between(0, length - 1));
      } else {
        torn.seek(random.between(0, length - 1));
        torn.write(random.below(256));
      }
    }
  }

  /** Closes the journal if it is open and deletes all files. */
  void end(boolean open) {
    if (open) {
      close(journal);
    }
    delete(home);
  }

  private static void delete(Path folder) {
    if (!Files.exists(folder)) {
      return;
    }
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted((one, other) -> other.compareTo(one)).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Makes the disk accept or reject messages. */
  void full(boolean full) {
    try (Stream<Path> files = Files.list(folder(life))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".db")).sorted().toList()) {
        FullDisk.set(file, full);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Rejects every message in the database, as a full disk does. */
  private static final class FullDisk {
    private static final String MESSAGE = "no room in the simulation";

    static void set(Path database, boolean full) {
      String change =
          full
              ? "CREATE TRIGGER IF NOT EXISTS full BEFORE INSERT ON message"
                  + " BEGIN SELECT RAISE(ABORT, '"
                  + MESSAGE
                  + "'); END"
              : "DROP TRIGGER IF EXISTS full";
      try (Connection connection =
              JDBC.createConnection("jdbc:sqlite:" + database, new Properties());
          Statement statement = connection.createStatement()) {
        statement.execute(change);
      } catch (SQLException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}
