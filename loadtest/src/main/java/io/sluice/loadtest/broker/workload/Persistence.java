package io.sluice.loadtest.broker.workload;

import jakarta.jms.DeliveryMode;
import java.util.List;

/** JMS delivery mode of the messages. Immutable, for any thread. */
public enum Persistence {
  /** The broker confirms a message after storing it. */
  PERSISTENT(DeliveryMode.PERSISTENT),
  /** The broker confirms a message after receiving it. */
  NON_PERSISTENT(DeliveryMode.NON_PERSISTENT);

  private final int mode;

  Persistence(int mode) {
    this.mode = mode;
  }

  /** Returns the JMS constant. */
  public int mode() {
    return mode;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }

  /** Delivery modes measured in each run. */
  public enum Choice {
    /** Only persistent messages. */
    PERSISTENT(Persistence.PERSISTENT),
    /** Only non-persistent messages. */
    NON_PERSISTENT(Persistence.NON_PERSISTENT),
    /** Both alternately, which determines the disk's part of the time. */
    BOTH(Persistence.PERSISTENT, Persistence.NON_PERSISTENT);

    private final List<Persistence> deliveries;

    Choice(Persistence... deliveries) {
      this.deliveries = List.of(deliveries);
    }

    /** Returns the delivery modes in the order of the first run. */
    public List<Persistence> deliveries() {
      return deliveries;
    }

    /** As on the command line. */
    @Override
    public String toString() {
      return OptionName.of(this);
    }
  }
}
