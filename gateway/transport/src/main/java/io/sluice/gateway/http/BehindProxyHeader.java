package io.sluice.gateway.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Handler that begins a connection without HTTP when its first bytes arrive behind a header of the
 * PROXY protocol. Bound to the connection's event loop.
 */
final class BehindProxyHeader extends ChannelInboundHandlerAdapter {
  private final Runnable begin;
  private boolean begun;

  /**
   * @param begin hands the connection over, which removes this handler, or closes it
   */
  BehindProxyHeader(Runnable begin) {
    this.begin = begin;
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (!begun) {
      begun = true;
      begin.run();
    }
    context.fireChannelRead(message);
  }
}
