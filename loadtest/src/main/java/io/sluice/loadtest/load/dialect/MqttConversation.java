package io.sluice.loadtest.load.dialect;

import io.netty.buffer.ByteBuf;
import io.sluice.loadtest.load.frame.FrameParser;
import io.sluice.loadtest.load.frame.FrameScanner;
import io.sluice.loadtest.load.frame.UnitScanner;

/** Conversation in MQTT 3.1.1. Bound to the client's event loop. */
final class MqttConversation extends StreamConversation {
  private static final int CONNACK = 2;
  private static final int PUBLISH = 3;
  private static final int SUBACK = 9;

  private final String token;
  private final String topic;
  private final FrameParser frames = new FrameScanner(new Scanner());

  /**
   * Creates a conversation.
   *
   * @param token the password, or null
   * @param topic the topic filter, or null for a client that only publishes
   */
  MqttConversation(String token, String topic, Conversation.Listener listener) {
    super(listener);
    this.token = token;
    this.topic = topic;
  }

  @Override
  FrameParser frames() {
    return frames;
  }

  @Override
  public void begin(ByteBuf out) {
    MqttRequest.writeConnect(out, token);
  }

  @Override
  public void end(ByteBuf out) {
    MqttRequest.writeDisconnect(out);
    super.end(out);
  }

  private void onConnected(int code) {
    if (code != 0) {
      listener().onRefused("CONNACK with return code " + code);
    } else if (topic == null) {
      listener().onSubscribed();
    } else {
      ByteBuf out = listener().out();
      MqttRequest.writeSubscribe(out, topic);
      listener().send(out);
    }
  }

  private void onGranted(int code) {
    if (code == 0) {
      listener().onSubscribed();
    } else {
      listener().onRefused("SUBACK with return code " + code);
    }
  }

  /** Scanner of the server's packets. */
  private final class Scanner extends UnitScanner {
    private static final int TYPE_SHIFT = 4;
    private static final int QOS = 0x06;
    private static final int SEVEN_BITS = 0x7F;
    private static final int MORE = 0x80;
    private static final int MAX_LENGTH_BYTES = 4;
    private static final int MAX_SHORT_PACKET = 64;

    private int headerBytes;
    private int length;

    @Override
    protected int headBytes(ByteBuf bytes, int start, int available) {
      if (!readLength(bytes, start, available)) {
        return available + 1;
      }
      if (type(bytes, start) != PUBLISH) {
        return headerBytes + Math.min(length, MAX_SHORT_PACKET);
      }
      if (available < headerBytes + Short.BYTES) {
        return headerBytes + Short.BYTES;
      }
      int before = variableHeaderBytes(bytes, start);
      return headerBytes + Math.min(length, before + STAMP_BYTES);
    }

    private static int type(ByteBuf bytes, int start) {
      return bytes.getUnsignedByte(start) >> TYPE_SHIFT;
    }

    private int variableHeaderBytes(ByteBuf bytes, int start) {
      int identifier = (bytes.getByte(start) & QOS) == 0 ? 0 : Short.BYTES;
      return Short.BYTES + bytes.getUnsignedShort(start + headerBytes) + identifier;
    }

    /** Sets the lengths of the fixed header and of the rest, unless the header is incomplete. */
    private boolean readLength(ByteBuf bytes, int start, int available) {
      length = 0;
      for (int i = 1; i <= MAX_LENGTH_BYTES && i < available; i++) {
        int value = bytes.getByte(start + i);
        length |= (value & SEVEN_BITS) << 7 * (i - 1);
        if ((value & MORE) == 0 || i == MAX_LENGTH_BYTES) {
          headerBytes = i + 1;
          return true;
        }
      }
      return false;
    }

    @Override
    protected String process(ByteBuf bytes, int start, int count) {
      skip(headerBytes + length - count);
      switch (type(bytes, start)) {
        case PUBLISH -> {
          int before = headerBytes + variableHeaderBytes(bytes, start);
          listener().onMessage(bytes, start + before, Math.max(0, count - before));
        }
        case CONNACK -> onConnected(bytes.getUnsignedByte(start + count - 1));
        case SUBACK -> onGranted(bytes.getUnsignedByte(start + count - 1));
        default -> {
          // No other packet is expected, and each can be ignored.
        }
      }
      return null;
    }
  }
}
