package io.sluice.gateway.transport;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.Settings;

/** The ways by which bytes leave a node: each must carry the same bytes in the same order. */
enum Way {
  NIO("nio"),
  EPOLL("epoll"),
  IO_URING("io-uring");

  private final String transport;

  Way(String transport) {
    this.transport = transport;
  }

  /** A node's configuration for this way. */
  Config configure(Config config) {
    return config.with(Settings.SERVER_TRANSPORT, transport);
  }

  /** A handshake with such a node. */
  RawWebSocket.Request request(TestNode node) {
    return node.request();
  }
}
