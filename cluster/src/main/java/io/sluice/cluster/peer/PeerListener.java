package io.sluice.cluster.peer;

import java.io.IOException;
import java.net.SocketAddress;

/** Receives failures of connections between nodes. Called on any thread. */
public interface PeerListener {
  /** A peer showed no right certificate or secret. */
  void onRefused(String address, String cause);

  /** A peer does not answer, or accepts a connection and sends nothing. */
  void onHanging(SocketAddress address);

  /** A connection could not be accepted. */
  void onAcceptFailed(IOException cause);
}
