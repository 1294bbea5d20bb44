package io.sluice.loadtest.broker;

import jakarta.jms.DeliveryMode;
import java.util.List;

/** Whether messages survive the end of the broker. */
public enum Delivery {
  /** The broker answers when the message is in its store. */
  PERSISTENT(DeliveryMode.PERSISTENT),
  /** The broker answers when it has the message. */
  NON_PERSISTENT(DeliveryMode.NON_PERSISTENT);

  private final int mode;

  Delivery(int mode) {
    this.mode = mode;
  }

  /** The number that JMS gives it. */
  int mode() {
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
    PERSISTENT(Delivery.PERSISTENT),
    /** Others. */
    NON_PERSISTENT(Delivery.NON_PERSISTENT),
    /** Both, turn about, which tells what of the time is the disk. */
    BOTH(Delivery.PERSISTENT, Delivery.NON_PERSISTENT);

    private final List<Delivery> deliveries;

    Choice(Delivery... deliveries) {
      this.deliveries = List.of(deliveries);
    }

    /** In the order of the first run. */
    List<Delivery> deliveries() {
      return deliveries;
    }

    /** As on the command line. */
    @Override
    public String toString() {
      return Words.of(this);
    }
  }
}
