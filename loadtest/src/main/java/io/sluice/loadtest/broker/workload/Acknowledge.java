package io.sluice.loadtest.broker.workload;

import jakarta.jms.Session;

/** Acknowledge mode of consumers outside of transactions. Immutable, for any thread. */
public enum Acknowledge {
  /** The JMS client acknowledges each message. */
  AUTO(Session.AUTO_ACKNOWLEDGE),
  /** The JMS client acknowledges lazily, which may cause duplicates. */
  DUPS_OK(Session.DUPS_OK_ACKNOWLEDGE),
  /** The consumer acknowledges each message. */
  CLIENT(Session.CLIENT_ACKNOWLEDGE);

  private final int mode;

  Acknowledge(int mode) {
    this.mode = mode;
  }

  /** Returns the JMS constant. */
  public int mode() {
    return mode;
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }
}
