package io.sluice.gateway.sim;

import io.sluice.gateway.protocol.Message;
import java.util.ArrayList;
import java.util.List;

/** Everything that one interest of a node was handed, by offset: what its log could know. */
final class History {
  /**
   * One message or loss.
   *
   * @param identity meaningless if this is a loss
   * @param bytes what a log may count for it at most
   */
  record Entry(boolean loss, long identity, int bytes, long arrivedMs) {}

  /** More than a log counts for an entry beside its payload. */
  private static final int OVERHEAD = 256;

  private final List<Entry> entries = new ArrayList<>();
  private long stoodMs;

  void stand(boolean again, long nowMs) {
    if (again) {
      mark(nowMs);
    } else {
      stoodMs = nowMs;
    }
  }

  void mark(long nowMs) {
    entries.add(new Entry(true, 0, OVERHEAD, nowMs));
  }

  void message(Message message, long nowMs) {
    int bytes = OVERHEAD + message.payload().length;
    entries.add(new Entry(false, message.identity(), bytes, nowMs));
  }

  /** The number of the last entry; they count from 1. */
  long last() {
    return entries.size();
  }

  /** The last entry that came by this time. */
  long lastBy(long timeMs) {
    long offset = last();
    while (offset > 0 && at(offset).arrivedMs() > timeMs) {
      offset--;
    }
    return offset;
  }

  Entry at(long offset) {
    return entries.get((int) offset - 1);
  }

  /** When everything that is published began to arrive, in milliseconds of the run. */
  long stoodMs() {
    return stoodMs;
  }
}
