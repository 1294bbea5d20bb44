package io.sluice.loadtest.load;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Opener of connections for one event loop. Bound to that event loop. */
interface Connector extends AutoCloseable {
  /**
   * Starts to connect. The listener receives no event before this returns.
   *
   * @param from the local address, or null if the system chooses it
   * @throws IOException if the attempt cannot start
   */
  Link connect(Link.Listener listener, InetSocketAddress to, InetSocketAddress from)
      throws IOException;

  /** Releases the shared resources. All connections must be closed. */
  @Override
  void close();
}
