package io.sluice.loadtest.broker.workload;

import io.sluice.loadtest.broker.price.PriceCodec;
import io.sluice.loadtest.broker.price.PriceUpdate;
import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.ObjectMessage;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;

/**
 * Message type with its encoding and decoding of contents. For any thread that owns the session.
 */
public enum MessageType {
  /** A text message. */
  TEXT {
    @Override
    public Message create(Session session, StampedPrice content, int size) throws JMSException {
      byte[] payload = content.stamp().payload(size);
      return session.createTextMessage(new String(payload, StandardCharsets.ISO_8859_1));
    }

    @Override
    public StampedPrice read(Message message) throws JMSException {
      return message instanceof TextMessage text
          ? stamped(text.getText().getBytes(StandardCharsets.ISO_8859_1))
          : StampedPrice.NONE;
    }
  },
  /** A bytes message. */
  BYTES {
    @Override
    public Message create(Session session, StampedPrice content, int size) throws JMSException {
      return bytesMessage(session, content.stamp().payload(size));
    }

    @Override
    public StampedPrice read(Message message) throws JMSException {
      return stamped(bytes(message));
    }
  },
  /** A map with the payload as its only entry. */
  MAP {
    @Override
    public Message create(Session session, StampedPrice content, int size) throws JMSException {
      MapMessage message = session.createMapMessage();
      message.setBytes(ENTRY, content.stamp().payload(size));
      return message;
    }

    @Override
    public StampedPrice read(Message message) throws JMSException {
      return message instanceof MapMessage map && map.itemExists(ENTRY)
          ? stamped(map.getBytes(ENTRY))
          : StampedPrice.NONE;
    }
  },
  /** A bytes message with a typed price update in a compact encoding. */
  PRICE {
    @Override
    public Message create(Session session, StampedPrice content, int size) throws JMSException {
      byte[] payload = PriceCodec.encode(content.price(), BenchStamp.BYTES);
      content.stamp().write(payload);
      return bytesMessage(session, payload);
    }

    @Override
    public StampedPrice read(Message message) throws JMSException {
      return priced(bytes(message), 0);
    }
  },
  /** An object message with a typed price update, serialized by Java. */
  OBJECT {
    @Override
    public Message create(Session session, StampedPrice content, int size) throws JMSException {
      return session.createObjectMessage(content);
    }

    @Override
    public StampedPrice read(Message message) throws JMSException {
      return message instanceof ObjectMessage object
              && object.getObject() instanceof StampedPrice price
          ? price
          : StampedPrice.NONE;
    }
  };

  private static final byte[] EMPTY = {};
  private static final String ENTRY = "payload";

  /**
   * Returns a new message.
   *
   * @param size size of the payload in bytes; types with prices have the size of their price
   */
  public abstract Message create(Session session, StampedPrice content, int size)
      throws JMSException;

  /** Returns the content, without a stamp if the message has another type. */
  public abstract StampedPrice read(Message message) throws JMSException;

  /** Returns whether messages contain a price update. */
  public boolean hasPrice() {
    return this == PRICE || this == OBJECT;
  }

  /** Returns the content of a payload that begins at an index, decoded as this type. */
  public StampedPrice read(byte[] bytes, int start) {
    return this == PRICE
        ? priced(bytes, start)
        : new StampedPrice(BenchStamp.read(bytes, start), null);
  }

  private static StampedPrice stamped(byte[] payload) {
    return new StampedPrice(BenchStamp.read(payload, 0), null);
  }

  private static StampedPrice priced(byte[] bytes, int start) {
    BenchStamp stamp = BenchStamp.read(bytes, start);
    PriceUpdate price = stamp == null ? null : PriceCodec.decode(bytes, start + BenchStamp.BYTES);
    return new StampedPrice(stamp, price);
  }

  private static Message bytesMessage(Session session, byte[] payload) throws JMSException {
    BytesMessage message = session.createBytesMessage();
    message.writeBytes(payload);
    return message;
  }

  private static byte[] bytes(Message message) throws JMSException {
    if (!(message instanceof BytesMessage bytes)) {
      return EMPTY;
    }
    byte[] payload = new byte[(int) bytes.getBodyLength()];
    bytes.readBytes(payload);
    return payload;
  }

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }
}
