package io.sluice.loadtest.broker.workload;

/** Type of destinations. Immutable, for any thread. */
public enum Mode {
  /** One consumer of the destination receives a message. */
  QUEUE,
  /** Every consumer of the destination receives a message. */
  TOPIC;

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }
}
