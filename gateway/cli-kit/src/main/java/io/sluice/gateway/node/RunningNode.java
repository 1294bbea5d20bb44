package io.sluice.gateway.node;

/** Node that serves clients. For any thread. */
public interface RunningNode extends AutoCloseable {
  /** Returns the port for clients. */
  int port();

  /** Returns the admin port; 0 without one. */
  int adminPort();

  /** Returns the bytes of messages to clients with permessage-deflate, before compression. */
  long bytesBeforeCompression();

  /** Returns the bytes of messages to clients with permessage-deflate, after compression. */
  long bytesAfterCompression();

  /** Drains the clients within {@code timeouts.drain}, without readiness, and stops the node. */
  void drainAndStop();

  /** Stops at once; clients lose their connection. */
  @Override
  void close();
}
