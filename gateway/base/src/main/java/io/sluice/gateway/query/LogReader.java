package io.sluice.gateway.query;

import io.sluice.gateway.protocol.Message;

/** Reader of the log of an interest. Any thread may call it; it takes no lock. */
public interface LogReader {
  /** Returns the offset of the latest entry. */
  long last();

  /** Returns the message at an offset; null for a gap, and for a message that was evicted. */
  Message at(long offset);

  /** Returns whether it reads the same log as another reader. */
  boolean isSameAs(LogReader other);
}
