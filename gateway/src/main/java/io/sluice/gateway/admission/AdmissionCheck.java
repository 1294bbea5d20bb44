package io.sluice.gateway.admission;

import io.netty.channel.Channel;

/** Admission check applied when a connection is accepted. For the event loops of the port. */
public interface AdmissionCheck {
  /** What becomes of a connection. */
  enum Verdict {
    /** A limit is in the way, and was counted as reached. */
    REFUSED,

    /** It may go on, and its handshake has been counted for its address. */
    COUNTED,

    /** It may go on; its request will be counted. */
    UNKNOWN
  }

  /** Judges a connection whose nearest address is known, and of which nothing more was read. */
  Verdict judge(Channel channel);

  /** Why those are cut that it refuses, for metrics. */
  String cause();
}
