package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** TCP connection of a client, with or without TLS. Bound to its event loop. */
interface Link {
  /** Events of a link, on its event loop. */
  interface Listener {
    /** The connection is established, TLS included. */
    void onConnected();

    /** Bytes were received; the buffer is valid until this returns. */
    void onBytes(ByteBuf in);

    /**
     * The connection has ended or could not be established. The link is closed.
     *
     * @param cause null: the peer closed it
     */
    void onEnd(Throwable cause);
  }

  /**
   * Sends all of the bytes, which stay the caller's.
   *
   * @throws IOException if not all of them can be sent at once
   */
  void send(ByteBuf bytes) throws IOException;

  /** Closes it; its listener receives no more events. */
  void close();

  /** Closes it with a TCP reset instead of the end of the stream. */
  void reset();
}
