package io.sluice.gateway.journal;

/**
 * Failure of the disk below the journal: it is full, failing, or holds what nobody wrote. The
 * message names the journal's folder.
 */
public final class JournalFailure extends Exception {
  private static final long serialVersionUID = 1L;

  private final boolean damage;

  JournalFailure(String message, boolean damage, Throwable cause) {
    super(message, cause);
    this.damage = damage;
  }

  /**
   * Whether the files of a topic are damaged, so that trying again is in vain: its log has to be
   * deleted or opened anew. Otherwise the same call may succeed later.
   */
  public boolean isDamage() {
    return damage;
  }
}
