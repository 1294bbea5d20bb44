package io.sluice.gateway.journal;

/**
 * A place in a topic's log, with what was there before it since the log began. Of two marks the
 * later one has no smaller number in any field, so that each limit is a search for one mark.
 *
 * @param offset of the message at this place
 * @param ordinal messages before it, dropped ones included
 * @param bytes their bytes
 * @param arrivalMs the latest arrival up to this place: a clock that is set back does not lower it
 */
record Mark(long offset, long ordinal, long bytes, long arrivalMs) {
  static final Mark START = new Mark(1, 0, 0, 0);

  /** The same place for a message that arrives now. */
  Mark arriving(long atMs) {
    return new Mark(offset, ordinal, bytes, Math.max(arrivalMs, atMs));
  }

  /** The place behind a message of {@code size} bytes. */
  Mark after(int size) {
    return new Mark(offset + 1, ordinal + 1, bytes + size, arrivalMs);
  }

  /** The same place, whose next offset leaves some out. */
  Mark skipping(long offsets) {
    return new Mark(offset + offsets, ordinal, bytes, arrivalMs);
  }

  /** Whether the message at this place may be kept when {@code floor} is the lowest place. */
  boolean isAtLeast(Mark floor) {
    return ordinal >= floor.ordinal && bytes >= floor.bytes && arrivalMs >= floor.arrivalMs;
  }
}
