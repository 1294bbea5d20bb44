package io.sluice.loadtest.broker.result;

/**
 * Journal files of a broker. Immutable, for any thread.
 *
 * @param before smallest number of files that existed before a run
 * @param created largest number of files created during a run
 */
public record JournalFiles(int before, int created) {
  /** Returns the files of both runs. */
  public JournalFiles and(JournalFiles other) {
    return new JournalFiles(Math.min(before, other.before), Math.max(created, other.created));
  }
}
