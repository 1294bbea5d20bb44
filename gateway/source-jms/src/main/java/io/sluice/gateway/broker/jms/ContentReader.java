package io.sluice.gateway.broker.jms;

import io.sluice.gateway.protocol.Message;

/** Reader of the content of JMS messages. Any thread. */
@FunctionalInterface
public interface ContentReader {
  /**
   * Reads a message.
   *
   * @throws Undeliverable if it cannot be forwarded, which has been counted
   */
  Message read(jakarta.jms.Message message) throws Undeliverable;

  /** Reports that a message cannot be delivered to a client. */
  final class Undeliverable extends Exception {
    private static final long serialVersionUID = 1L;

    /**
     * Creates a report.
     *
     * @param cause short word for the metric and the log
     */
    public Undeliverable(String cause) {
      super(cause, null, false, false); // carries a value, not a bug: no stack trace
    }
  }
}
