package io.sluice.gateway.admission;

import io.sluice.gateway.socket.AcceptedConnection;

/** Admission check applied when a connection is accepted. For the event loops of the port. */
public interface AdmissionCheck {
  /** Result of {@link #check}. */
  enum Verdict {
    /** A limit rejects the connection; it has been counted as reached. */
    REJECTED,

    /** The connection is accepted, and its handshake is charged to its address. */
    CHARGED,

    /** The connection is accepted; its first request will be charged. */
    UNCHARGED
  }

  /**
   * Checks a connection whose source address is determined. Only a header of the PROXY protocol has
   * been read from it.
   */
  Verdict check(AcceptedConnection connection);

  /** Returns the cause of its rejections, a tag of the metrics. */
  String cause();
}
