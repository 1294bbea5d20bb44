package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
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
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.Map;

/**
 * Handover of a connection from Vert.x at its upgrade. The only class that uses Vert.x internals;
 * bound to an event loop.
 *
 * <p>After the handover Vert.x uses neither memory nor time for the connection. The handler of the
 * request, or of its body's end, must call it before it returns. A client may send its first frame
 * directly behind the handshake. The new handler must be installed before the HTTP decoder passes
 * these bytes on.
 */
public final class SocketHandover {
  private static final String VERTX_HANDLER = "handler";
  private static final String HTTP_DECODER = "httpDecoder";
  private static final String TLS = "ssl";

  /** Fixed size, because clients send little; an adaptive allocator costs an object per client. */
  private static final int READ_BYTES = 512;

  private final RecvByteBufAllocator reads = new FixedRecvByteBufAllocator(READ_BYTES);
  private final EpollSockets epollSockets;

  /**
   * @param epollSockets of the event loop, or null: then every connection stays on its channel
   */
  public SocketHandover(EpollSockets epollSockets) {
    this.epollSockets = epollSockets;
  }

  /**
   * Sends the head of a response and hands the connection over to {@code owner}. Uses a bare socket
   * if possible, otherwise the channel with {@link ChannelSocket} as the only handler except TLS. A
   * request of HTTP/2 is only a stream of its connection, which stays with Vert.x.
   *
   * @param status such as {@code 101 Switching Protocols}; empty: the owner writes the head
   * @param headers all headers of the response
   * @return false, without an effect, if the connection has already ended
   */
  public boolean handOver(
      HttpServerRequest request,
      String status,
      Map<String, String> headers,
      ClientSocket.Owner owner) {
    if (request.version() == HttpVersion.HTTP_2) {
      Channel channel = channel(request.connection());
      return ResponseSocket.open(request, channel.eventLoop(), status, headers, owner);
    }
    ByteBuf response =
        status.isEmpty() ? Unpooled.EMPTY_BUFFER : ResponseHead.encode(status, headers);
    try {
      return handOver(channel(request.connection()), response, owner);
    } finally {
      response.release();
    }
  }

  /**
   * Hands a connection without HTTP over to {@code owner}. The handler of the connection must call
   * it before it returns.
   */
  public void handOver(NetSocket accepted, ClientSocket.Owner owner) {
    Channel channel = channel(accepted);
    boolean plain = channel.pipeline().get(TLS) == null;
    EpollSocket socket = plain && epollSockets != null ? epollSockets.open(channel, owner) : null;
    if (socket == null) {
      strip(channel.pipeline(), new ChannelSocket(owner, plain ? null : epollSockets));
      channel.config().setRecvByteBufAllocator(reads).setAutoRead(true);
    } else {
      strip(channel.pipeline(), new RemainderHandler(socket));
      channel.config().setAutoRead(false);
      channel.close();
    }
  }

  /** Returns the channel of a connection without HTTP that Vert.x has accepted. */
  public static Channel channel(NetSocket accepted) {
    return ((ConnectionBase) accepted).channel();
  }

  private boolean handOver(Channel channel, ByteBuf response, ClientSocket.Owner owner) {
    channel.flush(); // responses to earlier requests of this connection are sent first
    ChannelOutboundBuffer queued = channel.unsafe().outboundBuffer();
    if (queued == null) {
      return false;
    }
    boolean plain = epollSockets != null && channel.pipeline().get(TLS) == null && queued.isEmpty();
    try {
      EpollSocket socket = plain ? epollSockets.open(channel, owner) : null;
      if (socket == null) {
        handOverChannel(channel, response, owner);
      } else {
        handOverSocket(channel, response, socket);
      }
      return true;
    } catch (RuntimeException | Error e) {
      channel.close();
      throw e;
    }
  }

  private void handOverChannel(Channel channel, ByteBuf response, ClientSocket.Owner owner) {
    boolean plain = channel.pipeline().get(TLS) == null;
    ChannelSocket socket = new ChannelSocket(owner, plain ? null : epollSockets);
    strip(channel.pipeline(), socket);
    channel.config().setRecvByteBufAllocator(reads).setAutoRead(true);
    socket.writeHead(response);
    socket.flush();
    channel.pipeline().remove(HTTP_DECODER); // passes on the bytes that follow the request
  }

  // The channel is closed, as Vert.x expects at the end of a connection. The duplicated socket
  // remains
  // open.
  private static void handOverSocket(Channel channel, ByteBuf response, EpollSocket socket) {
    try {
      strip(channel.pipeline(), new RemainderHandler(socket));
      socket.write(response);
      socket.flush();
      channel.pipeline().remove(HTTP_DECODER); // passes on the bytes that follow the request
    } catch (RuntimeException | Error e) {
      socket.close();
      throw e;
    }
    channel.config().setAutoRead(false); // otherwise it could read again before it closes
    channel.close();
  }

  /** Passes bytes that follow the request on to the new socket. */
  private static final class RemainderHandler extends ChannelInboundHandlerAdapter {
    private final EpollSocket socket;

    RemainderHandler(EpollSocket socket) {
      this.socket = socket;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      try {
        if (message instanceof ByteBuf bytes) {
          socket.read(bytes);
        }
      } finally {
        ReferenceCountUtil.release(message);
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      socket.fail(cause);
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

  /** Returns the channel of a connection that Vert.x serves. */
  public static Channel channel(HttpConnection connection) {
    return ((ConnectionBase) connection).channel();
  }
}
