package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.uring.IoUring;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sender whose ring the kernel refuses to enter. The kernel admits only the thread that opened a
 * ring, so here the test's thread opens the ring of an event loop.
 */
final class IoUringSenderTest {
  private final ServerSocket peers = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  private EventLoopGroup group;
  private IoEventLoop loop;
  private EpollSockets descriptors;
  private final List<Line> lines = new ArrayList<>();

  IoUringSenderTest() throws IOException {}

  @BeforeEach
  void open() throws Exception {
    assumeThat(Epoll.isAvailable() && IoUring.isAvailable()).as("io_uring is there").isTrue();
    group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    loop = (IoEventLoop) group.next();
    descriptors = new EpollSockets(loop, FdDuplicator.open(), IoUringSender.open(loop));
  }

  @AfterEach
  void close() throws Exception {
    if (group != null) {
      onLoop(
          () -> {
            lines.forEach(line -> line.socket.close());
            descriptors.close();
            return null;
          });
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).sync();
    }
    for (Line line : lines) {
      line.client.close();
    }
    peers.close();
  }

  /** Both ends of one client's connection. */
  private final class Line implements ClientSocket.Owner {
    private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
    private final Socket client;
    private ClientSocket socket;

    Line() throws Exception {
      Channel channel =
          new Bootstrap()
              .group(group)
              .channel(EpollSocketChannel.class)
              .handler(new ChannelInboundHandlerAdapter())
              .connect(peers.getLocalSocketAddress())
              .sync()
              .channel();
      client = peers.accept();
      client.setSoTimeout(20_000);
      lines.add(this);
      assertThat(onLoop(() -> descriptors.open(channel, this))).isNotNull();
      channel.close().sync();
    }

    /** Sends in a batch that another call ends. */
    void send(ByteBuf bytes) {
      socket.write(bytes);
      socket.flushInBatch();
    }

    String event() throws InterruptedException {
      return events.poll(20, TimeUnit.SECONDS);
    }

    @Override
    public void onOpen(ClientSocket opened) {
      socket = opened;
    }

    @Override
    public void onBytes(ByteBuf bytes) {
      events.add("bytes");
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

  private <T> T onLoop(Callable<T> call) throws Exception {
    return loop.submit(call).get(20, TimeUnit.SECONDS);
  }

  private static ByteBuf bytes(String text) {
    ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer();
    bytes.writeCharSequence(text, StandardCharsets.US_ASCII);
    return bytes;
  }

  private int batch(String text, Line... lines) throws Exception {
    ByteBuf bytes = bytes(text);
    onLoop(
        () -> {
          for (Line line : lines) {
            line.send(bytes);
          }
          descriptors.endBatch();
          return null;
        });
    int references = bytes.refCnt();
    bytes.release();
    return references;
  }

  @Test
  void shouldCloseTheSocketsOfAFailedBatchAndSendDirectlyAfterwards() throws Exception {
    Line first = new Line();
    Line second = new Line();
    Line third = new Line();
    batch("lost", first, second);
    for (Line line : List.of(first, second)) {
      assertThat(line.event()).isEqualTo("fault: io_uring failed");
      assertThat(line.event()).isEqualTo("gone");
      assertThat(line.client.getInputStream().read()).as("the end").isEqualTo(-1);
    }

    assertThat(batch("direct", third)).as("references to the bytes").isEqualTo(1);
    assertThat(third.client.getInputStream().readNBytes(6)).asString().isEqualTo("direct");
    assertThat(third.events).isEmpty();
  }
}
