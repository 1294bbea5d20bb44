package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.vertx.core.buffer.Buffer;

/** Messages of one response, and their bounds. Bound to the client's event loop. */
final class MessagePage {
  private final PayloadView view;
  private final int maxMessages;
  private final int maxBytes;
  private final ByteBuf bytes = Unpooled.buffer(0);
  private int count;
  private String latest;

  MessagePage(PayloadView view, int maxMessages, int maxBytes) {
    this.view = view;
    this.maxMessages = maxMessages;
    this.maxBytes = maxBytes;
  }

  /** Returns whether no further message fits. The first one always does. */
  boolean isFull() {
    return count >= maxMessages || bytes.readableBytes() >= maxBytes;
  }

  /** Adds a message, unless it does not fit. Returns whether it was added. */
  boolean add(MessageRecord message) {
    if (count > 0 && (isFull() || bytes.readableBytes() + message.payloadBytes() > maxBytes)) {
      return false;
    }
    if (view.isArray()) {
      separate();
      message.writeElement(bytes);
    } else {
      message.writePayload(bytes);
    }
    count++;
    return true;
  }

  private void separate() {
    bytes.writeByte(bytes.isReadable() ? ',' : '[');
  }

  /** Sets the latest message, whose position is that of the page's end. */
  void endAt(MessageRecord message) {
    latest = message.position();
  }

  /** Adds an element that is no message, to an array only. */
  void addElement(byte[] json) {
    if (view.isArray()) {
      separate();
      bytes.writeBytes(json);
    }
  }

  /** Returns the number of messages. */
  int count() {
    return count;
  }

  /** Returns the position of the page's end; null before its first message. */
  String latest() {
    return latest;
  }

  PayloadView view() {
    return view;
  }

  /** Returns the body. No message may be added afterwards. */
  Buffer body() {
    if (view.isArray()) {
      if (!bytes.isReadable()) {
        bytes.writeByte('[');
      }
      bytes.writeByte(']');
    }
    return Buffer.buffer(ByteBufUtil.getBytes(bytes));
  }
}
