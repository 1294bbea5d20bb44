package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.sluice.gateway.socket.SocketScene.Line;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Sender whose ring the kernel refuses to enter. The kernel admits only the thread that opened a
 * ring, so here the test's thread opens the ring of an event loop.
 */
final class IoUringSenderTest {
  private SocketScene scene;

  @BeforeEach
  void open() throws Exception {
    assumeThat(Epoll.isAvailable() && IoUring.isAvailable()).as("io_uring is there").isTrue();
    scene = new SocketScene(0);
    scene.open(IoUringSender.open(scene.loop), PooledByteBufAllocator.DEFAULT);
  }

  @AfterEach
  void close() throws Exception {
    if (scene != null) {
      scene.close();
    }
  }

  private static ByteBuf bytes(String text) {
    ByteBuf bytes = PooledByteBufAllocator.DEFAULT.directBuffer();
    bytes.writeCharSequence(text, StandardCharsets.US_ASCII);
    return bytes;
  }

  private int batch(String text, Line... lines) throws Exception {
    ByteBuf bytes = bytes(text);
    scene.batch(
        () -> {
          for (Line line : lines) {
            line.socket.write(bytes);
            line.socket.flushInBatch();
          }
        });
    int references = bytes.refCnt();
    bytes.release();
    return references;
  }

  @Test
  void shouldCloseTheSocketsOfAFailedBatchAndSendDirectlyAfterwards() throws Exception {
    Line first = scene.connect();
    Line second = scene.connect();
    Line third = scene.connect();
    batch("lost", first, second);
    for (Line line : List.of(first, second)) {
      assertThat(line.event()).isEqualTo("fault: io_uring failed");
      assertThat(line.event()).isEqualTo("gone");
      assertThat(line.client.getInputStream().read()).as("the end").isEqualTo(-1);
    }

    assertThat(batch("direct", third)).as("references to the bytes").isEqualTo(1);
    assertThat(third.client.getInputStream().readNBytes(6)).asString().isEqualTo("direct");
    assertThat(third.hasEvents()).isFalse();
  }
}
