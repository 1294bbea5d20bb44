package io.sluice.loadtest.load;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketServerProtocolHandler.HandshakeComplete;
import io.netty.handler.codec.http.websocketx.extensions.compression.WebSocketServerCompressionHandler;
import io.netty.handler.ssl.SslContext;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * WebSocket server with the part of the protocol that the load generator uses. Netty's codec
 * rejects unmasked frames. For any thread.
 */
final class TestServer implements AutoCloseable {
  private static final Pattern TOPIC = Pattern.compile("\"topic\":\"([^\"]*)\"");

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final Set<Channel> open = ConcurrentHashMap.newKeySet();
  private final List<String> texts = new CopyOnWriteArrayList<>();
  private final Queue<String> pongs = new ConcurrentLinkedQueue<>();
  private final Queue<Integer> closes = new ConcurrentLinkedQueue<>();
  private final Set<String> addresses = ConcurrentHashMap.newKeySet();
  private final AtomicInteger resets = new AtomicInteger();
  private final AtomicInteger handshakes = new AtomicInteger();
  private final AtomicInteger refusals = new AtomicInteger();
  private final Channel listener;

  /** Reply to a subscription, by topic. */
  volatile Function<String, WebSocketFrame> answer = TestServer::subscribed;

  TestServer() {
    this(null);
  }

  /** Creates a server with TLS. */
  TestServer(SslContext tls) {
    this.listener =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 4096)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    prepare(channel, tls);
                  }
                })
            .bind("127.0.0.1", 0)
            .syncUninterruptibly()
            .channel();
  }

  private void prepare(Channel channel, SslContext tls) {
    if (tls != null) {
      channel.pipeline().addLast(tls.newHandler(channel.alloc()));
    }
    WebSocketServerProtocolConfig config =
        WebSocketServerProtocolConfig.newBuilder()
            .websocketPath("/ws")
            .subprotocols("sluice.v1.bin,sluice.v1.json")
            .handleCloseFrames(false)
            .dropPongFrames(false)
            .allowExtensions(true)
            .build();
    channel
        .pipeline()
        .addLast(new HttpServerCodec(), new HttpObjectAggregator(8192), new Gate())
        .addLast(new WebSocketServerCompressionHandler(0))
        .addLast(new WebSocketServerProtocolHandler(config), new Frames());
  }

  static WebSocketFrame subscribed(String topic) {
    return new TextWebSocketFrame(
        "{\"type\":\"subscribed\",\"ref\":1,\"topic\":\"" + topic + "\",\"channel\":12}");
  }

  static WebSocketFrame refused(String code) {
    return new TextWebSocketFrame(
        "{\"type\":\"error\",\"ref\":1,\"code\":\"" + code + "\",\"message\":\"not you\"}");
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** Rejects a number of handshakes before it accepts others. */
  void refuse(int count) {
    refusals.set(count);
  }

  /** Sends a frame to every client. */
  void broadcast(Supplier<WebSocketFrame> frame) {
    open.forEach(channel -> channel.writeAndFlush(frame.get()));
  }

  /** Closes one connection without a close frame. */
  void cutOne() {
    open.iterator().next().close();
  }

  int open() {
    return open.size();
  }

  int handshakes() {
    return handshakes.get();
  }

  int resets() {
    return resets.get();
  }

  /** Returns the text frames of all clients. */
  List<String> texts() {
    return texts;
  }

  Queue<String> pongs() {
    return pongs;
  }

  Queue<Integer> closes() {
    return closes;
  }

  /** Returns the clients' addresses. */
  Set<String> addresses() {
    return addresses;
  }

  @Override
  public void close() {
    listener.close().syncUninterruptibly();
    open.forEach(Channel::close);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
  }

  /** Handler that rejects handshakes on request. */
  private final class Gate extends SimpleChannelInboundHandler<FullHttpRequest> {
    @Override
    protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) {
      if (refusals.getAndUpdate(left -> Math.max(0, left - 1)) == 0) {
        context.fireChannelRead(request.retain());
        return;
      }
      context.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1,
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              Unpooled.copiedBuffer("the node is full\n", UTF_8)));
    }
  }

  /** Handler that replies like the gateway. */
  private final class Frames extends SimpleChannelInboundHandler<WebSocketFrame> {
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof HandshakeComplete) {
        handshakes.incrementAndGet();
        open.add(context.channel());
        InetSocketAddress from = (InetSocketAddress) context.channel().remoteAddress();
        addresses.add(from.getAddress().getHostAddress());
      }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, WebSocketFrame frame) {
      if (frame instanceof TextWebSocketFrame text) {
        onText(context, text.text());
      } else if (frame instanceof PongWebSocketFrame pong) {
        pongs.add(pong.content().toString(UTF_8));
      } else if (frame instanceof CloseWebSocketFrame close) {
        closes.add(close.statusCode());
      }
    }

    private void onText(ChannelHandlerContext context, String text) {
      texts.add(text);
      Matcher topic = TOPIC.matcher(text);
      if (topic.find()) {
        context.write(new TextWebSocketFrame("{\"type\":\"hello\",\"node\":\"gw-1\"}"));
        context.writeAndFlush(answer.apply(topic.group(1)));
      }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
      open.remove(context.channel());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      resets.incrementAndGet();
      context.close();
    }
  }
}
