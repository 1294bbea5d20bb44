package io.sluice.gateway.broker.selector;

import jakarta.jms.DeliveryMode;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import org.apache.activemq.artemis.api.core.SimpleString;
import org.apache.activemq.artemis.selector.filter.Filterable;

/**
 * Headers and properties of a message that selectors test. Copied from the JMS message, which the
 * node does not retain. Immutable, for any thread.
 */
public final class MessageFields implements Filterable {
  static final String DELIVERY_MODE = "JMSDeliveryMode";
  static final String PRIORITY = "JMSPriority";
  static final String MESSAGE_ID = "JMSMessageID";
  static final String TIMESTAMP = "JMSTimestamp";
  static final String CORRELATION_ID = "JMSCorrelationID";
  static final String TYPE = "JMSType";

  /** Fields of a message whose headers or properties cannot be read. */
  public static final MessageFields UNREADABLE = new MessageFields(Map.of());

  /** Heap bytes of a field without its contents. */
  private static final int FIELD_BYTES = 96;

  /** Value of a property of another type than those of JMS: not null, and equal to nothing. */
  private static final Object OTHER = new Object();

  private final Map<String, Object> values;
  private final int size;

  private MessageFields(Map<String, Object> values) {
    this.values = values;
    int bytes = 0;
    for (Map.Entry<String, Object> value : values.entrySet()) {
      bytes += FIELD_BYTES + value.getKey().length();
      bytes += value.getValue() instanceof String text ? text.length() : 0;
    }
    this.size = bytes;
  }

  /** Returns fields with these values; none is null. */
  public static MessageFields of(Map<String, Object> values) {
    return new MessageFields(Map.copyOf(values));
  }

  /**
   * Copies the fields of a message.
   *
   * @throws JMSException if they cannot be read; a provider may also throw a RuntimeException
   */
  public static MessageFields of(Message message) throws JMSException {
    Map<String, Object> values = new HashMap<>();
    Enumeration<?> names = message.getPropertyNames();
    while (names.hasMoreElements()) {
      String name = String.valueOf(names.nextElement());
      put(values, name, message.getObjectProperty(name));
    }
    put(values, PRIORITY, message.getJMSPriority());
    put(values, TIMESTAMP, message.getJMSTimestamp());
    put(values, MESSAGE_ID, message.getJMSMessageID());
    put(values, CORRELATION_ID, message.getJMSCorrelationID());
    put(values, TYPE, message.getJMSType());
    boolean persistent = message.getJMSDeliveryMode() == DeliveryMode.PERSISTENT;
    put(values, DELIVERY_MODE, persistent ? "PERSISTENT" : "NON_PERSISTENT");
    return new MessageFields(values);
  }

  private static void put(Map<String, Object> values, String name, Object value) {
    if (value instanceof CharSequence text) {
      values.put(name, text.toString());
    } else if (value instanceof Number || value instanceof Boolean) {
      values.put(name, value);
    } else if (value != null) {
      values.put(name, OTHER);
    }
  }

  /** Returns the heap bytes of the fields. */
  public int size() {
    return size;
  }

  @Override
  public Object getProperty(SimpleString name) {
    return values.get(name.toString());
  }

  @Override
  public <T> T getBodyAs(Class<T> type) {
    return null; // the syntax excludes selectors that read the body
  }

  @Override
  public Object getLocalConnectionId() {
    return null;
  }
}
