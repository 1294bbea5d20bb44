package io.sluice.gatling;

import io.gatling.javaapi.core.CheckBuilder;
import io.sluice.gatling.check.Extractors;

/** Checks of the sequence of a stream's messages. */
public final class SequenceChecks {
  SequenceChecks() {}

  /**
   * Returns the check that no message is missing, repeated or out of order. With {@code latest} and
   * {@code rate}, and for consumers, only losses that the node reports count.
   */
  public CheckBuilder.Final noGaps() {
    return Extractors.ofStream("seq", String.class, window -> window.continuity()).is("no gaps");
  }

  /** Returns the check of the number of gaps. */
  public CheckBuilder.Find<Integer> gaps() {
    return Extractors.ofStream("seq gaps", Integer.class, window -> window.gaps());
  }
}
