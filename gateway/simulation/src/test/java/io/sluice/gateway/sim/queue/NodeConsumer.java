package io.sluice.gateway.sim.queue;

/** Consumer of a node, as its session knows it: the credit that the client has granted. */
final class NodeConsumer {
  private int credit;
  private boolean closed;

  NodeConsumer(int credit) {
    this.credit = credit;
  }

  void credit(int newCredit) {
    credit = newCredit;
  }

  void close() {
    closed = true;
  }

  /** Returns whether it has to request a message while none is unsettled. */
  boolean wantsMessages() {
    return credit > 0 && !closed;
  }
}
