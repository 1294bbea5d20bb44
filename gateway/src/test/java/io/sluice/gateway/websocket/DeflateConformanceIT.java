package io.sluice.gateway.websocket;

import io.sluice.testkit.EchoConnection;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** Compression in a whole node. */
@Tag("full")
class DeflateConformanceIT extends DeflateConformance {
  private static EchoNode node;

  @BeforeAll
  static void start() {
    node = new EchoNode();
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  @Override
  EchoConnection open(String extensions) {
    return node.open(extensions);
  }
}
