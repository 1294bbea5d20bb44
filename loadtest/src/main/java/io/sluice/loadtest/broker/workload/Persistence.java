package io.sluice.loadtest.broker.workload;

import jakarta.jms.DeliveryMode;
import java.util.List;

/** JMS delivery mode of the messages. */
public enum Persistence {
  /** The broker answers when the message is in its store. */
  PERSISTENT(DeliveryMode.PERSISTENT),
  /** The broker answers when it has the message. */
  NON_PERSISTENT(DeliveryMode.NON_PERSISTENT);

  private final int mode;

  Persistence(int mode) {
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

  /** What is measured in each run. */
  public enum Choice {
    /** Persistent messages. */
    PERSISTENT(Persistence.PERSISTENT),
    /** Others. */
    NON_PERSISTENT(Persistence.NON_PERSISTENT),
    /** Both, turn about, which tells what of the time is the disk. */
    BOTH(Persistence.PERSISTENT, Persistence.NON_PERSISTENT);

    private final List<Persistence> deliveries;

    Choice(Persistence... deliveries) {
      this.deliveries = List.of(deliveries);
    }

    /** In the order of the first run. */
    public List<Persistence> deliveries() {
      return deliveries;
    }

    /** As on the command line. */
    @Override
    public String toString() {
      return Words.of(this);
    }
  }
}
