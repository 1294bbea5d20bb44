package io.sluice.gateway.websocket;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.gateway.handshake.HandshakeRules;
import io.sluice.gateway.handshake.Origins;
import io.sluice.testkit.EchoConnection;
import io.sluice.testkit.ServerFrame;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;

/** Connection to an {@link EchoSession} in memory. */
final class MemoryEcho implements EchoConnection {
  private static final HandshakeRules HANDSHAKE =
      new HandshakeRules(List.of(), new Origins(List.of("*"), false), true);

  private final String extensions;
  private final EchoSession session;
  private ByteArrayInputStream unread = new ByteArrayInputStream(new byte[0]);

  MemoryEcho(ByteBufAllocator allocator, FrameDecoder.Limits limits, String offer) {
    this.extensions = offer == null ? null : agree(offer);
    this.session = new EchoSession(allocator, limits, extensions != null);
  }

  private static String agree(String offer) {
    Map<String, String> request =
        Map.of(
            "Host", "localhost",
            "Upgrade", "websocket",
            "Connection", "Upgrade",
            "Sec-WebSocket-Version", "13",
            "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Extensions", offer);
    HandshakeRules.Result result =
        HANDSHAKE.check(
            "GET",
            "HTTP/1.1",
            name -> request.containsKey(name) ? List.of(request.get(name)) : List.of());
    return ((HandshakeRules.Accepted) result).headers().get("Sec-WebSocket-Extensions");
  }

  @Override
  public String extensions() {
    return extensions;
  }

  @Override
  public void send(byte[] bytes) {
    session.receive(bytes, bytes.length);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(unread.readAllBytes());
    all.writeBytes(session.takeAnswer());
    unread = new ByteArrayInputStream(all.toByteArray());
  }

  @Override
  public ServerFrame readFrame() {
    try {
      ServerFrame frame = ServerFrame.read(unread);
      if (frame == null && !session.ended()) {
        throw new AssertionError("the server has sent nothing and not ended the connection");
      }
      return frame;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    session.close();
  }
}
