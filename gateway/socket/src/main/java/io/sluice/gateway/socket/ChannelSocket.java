package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.util.ArrayDeque;

/**
 * Client socket on a Netty channel, for TLS and for NIO: the only handler of its channel except
 * TLS. Bound to the channel's event loop.
 */
public final class ChannelSocket extends ChannelInboundHandlerAdapter implements ClientSocket {
  private final Owner owner;
  private final EpollSockets epollSockets;
  private ChannelHandlerContext ctx;

  /** Retained buffers, queued behind those of the channel; null if there are none. */
  private ArrayDeque<ByteBuf> waiting;

  private long waitingBytes;
  private boolean draining;
  private boolean finishing;
  private boolean closed;

  public ChannelSocket(Owner owner) {
    this(owner, null);
  }

  /**
   * @param epollSockets of the event loop, which send records past the channel; null for none
   */
  ChannelSocket(Owner owner, EpollSockets epollSockets) {
    this.owner = owner;
    this.epollSockets = epollSockets;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    owner.onOpen(epollSockets == null ? this : epollSockets.withRecords(this, ctx.pipeline()));
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
    discardWaiting();
    owner.onClosed();
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext context) {
    drain();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    owner.onFault(cause);
  }

  /** Writes the head of a response, even if the channel is not writable. */
  void writeHead(ByteBuf bytes) {
    ctx.write(bytes.retainedDuplicate(), ctx.voidPromise());
  }

  /** Returns whether no more bytes are accepted. */
  boolean isEnding() {
    return closed || finishing;
  }

  /** Returns whether the channel is open and has sent all bytes. */
  boolean isIdle() {
    ChannelOutboundBuffer queued = ctx.channel().unsafe().outboundBuffer();
    return waiting == null && queued != null && queued.totalPendingWriteBytes() == 0;
  }

  /** Sends encrypted bytes, of which this takes ownership, unless the channel is closed. */
  void writeEncrypted(ByteBuf records) {
    ChannelHandlerContext tls = ctx.pipeline().firstContext();
    tls.write(records, ctx.voidPromise());
    tls.flush();
  }

  /** Notifies the owner of a failure, unless the socket is closed. */
  void fail(Throwable cause) {
    if (!closed && ctx.channel().isOpen()) {
      owner.onFault(cause);
    }
  }

  @Override
  public void write(ByteBuf bytes) {
    if (isEnding()) {
      return;
    }
    if (waiting == null && ctx.channel().isWritable()) {
      ctx.write(bytes.retainedDuplicate(), ctx.voidPromise());
    } else {
      retain(bytes);
    }
  }

  // Buffers in the channel may be encrypted already and cannot be discarded. The channel therefore
  // receives no more than its high-water mark.
  private void retain(ByteBuf bytes) {
    if (waiting == null) {
      waiting = new ArrayDeque<>(4);
    }
    waiting.add(bytes.retainedDuplicate());
    waitingBytes += bytes.readableBytes();
  }

  @Override
  public void flush() {
    ctx.flush();
    drain();
  }

  @Override
  public void flushInBatch() {
    flush();
  }

  private void drain() {
    if (draining) {
      return;
    }
    draining = true;
    try {
      while (waiting != null && ctx.channel().isWritable()) {
        writeWaiting();
        ctx.flush();
      }
    } finally {
      draining = false;
    }
  }

  private void writeWaiting() {
    while (waiting != null && ctx.channel().isWritable()) {
      ByteBuf next = waiting.poll();
      waitingBytes -= next.readableBytes();
      if (waiting.isEmpty()) {
        waiting = null;
      }
      if (waiting == null && finishing) {
        writeLast(next);
      } else {
        ctx.write(next, ctx.voidPromise());
      }
    }
  }

  private void writeLast(ByteBuf last) {
    ctx.write(last).addListener(this::onFinished);
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer queued = ctx.channel().unsafe().outboundBuffer();
    long queuedBytes = queued == null ? 0 : queued.totalPendingWriteBytes();
    return waiting == null
        ? queuedBytes
        : queuedBytes + waitingBytes + (long) EpollSocket.BUFFER_BYTES * waiting.size();
  }

  @Override
  public void finish(ByteBuf last) {
    finishing = true;
    if (waiting == null) {
      writeLast(last.retainedDuplicate());
    } else {
      retain(last);
    }
    flush();
  }

  @Override
  public void finishEarly(ByteBuf last) {
    discardWaiting();
    ChannelConfig config = ctx.channel().config();
    Integer size = config.getOption(ChannelOption.SO_SNDBUF);
    if (size != null && !ctx.channel().isWritable()) {
      config.setOption(ChannelOption.SO_SNDBUF, SendBuffer.enlarged(size, pendingBytes()));
    }
    finish(last);
  }

  // The channel has duplicates of the buffers that were written to it.
  @Override
  public void abort() {
    discardWaiting();
    finishing = true; // accepts no more bytes
    execute(this::close);
  }

  private void discardWaiting() {
    if (waiting != null) {
      waiting.forEach(ByteBuf::release);
      waiting = null;
      waitingBytes = 0;
    }
  }

  private void onFinished(Future<? super Void> sent) {
    ChannelHandler first = ctx.pipeline().first();
    boolean halfClosed = false;
    if (sent.isSuccess() && first == this && ctx.channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
      halfClosed = true;
    }
    owner.onFinished(halfClosed);
    if (sent.isSuccess() && first instanceof SslHandler tls && ctx.channel().isOpen()) {
      tls.closeOutbound();
    }
  }

  // NIO does not offer the state of the kernel.
  @Override
  public SendProgress progress(long withinMs) {
    boolean waits = pendingBytes() > 0;
    if (ctx.channel() instanceof EpollSocketChannel epoll) {
      return epoll.isActive() ? SendProgress.of(epoll, waits, withinMs) : SendProgress.NONE;
    }
    return waits ? SendProgress.STALLED : SendProgress.NONE;
  }

  // The event loop reads all channels in each round.
  @Override
  public boolean readReceived() {
    return !closed && ctx.channel().isActive();
  }

  @Override
  public void close() {
    closed = true;
    discardWaiting();
    ctx.close();
  }

  @Override
  public void execute(Runnable task) {
    ctx.executor().execute(task);
  }
}
