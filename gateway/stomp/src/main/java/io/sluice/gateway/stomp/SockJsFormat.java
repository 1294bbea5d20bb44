package io.sluice.gateway.stomp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.util.Base64;

/**
 * Format of the messages of topics for clients of SockJS. It has texts only: bytes that are not
 * UTF-8 are sent in base64. Stateless, for any thread.
 */
final class SockJsFormat extends StompFormat {
  private static final int HEAD = SockJs.head() + SockJs.escaped(ascii(MESSAGE + '\n')).length;

  SockJsFormat(StompVersion version, SubscriptionIds ids) {
    super(version, ids);
  }

  @Override
  public ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator) {
    ByteBuf stomp = allocator.heapBuffer(capacity(message));
    try {
      boolean isText = message.kind() != PayloadKind.BYTES || isText(message.payload());
      write(isText ? message : inBase64(message), !isText, channel, offset, stomp);
      return SockJs.message(allocator, stomp);
    } finally {
      stomp.release();
    }
  }

  private static Message inBase64(Message message) {
    return new Message(
        message.topic(),
        message.identity(),
        message.timeMs(),
        PayloadKind.TEXT,
        Base64.getEncoder().encode(message.payload()),
        message.properties(),
        message.key());
  }

  @Override
  int head() {
    return HEAD;
  }

  @Override
  byte[] headers(long ref) {
    return SockJs.escaped(super.headers(ref));
  }
}
