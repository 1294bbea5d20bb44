package io.sluice.gateway.websocket;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.EchoConnection;
import io.sluice.testkit.RawWebSocket;

/** A node that echoes, without a broker. */
final class EchoNode implements AutoCloseable {
  private static final String NO_BROKER = "tcp://127.0.0.1:1";

  private final TestNode node =
      TestNode.start(
          TestNode.config("artemis", NO_BROKER)
              .with(ServerSettings.ECHO, true)
              .with(LimitSettings.MESSAGE_BYTES, (long) EchoConformance.MOST_BYTES)
              .with(LimitSettings.PENDING_BYTES, 4L * EchoConformance.MOST_BYTES));

  EchoConnection open(String extensions) {
    RawWebSocket.Request request = RawWebSocket.to("127.0.0.1", node.gateway().port(), "/echo");
    return (extensions == null ? request : request.set("Sec-WebSocket-Extensions", extensions))
        .open();
  }

  @Override
  public void close() {
    node.close();
  }
}
