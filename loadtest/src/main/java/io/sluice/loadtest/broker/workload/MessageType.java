package io.sluice.loadtest.broker.workload;

import jakarta.jms.BytesMessage;
import jakarta.jms.JMSException;
import jakarta.jms.MapMessage;
import jakarta.jms.Message;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import java.nio.charset.StandardCharsets;

/**
 * Message type with its encoding and decoding of payloads. For any thread that owns the session.
 */
public enum MessageType {
  /** A text message. */
  TEXT {
    @Override
    public Message create(Session session, byte[] payload) throws JMSException {
      return session.createTextMessage(new String(payload, StandardCharsets.ISO_8859_1));
    }

    @Override
    public byte[] read(Message message) throws JMSException {
      return message instanceof TextMessage text
          ? text.getText().getBytes(StandardCharsets.ISO_8859_1)
          : EMPTY;
    }
  },
  /** A bytes message. */
  BYTES {
    @Override
    public Message create(Session session, byte[] payload) throws JMSException {
      BytesMessage message = session.createBytesMessage();
      message.writeBytes(payload);
      return message;
    }

    @Override
    public byte[] read(Message message) throws JMSException {
      if (!(message instanceof BytesMessage bytes)) {
        return EMPTY;
      }
      byte[] payload = new byte[(int) bytes.getBodyLength()];
      bytes.readBytes(payload);
      return payload;
    }
  },
  /** A map with the payload as its only entry. */
  MAP {
    @Override
    public Message create(Session session, byte[] payload) throws JMSException {
      MapMessage message = session.createMapMessage();
      message.setBytes(ENTRY, payload);
      return message;
    }

    @Override
    public byte[] read(Message message) throws JMSException {
      return message instanceof MapMessage map && map.itemExists(ENTRY)
          ? map.getBytes(ENTRY)
          : EMPTY;
    }
  };

  private static final byte[] EMPTY = {};
  private static final String ENTRY = "payload";

  public abstract Message create(Session session, byte[] payload) throws JMSException;

  /** Returns the payload, or an empty array if the message has another type. */
  public abstract byte[] read(Message message) throws JMSException;

  /** Returns the name on the command line. */
  @Override
  public String toString() {
    return OptionName.of(this);
  }
}
