package io.sluice.loadtest.crowd;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.IoEventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;

/** Connections that are Netty channels, for TLS and for other systems. Bound to their loop. */
final class ChannelLinks implements Links {
  private static final int READ_BYTES = 4 * 1024;
  private static final RecvByteBufAllocator READS = new FixedRecvByteBufAllocator(READ_BYTES);

  private final IoEventLoop loop;
  private final Bootstrap bootstrap;
  private final SslContext tls;
  private final CrowdUrl url;

  /**
   * Opens channels of a class.
   *
   * @param tls what to encrypt with, or null
   */
  ChannelLinks(IoEventLoop loop, Class<? extends Channel> channels, SslContext tls, CrowdUrl url) {
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
  public Link connect(Client client, InetSocketAddress to, InetSocketAddress from) {
    ChannelLink link = new ChannelLink(client, tls != null);
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
        // A failure may be known at once, and the client must not hear of it before it has its
        // link.
        .addListener(done -> loop.execute(() -> link.onConnected(done.cause())));
    return link;
  }

  @Override
  public void close() {
    // Channels share nothing.
  }
}
