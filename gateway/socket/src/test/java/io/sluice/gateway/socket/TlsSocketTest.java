package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.handler.ssl.OpenSsl;
import io.sluice.gateway.socket.SocketScene.Line;
import java.io.DataInputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Records of clients with TLS. The random streams are those of {@link JoinedStreamsTest}. */
final class TlsSocketTest {
  private static final int APPLICATION_DATA = 23;

  /** What AES-GCM adds to a record of TLS 1.2: nonce and tag. */
  private static final int GCM_BYTES = 24;

  @TempDir private Path folder;

  @BeforeAll
  static void requireEngine() {
    assumeThat(Epoll.isAvailable() && OpenSsl.isAvailable()).as("epoll, OpenSSL").isTrue();
  }

  private SocketScene scene(String version) throws Exception {
    SocketScene scene = new SocketScene(0).withTls(folder, version);
    scene.open(new DirectSender(), UnpooledByteBufAllocator.DEFAULT);
    return scene;
  }

  private static byte[] random(int bytes) {
    byte[] content = new byte[bytes];
    new Random(bytes).nextBytes(content);
    return content;
  }

  private static void send(SocketScene scene, Line line, byte[]... parts) throws Exception {
    List<ByteBuf> borrowed = new ArrayList<>();
    for (byte[] part : parts) {
      borrowed.add(Unpooled.directBuffer(part.length).writeBytes(part));
    }
    scene.batch(
        () -> {
          borrowed.forEach(line.socket::write);
          line.socket.flushInBatch();
        });
    scene.onLoop(
        () -> {
          borrowed.forEach(ByteBuf::release);
          return null;
        });
  }

  @Test
  void shouldSendABatchAsOneRecord() throws Exception {
    try (SocketScene scene = scene("TLSv1.2")) {
      Line line = scene.connect();
      send(scene, line, random(100), random(200), random(300));
      DataInputStream in = new DataInputStream(line.raw.getInputStream());
      assertThat(in.readUnsignedByte()).isEqualTo(APPLICATION_DATA);
      in.readUnsignedShort(); // the version
      assertThat(in.readUnsignedShort()).isEqualTo(600 + GCM_BYTES);
    }
  }

  /** Sizes at the limits of a record and of all records of a batch, and above them. */
  @ParameterizedTest
  @ValueSource(
      ints = {
        1,
        TlsRecords.MAX_PLAINTEXT,
        TlsRecords.MAX_PLAINTEXT + 1,
        TlsRecords.MAX_BYTES,
        TlsRecords.MAX_BYTES + 1,
        1 << 20
      })
  void shouldSendBatchesOfAnySize(int bytes) throws Exception {
    try (SocketScene scene = scene("TLSv1.3")) {
      Line line = scene.connect();
      byte[] content = random(bytes);
      for (int i = 0; i < 3; i++) {
        send(scene, line, content);
        assertThat(line.client.getInputStream().readNBytes(bytes)).isEqualTo(content);
      }
      assertThat(scene.onLoop(line.socket::pendingBytes)).isZero();
    }
  }

  @Test
  void shouldSendMoreRecordsThanTheirBufferHolds() throws Exception {
    try (SocketScene scene = scene("TLSv1.3")) {
      Line first = scene.connect();
      Line second = scene.connect();
      byte[] content = random(TlsRecords.MAX_BYTES);
      ByteBuf bytes = Unpooled.directBuffer(content.length).writeBytes(content);
      scene.batch(
          () -> {
            for (Line line : new Line[] {first, second, first}) {
              line.socket.write(bytes);
              line.socket.flushInBatch();
            }
          });
      for (Line line : new Line[] {first, second, first}) {
        assertThat(line.client.getInputStream().readNBytes(content.length)).isEqualTo(content);
      }
      bytes.release();
    }
  }

  /**
   * The engine sends the session tickets with the first record, which may be the last that fits.
   */
  @Test
  void shouldSendTicketsNextToRecordsThatFillTheirBuffer() throws Exception {
    try (SocketScene scene = scene("TLSv1.3")) {
      Line large = scene.connect();
      Line medium = scene.connect();
      for (Line line : List.of(large, medium)) {
        send(scene, line, random(1));
        assertThat(line.client.getInputStream().readNBytes(1)).isEqualTo(random(1));
      }
      for (int spare = 0; spare < 10; spare++) {
        Line fresh = scene.connect();
        ByteBuf most = Unpooled.directBuffer().writeBytes(random(TlsRecords.MAX_BYTES));
        ByteBuf more = Unpooled.directBuffer().writeBytes(random(48 * 1024));
        byte[] content = random(15_974 - 50 * spare);
        ByteBuf last = Unpooled.directBuffer().writeBytes(content);
        scene.batch(
            () -> {
              flushInBatch(large, most);
              flushInBatch(medium, more);
              flushInBatch(fresh, last);
            });
        assertThat(fresh.client.getInputStream().readNBytes(content.length)).isEqualTo(content);
        large.client.getInputStream().readNBytes(most.readableBytes());
        medium.client.getInputStream().readNBytes(more.readableBytes());
        List.of(most, more, last).forEach(ByteBuf::release);
      }
    }
  }

  private static void flushInBatch(Line line, ByteBuf bytes) {
    line.socket.write(bytes);
    line.socket.flushInBatch();
  }

  /** The engine sends its answer to a client's new keys with the next record. */
  @Test
  void shouldSendAfterNewKeys() throws Exception {
    try (SocketScene scene = scene("TLSv1.3")) {
      Line line = scene.connect();
      for (int i = 1; i < 10; i++) {
        ((SSLSocket) line.client).startHandshake();
        byte[] content = random(100 * i);
        send(scene, line, content);
        assertThat(line.client.getInputStream().readNBytes(content.length)).isEqualTo(content);
      }
    }
  }

  @Test
  void shouldSendNothingAfterTheClientIsGone() throws Exception {
    try (SocketScene scene = scene("TLSv1.3")) {
      Line line = scene.connect();
      line.raw.setSoLinger(true, 0); // reset
      line.raw.close();
      assertThat(line.event()).startsWith("fault: ");
      assertThat(line.event()).isEqualTo("gone");
      send(scene, line, random(100));
      assertThat(scene.onLoop(line.socket::pendingBytes)).isZero();
      assertThat(line.hasEvents()).isFalse();
    }
  }
}
