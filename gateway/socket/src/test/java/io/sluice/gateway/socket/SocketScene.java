package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.util.ReferenceCountUtil;
import io.sluice.testkit.TestCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/** Epoll sockets of one event loop and their clients. Used by the test's thread. */
final class SocketScene implements AutoCloseable {
  private static final int TIMEOUT_S = 20;
  private static final ByteBufAllocator ALLOCATOR = PooledByteBufAllocator.DEFAULT;

  final IoEventLoop loop;

  private final EventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
  private final ServerSocket peers = new ServerSocket();
  private final List<Line> lines = new ArrayList<>();
  private EpollSockets sockets;

  /** Null for plain text. */
  private TestCertificate certificate;

  private SslContext tls;

  /**
   * @param receiveBuffer bytes of the clients' receive buffers; 0 for the kernel's default
   */
  SocketScene(int receiveBuffer) throws Exception {
    loop = (IoEventLoop) group.next();
    if (receiveBuffer > 0) {
      peers.setReceiveBufferSize(receiveBuffer);
    }
    peers.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
  }

  /** Encrypts all later connections with one of these versions of TLS. */
  SocketScene withTls(Path folder, String... versions) throws Exception {
    certificate = TestCertificate.create(folder, "scene", "EC");
    tls =
        SslContextBuilder.forServer(certificate.certificate().toFile(), certificate.key().toFile())
            .sslProvider(SslProvider.OPENSSL_REFCNT)
            .protocols(versions)
            .build();
    return this;
  }

  /** Opens the resources of the loop, once. */
  void open(Sender sender, ByteBufAllocator copies) throws Exception {
    open(sender, copies, System::nanoTime);
  }

  /**
   * @param clock of the loop's time for reads, in nanoseconds
   */
  void open(Sender sender, ByteBufAllocator copies, LongSupplier clock) throws Exception {
    sockets =
        new EpollSockets(
            loop,
            FdDuplicator.open(),
            sender,
            new QueueJoiner(copies),
            new ReadBudget(loop, clock));
  }

  /** Both ends of one client's connection. */
  final class Line implements ClientSocket.Owner {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    final Socket client;

    /** The client's end of the TCP connection; the client itself without TLS. */
    final Socket raw;

    ClientSocket socket;

    /** Runs on the loop for received bytes. */
    Runnable onRead = () -> events.add("bytes");

    Line() throws Exception {
      ChannelHandler first =
          tls == null ? new ChannelInboundHandlerAdapter() : tls.newHandler(ALLOCATOR);
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(EpollSocketChannel.class)
              .handler(first)
              .connect(peers.getLocalSocketAddress())
              .sync()
              .channel();
      raw = peers.accept();
      raw.setSoTimeout(TIMEOUT_S * 1000);
      lines.add(this);
      if (first instanceof SslHandler handler) {
        client = encrypted(raw);
        handler.handshakeFuture().sync();
        ChannelSocket plain = new ChannelSocket(this, sockets);
        onLoop(() -> channel.pipeline().addLast(plain));
        assertThat(socket).isInstanceOf(TlsSocket.class);
      } else {
        client = raw;
        assertThat(onLoop(() -> sockets.open(channel, this))).isNotNull();
        channel.close().sync();
      }
    }

    private Socket encrypted(Socket accepted) throws IOException {
      SSLSocketFactory factory = certificate.trust().getSocketFactory();
      SSLSocket socket = (SSLSocket) factory.createSocket(accepted, "localhost", 0, true);
      socket.startHandshake();
      return socket;
    }

    /** Limits the bytes that the kernel takes from the node. */
    Line withSendBuffer(int bytes) throws Exception {
      return onLoop(
          () -> {
            ((SendTarget) socket).fd().setSendBufferSize(bytes);
            return this;
          });
    }

    /** Returns the next notification of the socket's owner. */
    String event() throws InterruptedException {
      return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
    }

    boolean hasEvents() {
      return !events.isEmpty();
    }

    @Override
    public void onOpen(ClientSocket opened) {
      socket = opened;
    }

    @Override
    public void onBytes(ByteBuf bytes) {
      onRead.run();
    }

    @Override
    public void onFinished(boolean halfClosed) {
      events.add("finished");
    }

    @Override
    public void onFault(Throwable cause) {
      events.add("fault: " + cause.getMessage());
      socket.close();
    }

    @Override
    public void onClosed() {
      events.add("gone");
    }
  }

  Line connect() throws Exception {
    return new Line();
  }

  <T> T onLoop(Callable<T> call) throws Exception {
    return loop.submit(call).get(TIMEOUT_S, TimeUnit.SECONDS);
  }

  /** Runs the batch on the loop and submits its sends. */
  void batch(Runnable batch) throws Exception {
    onLoop(
        () -> {
          batch.run();
          sockets.endBatch();
          return null;
        });
  }

  @Override
  public void close() throws IOException {
    loop.submit(
            () -> {
              lines.forEach(line -> line.socket.close());
              sockets.close();
            })
        .syncUninterruptibly();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    for (Line line : lines) {
      line.client.close();
    }
    peers.close();
    ReferenceCountUtil.release(tls);
  }
}
