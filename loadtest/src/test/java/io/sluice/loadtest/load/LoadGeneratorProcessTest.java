package io.sluice.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class LoadGeneratorProcessTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TestServer server = new TestServer();

  @AfterEach
  void stopServer() {
    server.close();
  }

  @Test
  void shouldRunAGeneratorAndReportItsFigures() throws Exception {
    Queue<GeneratorSecond> seconds = new ConcurrentLinkedQueue<>();
    try (LoadGeneratorProcess generator =
        LoadGeneratorProcess.start(arguments("--clients", "20"), seconds::add)) {
      assertThat(generator.awaitReady(LIMIT)).isPositive();
      server.broadcast(() -> new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[100])));
      await()
          .atMost(LIMIT)
          .until(() -> generator.latest() != null && generator.latest().frames() == 20);
      assertThat(generator.latest().cpuSeconds()).isPositive();
      assertThat(generator.latest().heapBytes()).isPositive();

      assertThat(generator.resize(30, LIMIT)).isPositive();
      assertThat(generator.reconnect(DisconnectMode.RST, LIMIT)).isPositive();
      assertThat(server.handshakes()).isEqualTo(60);

      GeneratorSecond end = generator.stop();
      assertThat(end.subscribed()).isEqualTo(30);
      assertThat(end.frames()).isEqualTo(20);
      assertThat(end.failed() + end.closed() + end.refused() + end.gaps()).isZero();
      assertThat(seconds).contains(end);
      assertThat(ProcessHandle.of(generator.pid()).filter(ProcessHandle::isAlive)).isEmpty();
    }
  }

  @Tag("full")
  @Test
  void shouldReportReasonOfFailedStart() throws Exception {
    try (LoadGeneratorProcess generator =
        LoadGeneratorProcess.start(arguments("--clients", "100000000"), second -> {})) {
      assertThatThrownBy(() -> generator.awaitReady(LIMIT))
          .isInstanceOf(IOException.class)
          .hasMessageStartingWith(
              "the load generator has ended: sluice load: 100000000 clients exceed the file"
                  + " descriptors of this process");
    }
  }

  @Test
  void shouldReportReasonOfExit() throws Exception {
    server.refuse(1);
    try (LoadGeneratorProcess generator =
        LoadGeneratorProcess.start(arguments("--clients", "1"), second -> {})) {
      assertThatThrownBy(() -> generator.awaitReady(LIMIT))
          .hasMessageEndingWith("the handshake was rejected with HTTP 503: the node is full");
    }
  }

  private List<String> arguments(String... more) {
    return Stream.concat(
            Stream.of("--url", "ws://127.0.0.1:" + server.port() + "/ws"), Stream.of(more))
        .toList();
  }
}
