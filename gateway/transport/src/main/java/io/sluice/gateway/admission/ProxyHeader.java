package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.handshake.Refusal;
import io.sluice.gateway.socket.AcceptedChannel;
import io.sluice.gateway.socket.AcceptedConnection;
import io.sluice.gateway.socket.RequestWatch;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Handler that reads the PROXY protocol header of a connection before TLS and HTTP, and then
 * removes itself. Bound to the connection's event loop.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {
  /** Maximum length of the TLVs of a version 2 header. */
  private static final int MAX_TLV_BYTES = 2048;

  private static final String REFUSAL = "proxyRefusal";
  private static final Refusal RESPONSE = Refusal.withoutProxyHeader().with(Refusal.READABLE);

  /** Callbacks on the result of reading the header. */
  interface Listener {
    /** Checks the connection by its source address. Returns false if it is closed. */
    boolean onSource(AcceptedConnection connection);

    /** Closes a connection whose header is missing or malformed. */
    void onMalformed(AcceptedConnection connection);
  }

  private final Listener listener;
  private boolean rejected;

  private ProxyHeader(Listener listener) {
    this.listener = listener;
  }

  /** Requires a header as the channel's first bytes. */
  static void expect(Channel channel, Listener listener) {
    channel.pipeline().addFirst(new ProxyHeader(listener));
    channel.pipeline().addFirst(new HAProxyMessageDecoder(MAX_TLV_BYTES));
    channel.pipeline().addFirst(REFUSAL, new Refusing());
  }

  /**
   * Handler that sends an error response before the channel is closed, if the proxy has sent
   * something else than a header. The decoder closes the channel. With TLS, the client could not
   * read the response.
   */
  private static final class Refusing extends ChannelDuplexHandler {
    private boolean received;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      received = true;
      context.fireChannelRead(message);
    }

    @Override
    public void close(ChannelHandlerContext context, ChannelPromise promise) {
      if (received && context.pipeline().get("ssl") == null) {
        received = false;
        context.writeAndFlush(RequestWatch.response(RESPONSE));
      }
      context.close(promise);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (rejected) { // bytes after a malformed header may contain a valid one
      ReferenceCountUtil.release(message);
    } else if (message instanceof HAProxyMessage header) {
      try {
        onHeader(context, header);
      } finally {
        header.release();
      }
    } else {
      context.fireChannelRead(message);
    }
  }

  private void onHeader(ChannelHandlerContext context, HAProxyMessage header) {
    HAProxyProxiedProtocol protocol = header.proxiedProtocol();
    // Connections of the proxy itself, such as health checks.
    boolean own =
        header.command() == HAProxyCommand.LOCAL || protocol == HAProxyProxiedProtocol.UNKNOWN;
    boolean tcp =
        protocol == HAProxyProxiedProtocol.TCP4 || protocol == HAProxyProxiedProtocol.TCP6;
    Optional<InetAddress> source =
        tcp && !own ? AddressRange.address(header.sourceAddress()) : Optional.empty();
    if (!own && source.isEmpty()) {
      reject(context);
      return;
    }
    context.pipeline().remove(REFUSAL);
    source.ifPresent(address -> AcceptedChannel.setSource(context.channel(), address));
    if (listener.onSource(AcceptedChannel.of(context.channel()))) {
      context.pipeline().remove(this);
    } else {
      rejected = true;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    reject(context);
  }

  private void reject(ChannelHandlerContext context) {
    rejected = true;
    listener.onMalformed(AcceptedChannel.of(context.channel()));
  }
}
