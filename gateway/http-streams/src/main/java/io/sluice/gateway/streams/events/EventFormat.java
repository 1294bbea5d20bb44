package io.sluice.gateway.streams.events;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.protocol.Channel;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.MessageFormat;
import io.sluice.gateway.protocol.PositionText;
import io.sluice.gateway.streams.route.EventText;
import java.util.List;

/**
 * Format of messages as events: the position as id, which comes first, then the data. Immutable,
 * for any thread.
 */
public final class EventFormat implements MessageFormat {
  static final EventFormat PAYLOAD = new EventFormat(EventData.PAYLOAD);
  static final EventFormat MESSAGE = new EventFormat(EventData.MESSAGE);

  /** All formats. */
  public static final List<MessageFormat> ALL = List.of(PAYLOAD, MESSAGE);

  /** Bytes of the fields of an event besides payload and properties, as a rule. */
  private static final int OVERHEAD = 320;

  private final EventData data;

  private EventFormat(EventData data) {
    this.data = data;
  }

  @Override
  public ByteBuf encode(Message message, Channel channel, long offset, ByteBufAllocator allocator) {
    int payload = message.payload().length;
    ByteBuf event = allocator.directBuffer(OVERHEAD + payload + payload / 8);
    try {
      EventText.id(PositionText.of(channel, offset, message), event);
      data.write(message, channel, offset, event);
      EventText.end(event);
      return event;
    } catch (RuntimeException e) {
      event.release();
      throw e;
    }
  }

  // The ref selects messages and is not sent.
  @Override
  public int tagBytes(long ref) {
    return 0;
  }

  @Override
  public void writeTagged(ByteBuf encoded, long ref, ByteBuf out) {
    out.writeBytes(encoded, encoded.readerIndex(), encoded.readableBytes());
  }
}
