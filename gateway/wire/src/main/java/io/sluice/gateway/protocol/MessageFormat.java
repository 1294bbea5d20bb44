package io.sluice.gateway.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Format of the messages of an open protocol. All subscriptions of the format share a message's
 * bytes. Stateless, for any thread.
 */
public interface MessageFormat {
  /**
   * Returns a message as it is sent, owned by the caller. If the protocol uses WebSockets, this
   * includes the frame's header. The first byte behind it is not an opening brace.
   *
   * @param offset offset of the message in its topic log
   */
  ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator);

  /** Returns the maximum bytes that {@link #writeTagged} adds to a message. */
  int tagBytes(long ref);

  /**
   * Writes a message for a subscription that its ref identifies. Subscriptions with equal refs
   * share the bytes.
   *
   * @param encoded the result of {@link #encode}; its indices do not change
   * @param ref 0 to 2^32-1, chosen by the client of the protocol
   */
  void writeTagged(ByteBuf encoded, long ref, ByteBuf out);
}
