package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.channel.uring.IoUring;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.RawWebSocket;
import org.junit.jupiter.api.condition.OS;

/** Transports of a node: each must send the same bytes in the same order. */
enum TransportKind {
  NIO("nio", "channels"),
  EPOLL("epoll", "epoll"),
  IO_URING("io-uring", "io-uring");

  private final String transport;
  private final String name;

  TransportKind(String transport, String name) {
    this.transport = transport;
    this.name = name;
  }

  /** Skips the test if this system does not support the transport. */
  void assumeSupported(TestNode node) {
    boolean there =
        switch (this) {
          case NIO -> true;
          case EPOLL -> OS.LINUX.isCurrentOs();
          case IO_URING -> OS.LINUX.isCurrentOs() && IoUring.isAvailable();
        };
    assumeThat(there).as("%s on this system", this).isTrue();
    assertThat(node.gateway().transport()).isEqualTo(name);
  }

  /** Returns a node's configuration for this transport. */
  Config configure(Config config) {
    return config.with(ServerSettings.TRANSPORT, transport);
  }

  /** Returns a handshake with such a node. */
  RawWebSocket.Request request(TestNode node) {
    return node.request();
  }
}
