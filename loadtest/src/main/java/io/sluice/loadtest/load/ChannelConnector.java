package io.sluice.loadtest.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;

/**
 * Connector that opens Netty channels, for TLS and for systems without epoll. Bound to its event
 * loop.
 */
final class ChannelConnector implements Connector {
  private static final int READ_BYTES = 4 * 1024;
  private static final RecvByteBufAllocator READS = new FixedRecvByteBufAllocator(READ_BYTES);

  private final IoEventLoop loop;
  private final Bootstrap bootstrap;
  private final SslContext tls;
  private final GatewayUrl url;

  /**
   * Creates a connector for a class of channels.
   *
   * @param tls TLS settings, or null for plain connections
   */
  ChannelConnector(
      IoEventLoop loop, Class<? extends Channel> channels, SslContext tls, GatewayUrl url) {
    this.loop = loop;
    this.tls = tls;
    this.url = url;
    this.bootstrap =
        new Bootstrap()
            .group(loop)
            .channel(channels)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(ChannelOption.RECVBUF_ALLOCATOR, READS);
  }

  @Override
  public Link connect(Link.Listener listener, InetSocketAddress to, InetSocketAddress from) {
    ChannelLink link = new ChannelLink(listener, tls != null);
    bootstrap
        .clone()
        .handler(
            new ChannelInitializer<Channel>() {
              @Override
              protected void initChannel(Channel channel) {
                if (tls != null) {
                  channel
                      .pipeline()
                      .addLast(tls.newHandler(channel.alloc(), url.host(), url.port()));
                }
                channel.pipeline().addLast(link);
              }
            })
        .connect(to, from)
        // Deferred: a failure may be immediate, but the listener must receive its link first.
        .addListener(done -> loop.execute(() -> link.onConnected(done.cause())));
    return link;
  }

  @Override
  public void close() {
    // Channels share no resources.
  }
}
