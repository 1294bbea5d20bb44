package io.sluice.gateway.socket;

import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.channels.NotYetConnectedException;

/** Socket whose bytes a {@link Sender} sends. Bound to its event loop. */
interface SendTarget {
  /** Returns the open descriptor. */
  Socket fd();

  /** Records the number of bytes that the kernel took, possibly 0. */
  void onSent(int bytes);

  /** Records that the descriptor failed; it must not be closed within this call. */
  void onSendFailed(IOException cause);

  /** Translates Netty's exception for a socket that the client has reset. */
  static IOException resetByClient(NotYetConnectedException cause) {
    return new IOException("connection reset by client", cause);
  }
}
