package io.sluice.gateway.transport;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;

/**
 * A wire of ordinary channel writes, for TLS and for whatever has no descriptor of its own: the
 * only handler of its channel but TLS. Bound to the channel's event loop.
 */
final class ChannelWire extends ChannelInboundHandlerAdapter implements Wire {
  private final Owner owner;
  private ChannelHandlerContext ctx;
  private boolean closed;

  ChannelWire(Owner owner) {
    this.owner = owner;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    owner.onOpen(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      // The HTTP decoder may still deliver the end of the request that was upgraded.
      if (message instanceof ByteBuf bytes && !closed) {
        owner.onBytes(bytes);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    owner.onGone();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    owner.onFault(cause);
  }

  @Override
  public void write(ByteBuf bytes) {
    ctx.write(bytes.retainedDuplicate(), ctx.voidPromise());
  }

  @Override
  public void flush() {
    ctx.flush();
  }

  @Override
  public void flushInBatch() {
    ctx.flush();
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer queued = ctx.channel().unsafe().outboundBuffer();
    return queued == null ? 0 : queued.totalPendingWriteBytes();
  }

  @Override
  public void finish(ByteBuf last) {
    ctx.writeAndFlush(last.retainedDuplicate()).addListener(this::onFinished);
  }

  private void onFinished(Future<? super Void> sent) {
    ChannelHandler first = ctx.pipeline().first();
    boolean halfClosed = false;
    if (sent.isSuccess() && first == this && ctx.channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
      halfClosed = true;
    }
    owner.onFinished(halfClosed);
    if (sent.isSuccess() && first instanceof TlsHandler tls && ctx.channel().isOpen()) {
      tls.closeOutbound();
    }
  }

  @Override
  public void close() {
    closed = true;
    ctx.close();
  }

  @Override
  public void execute(Runnable task) {
    ctx.executor().execute(task);
  }
}
