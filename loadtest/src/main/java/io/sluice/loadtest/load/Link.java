package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import java.io.IOException;

/** TCP connection of a client, with or without TLS. Bound to its event loop. */
interface Link {
  /** Receiver of a link's events, called on its event loop. */
  interface Listener {
    /** Handles an established connection, including TLS. */
    void onConnected();

    /** Handles received bytes. The buffer is valid until this method returns. */
    void onBytes(ByteBuf in);

    /**
     * Handles the end of the connection or of the attempt. The link is closed.
     *
     * @param cause the failure, or null if the peer closed the connection
     */
    void onEnd(Throwable cause);
  }

  /**
   * Sends all of the bytes. The caller retains the buffer.
   *
   * @throws IOException if the socket does not accept all bytes immediately
   */
  void send(ByteBuf bytes) throws IOException;

  /** Closes the connection. The listener receives no more events. */
  void close();

  /** Closes the connection with a TCP reset instead of the end of the stream. */
  void reset();
}
