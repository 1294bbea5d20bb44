package io.sluice.loadtest.load;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;

/** Link over a Netty channel, as its last handler. Bound to its event loop. */
final class ChannelLink extends ChannelInboundHandlerAdapter implements Link {
  private final Link.Listener listener;
  private final boolean tls;
  private ChannelHandlerContext context;
  private boolean closed;

  ChannelLink(Link.Listener listener, boolean tls) {
    this.listener = listener;
    this.tls = tls;
  }

  /**
   * Handles the end of the TCP connection attempt.
   *
   * @param failure its cause, or null after success
   */
  void onConnected(Throwable failure) {
    if (failure != null) {
      end(failure);
    } else if (!tls && !closed) {
      listener.onConnected();
    }
  }

  @Override
  public void handlerAdded(ChannelHandlerContext added) {
    context = added;
    if (closed) {
      added.close();
    }
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ignored, Object event) {
    if (event instanceof SslHandshakeCompletionEvent handshake && !closed) {
      if (handshake.isSuccess()) {
        listener.onConnected();
      } else {
        end(handshake.cause());
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ignored, Object message) {
    ByteBuf bytes = (ByteBuf) message;
    try {
      if (!closed) {
        listener.onBytes(bytes);
      }
    } finally {
      bytes.release();
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext ignored) {
    end(null);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ignored, Throwable cause) {
    end(cause);
  }

  private void end(Throwable cause) {
    if (!closed) {
      close();
      listener.onEnd(cause);
    }
  }

  @Override
  public void send(ByteBuf bytes) throws IOException {
    if (!context.channel().isWritable()) {
      throw new IOException("the server does not read fast enough");
    }
    context.writeAndFlush(bytes.copy(), context.voidPromise());
  }

  @Override
  public void reset() {
    if (context != null && context.channel().isActive()) {
      context.channel().config().setOption(ChannelOption.SO_LINGER, 0);
      // Bypasses the handlers: TLS would send a close_notify alert.
      closed = true;
      context.channel().unsafe().close(context.channel().voidPromise());
    } else {
      close();
    }
  }

  @Override
  public void close() {
    closed = true;
    if (context != null) {
      context.close();
    }
  }
}
