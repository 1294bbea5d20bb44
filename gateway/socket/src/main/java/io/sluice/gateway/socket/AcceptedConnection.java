package io.sluice.gateway.socket;

import io.sluice.gateway.handshake.Refusal;
import java.net.InetAddress;

/**
 * Accepted connection of a client, on a channel or on a bare socket. Equal to itself only. Bound to
 * its event loop, except {@link #execute}.
 */
public interface AcceptedConnection {
  /**
   * Returns the client's address, or the one that a PROXY protocol header names. Null if the client
   * has disconnected.
   */
  InetAddress source();

  /** Passes on what the kernel has received, unless the event loop has done so already. */
  default void readReceived() {}

  /** Closes the connection at once. */
  void close();

  /**
   * Closes the connection. If bytes of a request were received that has no response, the refusal is
   * sent first.
   */
  void closeWith(Refusal refusal);

  /** Runs a task on the event loop, at once if this is the calling thread. Any thread. */
  void execute(Runnable task);
}
