package io.sluice.gateway.sim;

import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.journal.Journal;
import io.sluice.gateway.journal.JournalFailure;
import io.sluice.gateway.journal.JournalLimits;
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
 * A node's real journal, of which a crash leaves what had been written. The node's memory is not
 * written before a sync, so that the files of a moment are those of the latest sync before it; one
 * file alone, the watermark, may be an older one.
 */
final class NodeJournal {
  /** More than can come again, so that it is known. */
  private static final int UNACKNOWLEDGED = 4_096;

  private static final long ROOMY = 1L << 30;
  private static final String LOCK = "journal.lock";
  private static final String WATERMARK = ".safe";

  private final Path home;
  private final Chance chance;
  private final JournalLimits limits;
  private int life;
  private Journal journal;
  private boolean harmed;

  NodeJournal(Path home, Chance chance, Plan plan) {
    this.home = home;
    this.chance = chance;
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

  /** Opens it for a life of the node. */
  Journal open(NodeClock clock) {
    try {
      journal = Journal.open(folder(life), limits, wall(clock));
      return journal;
    } catch (JournalFailure e) {
      throw new IllegalStateException(e);
    }
  }

  private static InstantSource wall(NodeClock clock) {
    return () -> Instant.ofEpochMilli(clock.wallMs());
  }

  /** Whether it was damaged since it was open. */
  boolean isHarmed() {
    return harmed;
  }

  void opened() {
    harmed = false;
  }

  /** Ends in order. */
  void close() {
    close(journal);
  }

  // On a disk that is full it does not close in order.
  private static void close(Journal closing) {
    try {
      closing.close();
    } catch (JournalFailure e) {
      if (!String.valueOf(e.getMessage()).contains(FullDisk.MESSAGE)) {
        throw new IllegalStateException(e);
      }
    }
  }

  /** Keeps what a crash in this moment would leave, for {@link #crash}. */
  void image() {
    copyTo(folder(life + 1), path -> true);
  }

  /** The watermark of this moment, for {@link #crash}: a later one need not reach the disk. */
  void imageOfWatermark() {
    copyTo(folder(life + 1), path -> path.endsWith(WATERMARK));
  }

  /** What was written since an image was made is there, too. */
  void imageOfTheRest() {
    copyTo(folder(life + 1), path -> !path.endsWith(WATERMARK));
  }

  /** Goes on with the image that was made, or with one of now. */
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

  /** Somebody deletes all of it while the node is down. */
  void lose() {
    harmed = true;
    delete(folder(life));
  }

  /** Something happens to one of its files while the node is down. */
  void harm() {
    if (!Files.exists(folder(life))) {
      return; // it has not been there before
    }
    try (Stream<Path> files = Files.list(folder(life))) {
      List<Path> all = files.filter(file -> !file.endsWith(LOCK)).sorted().toList();
      if (!all.isEmpty()) {
        harmed = true;
        harm(chance.of(all));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void harm(Path file) throws IOException {
    long length = Files.size(file);
    if (length == 0 || chance.oneIn(3)) {
      Files.delete(file);
      return;
    }
    try (RandomAccessFile torn = new RandomAccessFile(file.toFile(), "rw")) {
      if (chance.oneIn(2)) {
        torn.setLength(chance.between(0, length - 1));
      } else {
        torn.seek(chance.between(0, length - 1));
        torn.write(chance.below(256));
      }
    }
  }

  /** Gives everything back. */
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

  /** Whether its disk takes messages. */
  void full(boolean full) {
    try (Stream<Path> files = Files.list(folder(life))) {
      for (Path file : files.filter(one -> one.toString().endsWith(".db")).sorted().toList()) {
        FullDisk.set(file, full);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A database that refuses every message, as it does on a full disk. */
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
