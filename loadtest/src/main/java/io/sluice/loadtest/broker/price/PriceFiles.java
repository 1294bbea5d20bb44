package io.sluice.loadtest.broker.price;

import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Files in which price updates are recorded, and from which they are replayed. Immutable, for any
 * thread.
 *
 * @param recording file that the first consumer writes, or null
 * @param synced whether each update is on disk before it is acknowledged
 * @param replay file that producers read, or null
 */
public record PriceFiles(Path recording, boolean synced, Path replay) {
  /** No files: updates are generated, and not recorded. */
  public static final PriceFiles NONE = new PriceFiles(null, false, null);

  /**
   * Creates files after checking them.
   *
   * @throws IllegalArgumentException with a message that names the invalid option and the allowed
   *     values
   */
  public PriceFiles {
    if (synced && recording == null) {
      throw new IllegalArgumentException("--record-sync requires --record");
    }
    if (recording != null && !Files.isDirectory(recording.toAbsolutePath().getParent())) {
      throw new IllegalArgumentException(
          "--record " + recording + ": expected a file in an existing folder");
    }
    if (replay != null && !Files.isReadable(replay)) {
      throw new IllegalArgumentException("--replay " + replay + ": expected a readable file");
    }
    if (recording != null && recording.equals(replay)) {
      throw new IllegalArgumentException(
          "--record and --replay with the same file " + replay + ": expected different ones");
    }
  }

  /** Returns whether updates are recorded or replayed. */
  public boolean areUsed() {
    return recording != null || replay != null;
  }
}
