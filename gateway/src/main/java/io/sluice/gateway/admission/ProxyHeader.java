package io.sluice.gateway.admission;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.AddressRange;
import io.sluice.gateway.socket.SourceAddress;
import java.net.InetAddress;
import java.util.Optional;

/**
 * Takes the header of the PROXY protocol off a connection, before HTTP or TLS see a byte of it, and
 * goes. Bound to the connection's event loop.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {
  /** What a header of version 2 may have beside its addresses. */
  private static final int MOST_EXTRA_BYTES = 2048;

  /** Callbacks on the result of reading the header. */
  interface Listener {
    /** Accepts or rejects the connection by its {@link SourceAddress}; false if it is closed. */
    boolean onSource(Channel channel);

    /** Closes a connection whose header is missing or malformed. */
    void onMalformed(Channel channel);
  }

  private final Listener listener;
  private boolean refused;

  private ProxyHeader(Listener listener) {
    this.listener = listener;
  }

  /** Requires a header as the channel's first bytes. */
  static void expect(Channel channel, Listener listener) {
    channel.pipeline().addFirst(new ProxyHeader(listener));
    channel.pipeline().addFirst(new HAProxyMessageDecoder(MOST_EXTRA_BYTES));
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (refused) { // what comes with a wrong header may hold a right one
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
    // Health checks and the like are the proxy's own.
    boolean own =
        header.command() == HAProxyCommand.LOCAL || protocol == HAProxyProxiedProtocol.UNKNOWN;
    boolean tcp =
        protocol == HAProxyProxiedProtocol.TCP4 || protocol == HAProxyProxiedProtocol.TCP6;
    Optional<InetAddress> source =
        tcp && !own ? AddressRange.address(header.sourceAddress()) : Optional.empty();
    if (!own && source.isEmpty()) {
      refuse(context);
      return;
    }
    source.ifPresent(address -> SourceAddress.set(context.channel(), address));
    if (listener.onSource(context.channel())) {
      context.pipeline().remove(this);
    } else {
      refused = true;
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    refuse(context);
  }

  private void refuse(ChannelHandlerContext context) {
    refused = true;
    listener.onMalformed(context.channel());
  }
}
