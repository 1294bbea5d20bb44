package io.sluice.gatling.engine;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.SocketChannel;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrameAggregator;
import io.netty.handler.codec.http.websocketx.extensions.WebSocketClientExtensionHandler;
import io.netty.handler.codec.http.websocketx.extensions.compression.PerMessageDeflateClientExtensionHandshaker;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.util.Map;
import javax.net.ssl.SSLException;

/** Opens WebSockets on the event loops of virtual users. For any thread. */
final class UserConnector {
  private static final int MAX_RESPONSE_BYTES = 8_192;
  private static final int DEFLATE_LEVEL = 6;
  private static final int DEFLATE_WINDOW = 15;

  private final SluiceProtocol protocol;
  private final ChannelFactory<? extends SocketChannel> channels;

  /** Null without an address that uses TLS. */
  private final SslContext tls;

  UserConnector(SluiceProtocol protocol, ChannelFactory<? extends SocketChannel> channels) {
    this.protocol = protocol;
    this.channels = channels;
    boolean usesTls = protocol.urls().stream().anyMatch(url -> !url.toString().startsWith("ws:"));
    this.tls = usesTls ? tls(protocol.acceptsAnyCertificate()) : null;
  }

  private static SslContext tls(boolean acceptsAny) {
    SslContextBuilder builder = SslContextBuilder.forClient();
    try {
      return acceptsAny
          ? builder.trustManager(InsecureTrustManagerFactory.INSTANCE).build()
          : builder.endpointIdentificationAlgorithm("HTTPS").build();
    } catch (SSLException e) {
      throw new IllegalStateException("TLS cannot be initialized", e);
    }
  }

  /** Opens a connection. A failure is an event of the connection. */
  void open(
      EventLoop loop, NodeAddress address, Map<String, String> headers, UserConnection connection) {
    Bootstrap bootstrap =
        new Bootstrap()
            .group(loop)
            .channelFactory(channels)
            .option(ChannelOption.TCP_NODELAY, true)
            .option(
                ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) protocol.connectTimeout().toMillis())
            .handler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    fill(channel.pipeline(), address, headers, connection);
                  }
                });
    ChannelFuture connected = bootstrap.connect(address.host(), address.port());
    connected.addListener(
        done -> {
          if (!done.isSuccess()) {
            connection.fail(done.cause().getMessage());
          }
        });
  }

  private void fill(
      ChannelPipeline pipeline,
      NodeAddress address,
      Map<String, String> headers,
      UserConnection connection) {
    if (address.isTls()) {
      pipeline.addLast(
          new SslHandler(
              tls.newEngine(pipeline.channel().alloc(), address.host(), address.port())));
    }
    pipeline.addLast(new HttpClientCodec(), new HttpObjectAggregator(MAX_RESPONSE_BYTES));
    if (protocol.isCompressed()) {
      // The node always answers with client_no_context_takeover.
      pipeline.addLast(
          new WebSocketClientExtensionHandler(
              new PerMessageDeflateClientExtensionHandshaker(
                  DEFLATE_LEVEL, false, DEFLATE_WINDOW, true, false, protocol.maxMessageBytes())));
    }
    pipeline.addLast(
        new WebSocketClientProtocolHandler(config(address, headers)),
        new WebSocketFrameAggregator(protocol.maxMessageBytes()),
        connection);
  }

  private WebSocketClientProtocolConfig config(NodeAddress address, Map<String, String> headers) {
    HttpHeaders custom = new DefaultHttpHeaders();
    headers.forEach(custom::set);
    return WebSocketClientProtocolConfig.newBuilder()
        .webSocketUri(address.uri())
        .subprotocol(protocol.isBinary() ? "sluice.v1.bin" : "sluice.v1.json")
        .allowExtensions(protocol.isCompressed())
        .customHeaders(custom)
        .generateOriginHeader(false)
        .maxFramePayloadLength(protocol.maxMessageBytes())
        .handleCloseFrames(false)
        .withUTF8Validator(false)
        .handshakeTimeoutMillis(protocol.connectTimeout().toMillis())
        .build();
  }
}
