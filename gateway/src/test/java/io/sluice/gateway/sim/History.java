package io.sluice.gateway.sim;

import java.util.ArrayList;
import java.util.List;

/** Everything that one interest of a node was handed, by offset: what its log could know. */
final class History {
  /**
   * One message or loss.
   *
   * @param identity meaningless if this is a loss
   */
  record Entry(boolean loss, long identity, long arrivedMs) {}

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
    entries.add(new Entry(true, 0, nowMs));
  }

  void message(long identity, long nowMs) {
    entries.add(new Entry(false, identity, nowMs));
  }

  /** The number of the last entry; they count from 1. */
  long last() {
    return entries.size();
  }

  Entry at(long offset) {
    return entries.get((int) offset - 1);
  }

  /** When everything that is published began to arrive, in milliseconds of the run. */
  long stoodMs() {
    return stoodMs;
  }
}
