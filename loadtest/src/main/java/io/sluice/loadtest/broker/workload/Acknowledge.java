package io.sluice.loadtest.broker.workload;

import jakarta.jms.Session;

/** How consumers tell the broker that they have a message, outside of transactions. */
public enum Acknowledge {
  /** The JMS client does, after each message. */
  AUTO(Session.AUTO_ACKNOWLEDGE),
  /** The JMS client does, now and then. */
  DUPS_OK(Session.DUPS_OK_ACKNOWLEDGE),
  /** The consumer does, after each message. */
  CLIENT(Session.CLIENT_ACKNOWLEDGE);

  private final int mode;

  Acknowledge(int mode) {
    this.mode = mode;
  }

  /** The number that JMS gives it. */
  public int mode() {
    return mode;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return Words.of(this);
  }
}
