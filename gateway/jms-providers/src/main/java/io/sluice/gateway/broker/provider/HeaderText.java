package io.sluice.gateway.broker.provider;

import jakarta.jms.JMSException;

/** Texts in the headers of a JMS message. Stateless, for any thread. */
public final class HeaderText {
  private HeaderText() {}

  /** Reader of a header. */
  @FunctionalInterface
  public interface Header {
    String read() throws JMSException;
  }

  /** Returns a header; null if it is not set or no text, such as a correlation id of bytes. */
  public static String of(Header header) {
    try {
      return header.read();
    } catch (JMSException | RuntimeException e) {
      return null;
    }
  }
}
