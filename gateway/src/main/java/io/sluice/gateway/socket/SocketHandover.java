package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Map;

/**
 * Handover of a connection from Vert.x at its upgrade. Vert.x costs neither memory nor time
 * afterwards. The only class that uses Vert.x internals; bound to an event loop.
 *
 * <p>The handler of the request, or of its body's end, must call it before it returns: our handler
 * has to stand before the HTTP decoder gives up what it has read past the request, because a client
 * may send its first frame right behind the handshake.
 */
public final class SocketHandover {
  private static final String VERTX_HANDLER = "handler";
  private static final String HTTP_DECODER = "httpDecoder";
  private static final String TLS = "ssl";

  /** Clients send little; a fixed size costs no guessing object for each of them. */
  private static final int READ_BYTES = 512;

  private final RecvByteBufAllocator reads = new FixedRecvByteBufAllocator(READ_BYTES);
  private final EpollSockets descriptors;

  /**
   * @param descriptors of the event loop, or null: then every connection stays on its channel
   */
  public SocketHandover(EpollSockets descriptors) {
    this.descriptors = descriptors;
  }

  /**
   * Sends an answer's first line and headers and leaves the connection to {@code owner}: its socket
   * where that is possible, otherwise its channel, with a handler of ours as the only one but TLS.
   *
   * @param status such as {@code 101 Switching Protocols}
   * @param headers all of the answer's headers
   * @return false if the connection has ended already; then nothing has happened
   */
  public boolean take(
      HttpServerRequest request,
      String status,
      Map<String, String> headers,
      ClientSocket.Owner owner) {
    ByteBuf answer = answer(status, headers);
    try {
      return take(channel(request.connection()), answer, owner);
    } finally {
      answer.release();
    }
  }

  private boolean take(Channel channel, ByteBuf answer, ClientSocket.Owner owner) {
    channel.flush(); // answers to earlier requests of this connection go first
    ChannelOutboundBuffer queued = channel.unsafe().outboundBuffer();
    if (queued == null) {
      return false;
    }
    boolean plain = descriptors != null && channel.pipeline().get(TLS) == null && queued.isEmpty();
    try {
      EpollSocket wire = plain ? descriptors.take(channel, owner) : null;
      if (wire == null) {
        takeChannel(channel, answer, owner);
      } else {
        takeSocket(channel, answer, wire);
      }
      return true;
    } catch (RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private void takeChannel(Channel channel, ByteBuf answer, ClientSocket.Owner owner) {
    ChannelSocket wire = new ChannelSocket(owner);
    strip(channel.pipeline(), wire);
    channel.config().setRecvByteBufAllocator(reads).setAutoRead(true);
    wire.writeHead(answer);
    wire.flush();
    channel.pipeline().remove(HTTP_DECODER); // hands on what it has read past the request
  }

  // The channel is closed, as Vert.x expects of a connection that ends; the socket lives on.
  private static void takeSocket(Channel channel, ByteBuf answer, EpollSocket wire) {
    try {
      strip(channel.pipeline(), new Rest(wire));
      wire.write(answer);
      wire.flush();
      channel.pipeline().remove(HTTP_DECODER); // hands on what it has read past the request
    } catch (RuntimeException | Error e) {
      wire.close();
      throw e;
    }
    channel.config().setAutoRead(false); // or else it could read once more before it closes
    channel.close();
  }

  /** Hands what was read past the request to the socket that has the socket now. */
  private static final class Rest extends ChannelInboundHandlerAdapter {
    private final EpollSocket wire;

    Rest(EpollSocket wire) {
      this.wire = wire;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (message instanceof ByteBuf bytes) {
          wire.read(bytes);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      wire.fail(cause);
    }
  }

  private static void strip(ChannelPipeline pipeline, ChannelHandler handler) {
    pipeline.replace(VERTX_HANDLER, null, handler);
    for (String name : pipeline.names()) {
      boolean ours = pipeline.context(name) == null || pipeline.get(name) == handler;
      if (!ours && !name.equals(TLS) && !name.equals(HTTP_DECODER)) {
        pipeline.remove(name);
      }
    }
  }

  /** The channel of a connection that Vert.x serves. */
  public static Channel channel(HttpConnection connection) {
    return ((ConnectionBase) connection).channel();
  }

  private static ByteBuf answer(String status, Map<String, String> headers) {
    StringBuilder text = new StringBuilder("HTTP/1.1 ").append(status).append("\r\n");
    headers.forEach((name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
    text.append("\r\n");
    ByteBuf answer = PooledByteBufAllocator.DEFAULT.directBuffer(text.length());
    ByteBufUtil.writeAscii(answer, text);
    return answer;
  }
}
