package io.sluice.gateway.transport;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.sluice.gateway.protocol.CloseCode;
import io.sluice.gateway.protocol.WebSocketFrame;
import io.sluice.gateway.session.Connection;
import io.sluice.gateway.session.ConnectionListener;
import java.io.IOException;
import java.util.function.Function;

/**
 * One client's WebSocket after the upgrade: the only handler of its channel but TLS. Bound to the
 * channel's event loop.
 *
 * <p>It closes as RFC 6455 asks: the node's close frame goes behind what is queued; then the client
 * has {@code timeouts.close} to answer, in which its data is read and dropped, because a socket
 * closed on unread data resets the connection and takes the close frame with it.
 */
final class WebSocketConnection extends ChannelInboundHandlerAdapter
    implements Connection, FrameDecoder.Sink {
  private static final int NO_CLOSE = 0;

  /** The code of a connection that ended without a close frame; never on the wire. */
  private static final int ABNORMAL = 1006;

  private final LoopConnections siblings;
  private final FrameDecoder decoder;
  private final ConnectionListener listener;
  private ChannelHandlerContext ctx;
  private long openedMs;
  private long lastReadMs;
  private long nextPingMs;
  private long cutMs;
  private int closeCode = NO_CLOSE;
  private boolean closedByClient;
  private boolean closeSent;
  private boolean listenerRetired;

  /** Where the loop keeps this connection. */
  int slot;

  /**
   * @param deflate whether the handshake agreed on permessage-deflate
   * @param listeners makes the owner of the messages
   */
  WebSocketConnection(
      LoopConnections siblings,
      boolean deflate,
      Function<Connection, ConnectionListener> listeners) {
    this.siblings = siblings;
    this.decoder =
        new FrameDecoder(siblings.limits().frames(), deflate ? siblings.inflation() : null, this);
    this.listener = listeners.apply(this);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    ctx = context;
    openedMs = siblings.nowMs();
    lastReadMs = openedMs;
    nextPingMs = siblings.firstPing(openedMs);
    siblings.add(this);
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    try {
      // The HTTP decoder may still deliver the end of the request that was upgraded.
      if (message instanceof ByteBuf bytes) {
        lastReadMs = siblings.nowMs();
        decoder.read(bytes);
      }
    } finally {
      ReferenceCountUtil.release(message);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) {
    decoder.stop();
    siblings.remove(this, closeCode == NO_CLOSE ? ABNORMAL : closeCode);
    retireListener();
  }

  private void retireListener() {
    if (!listenerRetired) {
      listenerRetired = true;
      listener.onClosed();
    }
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
    if (cause instanceof IOException) {
      siblings.onFault(cause);
      context.close();
    } else {
      siblings.onBug(cause);
      decoder.stop(); // it stands where it failed
      close(CloseCode.INTERNAL_ERROR);
    }
  }

  @Override
  public void onText(ByteBuf payload) {
    listener.onText(payload);
  }

  @Override
  public void onBinary(ByteBuf payload) {
    listener.onBinary(payload);
  }

  @Override
  public void onPing(ByteBuf payload) {
    if (pendingBytes() > siblings.limits().maxPendingBytes()) {
      close(CloseCode.SLOW_CONSUMER);
    } else if (closeCode == NO_CLOSE) {
      control(WebSocketFrame.PONG, payload);
    }
  }

  @Override
  public void onPong(ByteBuf payload) {
    // The time of the read is all that counts.
  }

  @Override
  public void onClose(int code, String reason) {
    closedByClient = true;
    if (closeCode == NO_CLOSE) {
      beginClose(code);
      ByteBuf answer = ctx.alloc().directBuffer(WebSocketFrame.MAX_CONTROL_PAYLOAD + 2);
      if (code == CloseStatus.NONE) {
        WebSocketFrame.writeClose(answer);
      } else {
        WebSocketFrame.writeClose(answer, code, "");
      }
      ctx.writeAndFlush(answer).addListener(this::onCloseSent);
    } else if (closeSent) {
      ctx.close();
    }
  }

  @Override
  public void onViolation(CloseCode code, String why) {
    close(code, why);
  }

  @Override
  public void write(ByteBuf frame) {
    if (closeCode == NO_CLOSE) {
      ctx.write(frame, ctx.voidPromise());
    } else {
      frame.release(); // nothing follows a close frame
    }
  }

  @Override
  public void writeShared(ByteBuf frame) {
    if (closeCode == NO_CLOSE) {
      ctx.write(frame.retainedDuplicate(), ctx.voidPromise());
    }
  }

  @Override
  public void flush() {
    ctx.flush();
  }

  @Override
  public long pendingBytes() {
    ChannelOutboundBuffer queued = ctx.channel().unsafe().outboundBuffer();
    return queued == null ? 0 : queued.totalPendingWriteBytes();
  }

  @Override
  public void close(CloseCode code) {
    close(code, code.reason());
  }

  private void close(CloseCode code, String reason) {
    if (closeCode != NO_CLOSE) {
      return;
    }
    beginClose(code.code());
    ByteBuf frame = ctx.alloc().directBuffer(WebSocketFrame.MAX_CONTROL_PAYLOAD + 2);
    WebSocketFrame.writeClose(frame, code.code(), reason);
    ctx.writeAndFlush(frame).addListener(this::onCloseSent);
  }

  // The hub may be walking its lists right now, so the listener retires a moment later.
  private void beginClose(int code) {
    closeCode = code;
    cutMs = siblings.nowMs() + siblings.limits().closeMs();
    execute(this::retireListener);
  }

  // Our direction is over. The other one stays open until the client ends it, too, or is cut.
  private void onCloseSent(Future<? super Void> sent) {
    closeSent = true;
    boolean plain = ctx.pipeline().first() == this;
    if (sent.isSuccess() && plain && ctx.channel() instanceof DuplexChannel duplex) {
      duplex.shutdownOutput();
    } else if (closedByClient) {
      ctx.close();
    }
  }

  @Override
  public void execute(Runnable task) {
    ctx.executor().execute(task);
  }

  void onDraining(long deadlineMs) {
    listener.onDraining(deadlineMs);
  }

  /** Whether its channel's pipeline has taken it, so that its loop will give its place back. */
  boolean isAdded() {
    return ctx != null;
  }

  boolean isClosing() {
    return closeCode != NO_CLOSE;
  }

  /** Looks after everything that depends on time; called again and again by the loop. */
  void onTick(long nowMs) {
    if (isClosing()) {
      if (nowMs >= cutMs) {
        ctx.close();
      }
    } else if (!listener.isOpen() && nowMs - openedMs > siblings.limits().handshakeMs()) {
      close(CloseCode.NOT_OPENED);
    } else if (nowMs - lastReadMs > siblings.limits().idleMs()) {
      close(CloseCode.IDLE);
    } else if (nowMs >= nextPingMs) {
      nextPingMs = nowMs + siblings.limits().pingMs();
      control(WebSocketFrame.PING, Unpooled.EMPTY_BUFFER);
    }
  }

  private void control(int opcode, ByteBuf payload) {
    ByteBuf frame = ctx.alloc().directBuffer(payload.readableBytes() + 2);
    WebSocketFrame.writeControl(frame, opcode, payload);
    ctx.writeAndFlush(frame, ctx.voidPromise());
  }
}
