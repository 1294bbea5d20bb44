package io.sluice.gateway.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.haproxy.HAProxyCommand;
import io.netty.handler.codec.haproxy.HAProxyMessage;
import io.netty.handler.codec.haproxy.HAProxyMessageDecoder;
import io.netty.handler.codec.haproxy.HAProxyProxiedProtocol;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.config.AddressRange;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/**
 * Takes the header of the PROXY protocol off a connection, before HTTP or TLS see a byte of it, and
 * goes. Bound to the connection's event loop.
 */
final class ProxyHeader extends ChannelInboundHandlerAdapter {
  /** What a header of version 2 may have beside its addresses. */
  private static final int MOST_EXTRA_BYTES = 2048;

  private static final AttributeKey<InetAddress> SOURCE =
      AttributeKey.valueOf(ProxyHeader.class, "source");

  private final PendingHandshakes handshakes;
  private boolean refused;

  private ProxyHeader(PendingHandshakes handshakes) {
    this.handshakes = handshakes;
  }

  /** From now on the channel's first bytes have to be a header. */
  static void expect(Channel channel, PendingHandshakes handshakes) {
    channel.pipeline().addFirst(new ProxyHeader(handshakes));
    channel.pipeline().addFirst(new HAProxyMessageDecoder(MOST_EXTRA_BYTES));
  }

  /** Where a connection comes from: as its header has said, otherwise its other end. */
  static InetAddress source(Channel channel) {
    InetAddress told = channel.hasAttr(SOURCE) ? channel.attr(SOURCE).get() : null;
    return told == null ? ((InetSocketAddress) channel.remoteAddress()).getAddress() : told;
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
    source.ifPresent(address -> context.channel().attr(SOURCE).set(address));
    if (handshakes.onSource(context.channel())) {
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
    handshakes.cut(context.channel(), "proxy-protocol");
  }
}
