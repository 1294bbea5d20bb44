package io.sluice.gateway.journal;

/**
 * Position in a topic's log with the cumulative totals since the log was created. All fields are
 * monotonic from one position to the next, so that each limit is a search for one position.
 * Immutable and safe for any thread.
 *
 * @param offset offset of the message at this position
 * @param ordinal number of messages before it, including dropped ones
 * @param bytes bytes of these messages
 * @param arrivalMs latest arrival up to this position; a clock that is set back does not lower it
 */
record LogPosition(long offset, long ordinal, long bytes, long arrivalMs) {
  static final LogPosition START = new LogPosition(1, 0, 0, 0);

  /** Returns this position for a message that arrives at a time. */
  LogPosition withArrival(long timeMs) {
    return new LogPosition(offset, ordinal, bytes, Math.max(arrivalMs, timeMs));
  }

  /** Returns the position after a message of {@code size} bytes. */
  LogPosition after(int size) {
    return new LogPosition(offset + 1, ordinal + 1, bytes + size, arrivalMs);
  }

  /** Returns this position with some offsets skipped. */
  LogPosition skipping(long offsets) {
    return new LogPosition(offset + offsets, ordinal, bytes, arrivalMs);
  }

  /** Returns whether no field is below the same field of {@code floor}. */
  boolean isAtLeast(LogPosition floor) {
    return ordinal >= floor.ordinal && bytes >= floor.bytes && arrivalMs >= floor.arrivalMs;
  }
}
