package io.sluice.loadtest.broker.workload;

/** Who gets a message. */
public enum Mode {
  /** One of the consumers of its destination. */
  QUEUE,
  /** Every consumer of its destination. */
  TOPIC;

  /** As on the command line. */
  @Override
  public String toString() {
    return Words.of(this);
  }
}
