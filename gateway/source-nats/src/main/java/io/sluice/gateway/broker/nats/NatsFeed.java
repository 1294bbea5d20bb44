package io.sluice.gateway.broker.nats;

import io.nats.client.JetStreamApiException;
import java.io.IOException;

/** Messages of one interest that arrive over one connection. */
interface NatsFeed {
  /** Opens the feed at the server. Called once; blocks. */
  void open() throws IOException, JetStreamApiException, InterruptedException;

  /** Notifies the listener; messages may arrive from now on. Control thread. */
  void begin();

  /** Ends the feed; the listener is not called any more. Control thread. */
  void end();

  /** Checks that the server still serves the feed. Any thread. */
  default void check(long nowNs) {}
}
