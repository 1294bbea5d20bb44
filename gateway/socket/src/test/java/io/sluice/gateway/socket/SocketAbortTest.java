package io.sluice.gateway.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.epoll.Epoll;
import io.netty.handler.ssl.OpenSsl;
import io.sluice.gateway.socket.SocketScene.Line;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An aborted socket refers to no borrowed buffer, and sends nothing more. */
final class SocketAbortTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDiscardBorrowedBuffers(boolean tls) throws Exception {
    assumeThat(Epoll.isAvailable() && OpenSsl.isAvailable()).as("epoll, OpenSSL").isTrue();
    try (SocketScene scene = new SocketScene(0)) {
      if (tls) {
        scene.withTls(folder, "TLSv1.2");
      }
      scene.open(new DirectSender(), UnpooledByteBufAllocator.DEFAULT);
      Line line = scene.connect();
      List<ByteBuf> borrowed =
          List.of(
              Unpooled.directBuffer(9).writeBytes(new byte[9]),
              Unpooled.directBuffer(9).writeBytes(new byte[9]));
      scene.batch(
          () -> {
            borrowed.forEach(line.socket::write);
            line.socket.abort();
            assertThat(line.hasEvents()).as("closed later").isFalse();
            borrowed.forEach(
                buffer -> assertThat(buffer.release()).as("the last reference").isTrue());
            line.socket.write(borrowed.get(0)); // the hub may still have frames
            line.socket.flush();
          });
      assertThat(line.event()).isEqualTo("gone");
      assertThat(line.raw.getInputStream().readAllBytes().length)
          .as("at most an alert")
          .isLessThan(tls ? 64 : 1);
    }
  }
}
