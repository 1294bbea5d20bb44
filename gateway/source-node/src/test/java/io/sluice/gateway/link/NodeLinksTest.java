package io.sluice.gateway.link;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.metrics.MeterBuilder;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of links whose other end fails before they are open. */
@Timeout(300)
final class NodeLinksTest {
  private final Vertx vertx = Vertx.vertx();

  @AfterEach
  void close() {
    vertx.close().await();
  }

  @Test
  void shouldDialAgainIfConnectionsAreResetAtOnce() throws Exception {
    AtomicInteger failures = new AtomicInteger();
    try (ServerSocket root = new ServerSocket(0, 16, InetAddress.getLoopbackAddress())) {
      Thread resets = new Thread(() -> reset(root), "resets");
      resets.start();
      NodeLinks links = links();
      links.follow(
          List.of("ws://127.0.0.1:" + root.getLocalPort()),
          new RootLinks.Receiver() {
            @Override
            public LinkLeaf onRoot(LinkChannel channel, LinkRecord.Hello hello) {
              throw new AssertionError("no root is there");
            }

            @Override
            public void onUnreachable(String why) {
              failures.incrementAndGet();
            }
          });
      await().atMost(Duration.ofMinutes(4)).until(() -> failures.get() >= 2);
      links.close();
    }
  }

  private NodeLinks links() throws Exception {
    Config config = Config.defaults().with(BrokerSettings.CANARY_TIMEOUT, Duration.ofMillis(100));
    LinkMeters meters = new LinkMeters(new MeterBuilder(new SimpleMeterRegistry()));
    return new NodeLinks(vertx, LinkOptions.of(config), "leaf", null, null, meters);
  }

  /** Accepts connections and resets them until the socket is closed. */
  private static void reset(ServerSocket root) {
    while (!root.isClosed()) {
      try (Socket accepted = root.accept()) {
        accepted.setSoLinger(true, 0);
      } catch (IOException e) {
        // closed
      }
    }
  }
}
