package io.sluice.gateway.transport;

import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The codec behind a socket. */
class EchoConformanceIT extends EchoConformance {
  private static SocketEchoServer server;

  @BeforeAll
  static void start() throws IOException {
    server = new SocketEchoServer(0, new FrameDecoder.Limits(MOST_BYTES, MOST_BYTES));
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
  }

  @Override
  EchoConnection open(String extensions) {
    RawWebSocket.Request request = RawWebSocket.to("127.0.0.1", server.port(), "/echo");
    return (extensions == null ? request : request.set("Sec-WebSocket-Extensions", extensions))
        .open();
  }
}
