package io.sluice.gateway.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;

/**
 * One connection's TLS, which makes it a pending handshake from its first moment on. Bound to its
 * event loop.
 */
final class TlsHandler extends SslHandler {
  /** How long TLS's own farewell may wait for a client that does not read. */
  private static final long FAREWELL_MS = 250;

  private final Tls.Listener listener;

  TlsHandler(SSLEngine engine, Executor tasks, Tls.Listener listener) {
    super(engine, false, tasks);
    this.listener = listener;
    setCloseNotifyFlushTimeoutMillis(0); // see close()
  }

  @Override
  public void channelActive(ChannelHandlerContext context) throws Exception {
    Channel channel = context.channel();
    listener.onAccepted(channel);
    handshakeFuture().addListener(done -> onHandshake(channel, done.cause()));
    super.channelActive(context);
  }

  /** A client that only goes away has not failed. */
  private void onHandshake(Channel channel, Throwable failure) {
    if (failure instanceof SSLException) {
      listener.onHandshakeFailed(channel);
    }
  }

  @Override
  public void channelInactive(ChannelHandlerContext context) throws Exception {
    listener.onClosed(context.channel());
    super.channelInactive(context);
  }

  // The farewell goes behind all that is queued, so a client that does not read would put off its
  // own end. Netty's time-out for that tells the operator of each one.
  @Override
  public void close(ChannelHandlerContext context, ChannelPromise promise) throws Exception {
    super.close(context, promise);
    if (context.channel().isOpen()) {
      context.executor().schedule(() -> context.close(), FAREWELL_MS, TimeUnit.MILLISECONDS);
    }
  }
}
