package io.sluice.gateway.streams.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.gateway.session.ProtocolContext;

/**
 * The latest events of one event loop: its clients at one topic are sent the same bytes. Bound to
 * that loop.
 */
final class SharedEvents {
  /** Time after which the events are released; clients of one batch share them. */
  private static final long KEPT_MS = 1_000;

  private final ProtocolContext loop;
  private PayloadView view;
  private int length;
  private boolean upToDate;
  private long cursor;
  private String next;

  /** Null while none are kept. */
  private ByteBuf events;

  private boolean expires;

  SharedEvents(ProtocolContext loop) {
    this.loop = loop;
  }

  /**
   * Returns records as events, borrowed until the end of the batch.
   *
   * @param records at least one; the indices do not change
   */
  ByteBuf of(PayloadView wanted, ByteBuf records, boolean isUpToDate, long wantedCursor) {
    int last = MessageRecord.last(records);
    boolean isSame =
        events != null
            && view == wanted
            && upToDate == isUpToDate
            && cursor == wantedCursor
            && length == records.readableBytes()
            && MessageRecord.hasPosition(records, last, next);
    if (!isSame) {
      close();
      view = wanted;
      upToDate = isUpToDate;
      cursor = wantedCursor;
      length = records.readableBytes();
      next = MessageRecord.position(records, last);
      events = encoded(records);
      if (!expires) {
        expires = true;
        loop.executeLater(this::expire, KEPT_MS);
      }
    }
    return events;
  }

  /** Returns the position behind the latest events. */
  String next() {
    return next;
  }

  private ByteBuf encoded(ByteBuf records) {
    MessagePage page = new MessagePage(view, Integer.MAX_VALUE, Integer.MAX_VALUE);
    ByteBuf rest = records.slice();
    while (rest.isReadable()) {
      MessageRecord message = new MessageRecord(rest);
      page.add(message);
      message.pass();
    }
    ByteBuf out = PooledByteBufAllocator.DEFAULT.directBuffer(records.readableBytes() + 256);
    DurableEventText.data(view, page.body().getBytes(), out);
    DurableEventText.control(next, cursor, upToDate, out);
    return out;
  }

  private void expire() {
    expires = false;
    close();
  }

  private void close() {
    if (events != null) {
      loop.releaseAfterBatch(events);
      events = null;
    }
  }
}
