package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * First handler of a channel, which passes on bytes that were received before the channel existed.
 * Bound to the channel's event loop.
 */
final class ReceivedBytes extends ChannelInboundHandlerAdapter {
  /** Null once passed on. */
  private ByteBuf bytes;

  /**
   * @param bytes released by this handler or by those behind it
   */
  ReceivedBytes(ByteBuf bytes) {
    this.bytes = bytes;
  }

  @Override
  public void channelActive(ChannelHandlerContext context) {
    context.fireChannelActive();
    ByteBuf received = bytes;
    bytes = null;
    if (received.isReadable()) {
      context.fireChannelRead(received);
      context.fireChannelReadComplete();
    } else {
      received.release();
    }
    if (!context.isRemoved()) {
      context.pipeline().remove(this);
    }
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    discard();
  }

  /** Releases the bytes if the channel was never active. */
  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
