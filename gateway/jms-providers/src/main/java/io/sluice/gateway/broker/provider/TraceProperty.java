package io.sluice.gateway.broker.provider;

import io.sluice.gateway.trace.TraceContext;
import jakarta.jms.JMSException;
import jakarta.jms.Message;

/** Trace context of a JMS message, for log events. Stateless; any thread. */
public final class TraceProperty {
  private TraceProperty() {}

  /** Returns the property {@code traceparent}; null if it is missing or cannot be read. */
  public static Object of(Message message) {
    try {
      return message == null ? null : message.getObjectProperty(TraceContext.PARENT);
    } catch (JMSException | RuntimeException e) {
      return null; // the event reports why the message is unusable
    }
  }
}
