package io.sluice.gateway.protocol;

/** Requested start of a subscription: docs/PROTOCOL.md, section 3. Immutable, for any thread. */
public sealed interface Start {
  /** Live messages only. */
  Start NOW = new Now();

  /** The newest message of each topic first. */
  Start SNAPSHOT = new Snapshot();

  /** See {@link #NOW}. */
  record Now() implements Start {}

  /** See {@link #SNAPSHOT}. */
  record Snapshot() implements Start {}

  /** A number of the latest messages first. */
  record Last(int count) implements Start {}

  /**
   * Position of the client on an earlier connection, as it reports it: docs/PROTOCOL.md, section 8.
   *
   * @param site of the epoch's log
   * @param ids identities of the latest messages, newest last
   * @param sinceMs earliest time of messages to send
   * @param timeMs time up to which the client was caught up, or 0
   */
  record Position(long epoch, Site site, long offset, long[] ids, long sinceMs, long timeMs)
      implements Start {
    /** Creates a position of a site without a name. */
    public Position(long epoch, long offset, long[] ids, long sinceMs, long timeMs) {
      this(epoch, Site.UNNAMED, offset, ids, sinceMs, timeMs);
    }

    /** Returns the identity of the latest message. */
    public long latestId() {
      return ids[ids.length - 1];
    }

    /** Returns whether the position contains this identity. */
    public boolean hasId(long id) {
      for (long each : ids) {
        if (each == id) {
          return true;
        }
      }
      return false;
    }
  }
}
