package io.sluice.gateway.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Map;

/**
 * Takes a connection away from Vert.x at the moment of its upgrade, so that nothing of Vert.x costs
 * memory or time afterwards. The only class that touches Vert.x internals; for any event loop.
 *
 * <p>The request's handler must call it, on the event loop and before it returns: our handler has
 * to stand before the HTTP decoder gives up what it has read past the request, because a client may
 * send its first frame right behind the handshake.
 */
final class Takeover {
  private static final String VERTX_HANDLER = "handler";
  private static final String HTTP_DECODER = "httpDecoder";
  private static final String TLS = "ssl";

  /** Clients send little; a fixed size costs no guessing object for each of them. */
  private static final int READ_BYTES = 512;

  private final RecvByteBufAllocator reads = new FixedRecvByteBufAllocator(READ_BYTES);

  /**
   * Sends the answer 101 and leaves {@code handler} as the channel's only one, but TLS.
   *
   * @param headers all of the answer's headers
   */
  void take(HttpServerRequest request, Map<String, String> headers, ChannelHandler handler) {
    Channel channel = channel(request.connection());
    ChannelPipeline pipeline = channel.pipeline();
    pipeline.replace(VERTX_HANDLER, null, handler);
    for (String name : pipeline.names()) {
      boolean ours = pipeline.context(name) == null || pipeline.get(name) == handler;
      if (!ours && !name.equals(TLS) && !name.equals(HTTP_DECODER)) {
        pipeline.remove(name);
      }
    }
    channel.config().setRecvByteBufAllocator(reads).setAutoRead(true);
    pipeline.context(handler).writeAndFlush(answer(channel, headers));
    pipeline.remove(HTTP_DECODER); // hands on what it has read past the request
  }

  /** The channel of a connection that Vert.x serves. */
  static Channel channel(HttpConnection connection) {
    return ((ConnectionBase) connection).channel();
  }

  private static ByteBuf answer(Channel channel, Map<String, String> headers) {
    StringBuilder text = new StringBuilder("HTTP/1.1 101 Switching Protocols\r\n");
    headers.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
    return ByteBufUtil.writeAscii(channel.alloc(), text.append("\r\n"));
  }
}
