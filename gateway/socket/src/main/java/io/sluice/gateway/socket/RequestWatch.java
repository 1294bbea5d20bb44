package io.sluice.gateway.socket;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.sluice.gateway.handshake.Refusal;
import java.util.Map;

/**
 * Handler before the HTTP decoder that records whether received bytes have no response yet. Bound
 * to the channel's event loop. The handover of the connection removes it.
 */
public final class RequestWatch extends ChannelDuplexHandler {
  private static final String DECODER = "httpDecoder";

  private static final VersionCheck VERSION_CHECK = new VersionCheck();

  private boolean unanswered;
  private boolean discards;

  private RequestWatch(boolean unanswered) {
    this.unanswered = unanswered;
  }

  /** Adds the handler to a channel whose requests Vert.x reads, unless they are HTTP/2. */
  public static void add(Channel channel) {
    if (channel.pipeline().get(DECODER) == null) {
      return;
    }
    // A channel that continues a bare socket begins with bytes of a request.
    boolean continued = AcceptedChannel.of(channel) instanceof HandshakeSocket;
    channel.pipeline().addBefore(DECODER, null, new RequestWatch(continued));
    channel.pipeline().addAfter(DECODER, null, VERSION_CHECK);
  }

  /**
   * Handler that marks requests of other versions than HTTP/1.0 and HTTP/1.1 as invalid. Vert.x
   * would close their connection without a response. For any thread.
   */
  @Sharable
  private static final class VersionCheck extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
      if (message instanceof HttpRequest request && !isSupported(request.protocolVersion())) {
        request.setDecoderResult(DecoderResult.failure(new InvalidVersion()));
        request.setProtocolVersion(HttpVersion.HTTP_1_1);
      }
      context.fireChannelRead(message);
    }

    private static boolean isSupported(HttpVersion version) {
      return version.equals(HttpVersion.HTTP_1_1) || version.equals(HttpVersion.HTTP_1_0);
    }
  }

  /** Version of HTTP that is not supported. */
  private static final class InvalidVersion extends Exception {
    private static final long serialVersionUID = 1;

    InvalidVersion() {
      super("the version of HTTP is not supported", null, false, false);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) {
    if (discards) {
      ReferenceCountUtil.release(message);
    } else {
      unanswered = true;
      context.fireChannelRead(message);
    }
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
    unanswered = false;
    context.write(message, promise);
  }

  /**
   * Discards all further bytes of a channel. Its client may still be sending, and would lose the
   * response if the connection were reset.
   */
  public static void discard(Channel channel) {
    RequestWatch watch = channel.pipeline().get(RequestWatch.class);
    if (watch != null) {
      watch.discards = true;
    }
  }

  /** Returns whether bytes of a channel are discarded, so that its requests have no meaning. */
  public static boolean isDiscarding(Channel channel) {
    RequestWatch watch = channel.pipeline().get(RequestWatch.class);
    return watch != null && watch.discards;
  }

  /** Closes a channel, after an error response if a request has none. */
  static void close(Channel channel, Refusal refusal) {
    ChannelHandlerContext context = channel.pipeline().context(RequestWatch.class);
    if (context == null || !((RequestWatch) context.handler()).unanswered) {
      channel.close();
    } else {
      refuse(context, refusal);
    }
  }

  /** Sends the last response of a channel, without Vert.x. No effect with HTTP/2. */
  public static void answer(Channel channel, Refusal refusal) {
    ChannelHandlerContext context = channel.pipeline().context(RequestWatch.class);
    if (context != null) {
      context.writeAndFlush(response(refusal));
    }
  }

  /** Sends an error response to a client that Vert.x does not serve, and closes its channel. */
  public static void refuse(ChannelHandlerContext context, Refusal refusal) {
    context.writeAndFlush(response(refusal)).addListener(ChannelFutureListener.CLOSE);
  }

  /** Returns the last response of a connection. */
  public static ByteBuf response(Refusal refusal) {
    return ResponseHead.encode(refusal, Map.of("connection", "close"));
  }
}
