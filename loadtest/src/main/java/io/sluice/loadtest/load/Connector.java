package io.sluice.loadtest.load;

import java.io.IOException;
import java.net.InetSocketAddress;

/** Opens the connections of one event loop. Bound to that loop. */
interface Connector extends AutoCloseable {
  /**
   * Starts to connect. The listener receives no event before this returns.
   *
   * @param from the local address, or null: chosen by the system
   * @throws IOException if no attempt can be made
   */
  Link connect(Link.Listener listener, InetSocketAddress to, InetSocketAddress from)
      throws IOException;

  /** Releases the shared resources; all connections are closed. */
  @Override
  void close();
}
