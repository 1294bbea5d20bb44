package io.sluice.gateway.journal;

import java.time.Duration;

/**
 * Limits of a journal. The first three hold for each topic; the oldest messages go first.
 *
 * @param messages most messages of a topic
 * @param bytes most bytes of a topic's messages, with what is stored about each (about 70 bytes)
 * @param age how long a message is kept after its arrival
 * @param folderBytes bytes of all files in the folder from which on the largest topics are cut; the
 *     files may pass it for a moment by what is written at once (a few MiB a topic)
 */
public record JournalLimits(long messages, long bytes, Duration age, long folderBytes) {

  /** Refuses limits that would keep nothing. */
  public JournalLimits {
    if (messages < 1 || bytes < 1 || folderBytes < 1 || age.isNegative() || age.isZero()) {
      throw new IllegalArgumentException("a journal's limits must be positive");
    }
  }
}
