package io.sluice.cluster.peer;

import java.io.IOException;
import java.net.SocketAddress;

/** Listener for failures of connections between nodes. Called on any thread. */
public interface PeerListener {
  /** Reports a peer without a valid certificate or secret. */
  void onRefused(String address, String cause);

  /** Reports a peer that does not respond, or accepts a connection and sends nothing. */
  void onUnresponsive(SocketAddress address);

  /** Reports a connection that could not be accepted. */
  void onAcceptFailed(IOException cause);
}
