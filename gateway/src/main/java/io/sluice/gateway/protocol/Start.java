package io.sluice.gateway.protocol;

/** Where a subscription begins: docs/PROTOCOL.md, section 3. */
public sealed interface Start {
  /** With what is published from now on. */
  Start NOW = new Now();

  /** With the newest message of each topic. */
  Start SNAPSHOT = new Snapshot();

  /** See {@link #NOW}. */
  record Now() implements Start {}

  /** See {@link #SNAPSHOT}. */
  record Snapshot() implements Start {}

  /** With so many of the latest messages. */
  record Last(int count) implements Start {}

  /**
   * Where a client stood on an earlier connection, as it says: docs/PROTOCOL.md, section 8.
   *
   * @param site where the epoch's log was
   * @param ids identities of the latest messages, newest last
   * @param sinceMs nothing from before may be sent
   * @param timeMs up to when it was known to be caught up, or 0
   */
  record Position(long epoch, Site site, long offset, long[] ids, long sinceMs, long timeMs)
      implements Start {
    /** A position of a site without a name. */
    public Position(long epoch, long offset, long[] ids, long sinceMs, long timeMs) {
      this(epoch, Site.UNNAMED, offset, ids, sinceMs, timeMs);
    }

    /** The identity of the very latest message, of those that it names. */
    public long latestId() {
      return ids[ids.length - 1];
    }

    /** Whether it names this identity. */
    public boolean hasId(long id) {
      for (long known : ids) {
        if (known == id) {
          return true;
        }
      }
      return false;
    }
  }
}
