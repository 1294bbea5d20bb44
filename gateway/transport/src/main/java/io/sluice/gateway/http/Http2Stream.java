package io.sluice.gateway.http;

import io.netty.buffer.ByteBuf;
import io.sluice.gateway.socket.ClientSocket;

/**
 * Owner of a client's stream of an HTTP/2 connection. The timeout of the connection is suspended
 * while the stream is open. Bound to its event loop.
 */
final class Http2Stream implements ClientSocket.Owner {
  private final LoopState loop;
  private final VertxRequest request;
  private final ClientConnection client;

  Http2Stream(LoopState loop, VertxRequest request, ClientConnection client) {
    this.loop = loop;
    this.request = request;
    this.client = client;
  }

  @Override
  public void onOpen(ClientSocket socket) {
    loop.handshakes().suspend(request.connection());
    client.onOpen(socket);
  }

  @Override
  public void onBytes(ByteBuf bytes) {
    client.onBytes(bytes);
  }

  @Override
  public void onFinished(boolean halfClosed) {
    client.onFinished(halfClosed);
  }

  @Override
  public void onFault(Throwable cause) {
    client.onFault(cause);
  }

  // A node that drains would refuse the client's next request on the connection.
  @Override
  public void onClosed() {
    if (loop.isDraining()) {
      request.request().connection().shutdown();
    }
    try {
      client.onClosed();
    } finally {
      loop.handshakes().resume(request.connection(), loop.nowMs());
    }
  }
}
