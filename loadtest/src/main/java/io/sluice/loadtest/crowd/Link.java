package io.sluice.loadtest.crowd;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** A client's TCP connection, with or without TLS. Bound to its event loop. */
interface Link {
  /**
   * Sends all of the bytes, which stay the caller's.
   *
   * @throws IOException if not all of them can leave at once
   */
  void send(ByteBuf bytes) throws IOException;

  /** Ends it; the client hears nothing more of it. */
  void close();

  /** Ends it with a reset instead of the end of the stream. */
  void reset();
}
