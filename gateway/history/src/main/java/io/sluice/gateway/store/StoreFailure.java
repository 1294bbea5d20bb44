package io.sluice.gateway.store;

/**
 * Failure of the storage's disk: it is full or failing, or a file is corrupt. The message names the
 * folder. Immutable.
 */
public final class StoreFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean corruption;

  /**
   * Creates a failure.
   *
   * @param corruption whether the files of a topic are corrupt
   */
  public StoreFailure(String message, boolean corruption, Throwable cause) {
    super(message, cause);
    this.corruption = corruption;
  }

  /**
   * Returns whether the files of a topic are corrupt. A retry is then futile: the log must be
   * deleted or opened again. Otherwise the same call may succeed later.
   */
  public boolean isCorruption() {
    return corruption;
  }
}
