package io.sluice.loadtest.crowd;

import java.io.IOException;
import java.net.InetSocketAddress;

/** A way to hold the connections of one event loop. Bound to that loop. */
interface Links extends AutoCloseable {
  /**
   * Begins to connect. The client hears of it by {@link Client#onConnected}, {@link Client#onBytes}
   * and {@link Client#onEnd}, none of them before this returns.
   *
   * @param from the local address, or null for whichever the system takes
   * @throws IOException if it cannot even begin
   */
  Link connect(Client client, InetSocketAddress to, InetSocketAddress from) throws IOException;

  /** Gives back what the connections shared; all of them are closed. */
  @Override
  void close();
}
