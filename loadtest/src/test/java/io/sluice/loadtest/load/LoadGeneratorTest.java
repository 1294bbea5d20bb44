package io.sluice.loadtest.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import io.sluice.loadtest.load.dialect.ClientProtocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
@Execution(ExecutionMode.CONCURRENT)
class LoadGeneratorTest {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final TestServer server = new TestServer();

  @AfterEach
  void stopServer() {
    server.close();
  }

  static Stream<Transport> transports() {
    return Stream.of(Transport.values())
        .filter(transport -> transport != Transport.EPOLL || Epoll.isAvailable())
        .filter(transport -> transport != Transport.IO_URING || IoUring.isAvailable());
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldSubscribeEveryClientToItsTopic(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 2, transport))) {
      assertThat(generator.awaitEvents("ready", 1).path("clients").asInt()).isEqualTo(10);
      // Client numbers start at 100, and there are 7 topics.
      assertThat(server.texts())
          .containsExactlyInAnyOrderElementsOf(
              Stream.of(2, 3, 4, 5, 6, 0, 1, 2, 3, 4)
                  .map(i -> "{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"stocks." + i + "\"}")
                  .toList());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldCountMessagesOfAllSizes(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 1, transport))) {
      long greeting = generator.awaitFigure("subscribed", 10).path("bytes").asLong();
      for (int size : new int[] {20, 125, 126, 65_535, 65_536, 500_000}) {
        server.broadcast(() -> new BinaryWebSocketFrame(Unpooled.wrappedBuffer(new byte[size])));
      }

      JsonNode second = generator.awaitFigure("frames", 60);
      assertThat(second.path("bytes").asLong() - greeting)
          .isEqualTo(10 * (20 + 125 + 126 + 65_535 + 65_536 + 500_000));
      assertThat(second.path("open").asInt()).isEqualTo(10);
      assertThat(generator.errors()).isEmpty();
    }
  }

  @Test
  void shouldCountMessagesInFragmentsOnce() throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 3))) {
      server.broadcast(() -> new BinaryWebSocketFrame(false, 0, bytes("abc")));
      server.broadcast(() -> new PingWebSocketFrame(bytes("between")));
      server.broadcast(() -> new ContinuationWebSocketFrame(true, 0, bytes("def")));
      server.broadcast(() -> new BinaryWebSocketFrame(bytes("whole")));

      generator.awaitFigure("frames", 6);
      assertThat(server.pongs()).containsExactly("between", "between", "between");
    }
  }

  @Test
  void shouldCountMessagesInJsonAndNothingElse() throws Exception {
    GeneratorOptions options = options(ClientProtocol.SLUICE_JSON, null, 1, Transport.AUTO);
    try (RunningGenerator generator = RunningGenerator.ready(options)) {
      server.broadcast(() -> text("{\"type\":\"stale\"}"));
      server.broadcast(
          () -> text("{\"type\":\"message\",\"payload\":\"" + "x".repeat(999) + "\"}"));
      server.broadcast(() -> text("{\"type\":\"caught-up\",\"time\":1763700000000}"));
      server.broadcast(() -> text("{\"type\":\"message\",\"payload\":\"\"}"));

      assertThat(generator.awaitFigure("frames", 20).path("gaps").asLong()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SLUICE_BIN", "SLUICE_JSON"})
  void shouldInflateAndVerifyMessages(ClientProtocol protocol) throws Exception {
    GeneratorOptions options = RunningGenerator.inflating(server, 3, protocol);
    try (RunningGenerator generator = RunningGenerator.ready(options)) {
      for (int number = 1; number <= 50; number++) {
        String payload = "TS=17637000000000 SEQ=" + number + " " + "abc".repeat(20 * number);
        server.broadcast(
            () ->
                protocol == ClientProtocol.SLUICE_JSON
                    ? text("{\"type\":\"message\",\"payload\":\"" + payload + "\"}")
                    : new BinaryWebSocketFrame(bytes("0123456789abcdefghij" + payload)));
      }
      JsonNode second = generator.awaitFigure("verified", 150);
      assertThat(second.path("frames").asLong()).isEqualTo(150);
      assertThat(second.path("wrong").asLong()).isZero();
      assertThat(second.path("inflatedBytes").asLong())
          .isGreaterThan(10 * second.path("bytes").asLong());
      assertThat(generator.errors()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"SLUICE_BIN", "SLUICE_JSON"})
  void shouldMeasureLatencyAndCompleteness(ClientProtocol protocol) throws Exception {
    RunningGenerator generator =
        RunningGenerator.ready(RunningGenerator.measured(server, 5, protocol));
    try (generator) {
      Instant due = Instant.now().minusSeconds(3);
      for (int number : new int[] {7, 8, 11, 11, 12}) {
        String payload = "TS=%d%09d SEQ=%d ".formatted(due.getEpochSecond(), due.getNano(), number);
        server.broadcast(
            () ->
                protocol == ClientProtocol.SLUICE_JSON
                    ? text("{\"type\":\"message\",\"payload\":\"" + payload + "\"}")
                    : new BinaryWebSocketFrame(bytes("0123456789abcdefghij" + payload)));
      }
      generator.awaitFigure("frames", 25);
    }
    JsonNode measured = generator.awaitEvents("measured", 1);
    assertThat(measured.path("lost").asLong()).isEqualTo(5 * 2);
    assertThat(measured.path("repeated").asLong()).isEqualTo(5);
    assertThat(measured.path("clients").asInt()).isEqualTo(2);
    assertThat(measured.at("/p50Micros/mean").asLong()).isGreaterThan(2_900_000);
    assertThat(measured.path("serverCpuSeconds").asDouble()).isPositive();
  }

  @Test
  void shouldReportDifferentAndMissingMessages() throws Exception {
    GeneratorOptions options = RunningGenerator.inflating(server, 2, ClientProtocol.SLUICE_BIN);
    try (RunningGenerator generator = RunningGenerator.ready(options)) {
      AtomicInteger copies = new AtomicInteger();
      server.broadcast(
          () ->
              new BinaryWebSocketFrame(
                  bytes("0123456789abcdefghijTS=1 SEQ=1 copy " + copies.incrementAndGet())));
      server.broadcast(() -> new BinaryWebSocketFrame(bytes("0123456789TS=1 SEQ=3 third")));

      generator.awaitFigure("wrong", 2);
      assertThat(generator.errors())
          .anyMatch(error -> error.endsWith("a message differs from another client's"))
          .anyMatch(error -> error.endsWith("a message is out of sequence"));
    }
  }

  @Test
  void shouldCountGaps() throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 3))) {
      server.broadcast(() -> text("{\"type\":\"gap\",\"topic\":\"stocks.7\",\"offset\":57}"));

      assertThat(generator.awaitFigure("gaps", 3).path("frames").asLong()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldAnswerPingsWithSamePayload(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 1, transport))) {
      server.broadcast(() -> new PingWebSocketFrame(bytes("x".repeat(125))));

      await().atMost(LIMIT).until(() -> server.pongs().size() == 10);
      assertThat(server.pongs()).containsOnly("x".repeat(125));
      assertThat(generator.errors()).isEmpty();
    }
  }

  @Test
  void shouldSendTokenFirst() throws Exception {
    GeneratorOptions options = options(ClientProtocol.SLUICE_BIN, "a\"b", 1, Transport.AUTO);
    try (RunningGenerator generator = RunningGenerator.ready(options)) {
      assertThat(server.texts()).hasSize(20);
      assertThat(server.texts().get(0)).isEqualTo("{\"type\":\"connect\",\"token\":\"a\\\"b\"}");
      assertThat(generator.errors()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldAddAndRemoveClients(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 3, transport))) {
      generator.command("clients 40");
      assertThat(generator.awaitEvents("ready", 2).path("clients").asInt()).isEqualTo(40);
      assertThat(server.open()).isEqualTo(40);

      generator.command("clients 4");
      assertThat(generator.awaitEvents("ready", 3).path("clients").asInt()).isEqualTo(4);
      await().atMost(LIMIT).until(() -> server.open() == 4);
      assertThat(server.closes()).hasSize(36).containsOnly(1000);
      assertThat(generator.awaitFigure("subscribed", 4).path("closed").asInt()).isZero();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldReconnectAfterReset(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 2, transport))) {
      generator.command("reconnect rst");

      assertThat(generator.awaitEvents("reconnected", 1).path("clients").asInt()).isEqualTo(10);
      await().atMost(LIMIT).until(() -> server.open() == 10);
      assertThat(server.handshakes()).isEqualTo(20);
      assertThat(server.resets()).isEqualTo(10);
      assertThat(server.closes()).isEmpty();
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldReconnectAfterClose(Transport transport) throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(options(ClientProtocol.SLUICE_BIN, null, 2, transport))) {
      generator.command("reconnect close");

      generator.awaitEvents("reconnected", 1);
      await().atMost(LIMIT).until(() -> server.open() == 10);
      assertThat(server.handshakes()).isEqualTo(20);
      assertThat(server.closes()).hasSize(10).containsOnly(1000);
    }
  }

  @Test
  void shouldRetryWhenReconnectIsRejected() throws Exception {
    try (RunningGenerator generator =
        RunningGenerator.ready(RunningGenerator.options(server, 10))) {
      server.refuse(5);
      generator.command("reconnect rst");

      generator.awaitEvents("reconnected", 1);
      generator.awaitFigure("failed", 5);
      assertThat(server.open()).isEqualTo(10);
      // Identical errors of several clients are reported once.
      assertThat(generator.errors()).hasSize(1);
      assertThat(generator.errors().get(0))
          .endsWith(": the handshake was rejected with HTTP 503: the node is full");
    }
  }

  @Test
  void shouldCountClosedClientsAndReconnectThemOnResize() throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 5))) {
      server.cutOne();
      assertThat(generator.awaitFigure("closed", 1).path("open").asInt()).isEqualTo(4);
      server.broadcast(() -> new CloseWebSocketFrame(4100, "draining"));
      assertThat(generator.awaitFigure("closed", 5).path("open").asInt()).isZero();
      await().atMost(LIMIT).until(() -> server.closes().size() == 4);
      assertThat(server.closes()).containsOnly(4100);
      assertThat(generator.errors().get(1)).endsWith(": was closed with 4100");

      generator.command("clients 5");
      generator.awaitEvents("ready", 2);
      assertThat(server.open()).isEqualTo(5);
    }
  }

  @Test
  void shouldCountEndedSubscriptions() throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 5))) {
      server.broadcast(() -> TestServer.refused("forbidden"));

      JsonNode second = generator.awaitFigure("refused", 5);
      assertThat(second.path("open").asInt()).isEqualTo(5);
      assertThat(second.path("subscribed").asInt()).isZero();
    }
  }

  @Test
  void shouldStopWhenFirstSubscriptionIsRejected() throws Exception {
    server.answer = topic -> TestServer.refused("forbidden");

    assertThatThrownBy(() -> awaitEnd(RunningGenerator.options(server, 1)))
        .isInstanceOf(IOException.class)
        .hasMessage(
            "client 100: the subscription to stocks.2 was rejected with forbidden: not you");
  }

  @Test
  void shouldStopWhenFirstHandshakeIsRejected() {
    server.refuse(1);

    assertThatThrownBy(() -> awaitEnd(RunningGenerator.options(server, 1)))
        .hasMessage("client 100: the handshake was rejected with HTTP 503: the node is full");
  }

  @ParameterizedTest
  @MethodSource("transports")
  void shouldStopWhenConnectionIsRefused(Transport transport) throws Exception {
    int port;
    try (ServerSocket free = new ServerSocket(0)) {
      port = free.getLocalPort();
    }
    String url = "ws://127.0.0.1:" + port + "/ws";

    assertThatThrownBy(
            () ->
                awaitEnd(
                    RunningGenerator.with(
                        url, 1, ClientProtocol.SLUICE_BIN, null, List.of(), 1, transport, null)))
        .hasMessageStartingWith("client 100: cannot connect to 127.0.0.1:" + port)
        .hasMessageContaining("Connection refused");
  }

  @Test
  void shouldRejectUnknownHost() {
    GeneratorOptions options = RunningGenerator.options("ws://no-such-host.invalid/ws", 1);

    assertThatThrownBy(() -> RunningGenerator.start(options))
        .isInstanceOf(IOException.class)
        .hasMessage("unknown host: no-such-host.invalid");
  }

  @Test
  void shouldRejectMoreClientsThanDescriptors() {
    GeneratorEvents events = new GeneratorEvents(new PrintWriter(PrintWriter.nullWriter()));
    ConnectionLimits limits = new ConnectionLimits(200, 36, 28_000);

    assertThatThrownBy(
            () ->
                LoadGenerator.start(RunningGenerator.options(server, 101), events, null, limits)
                    .close())
        .hasMessageContaining("101 clients exceed the file descriptors");
    assertThat(server.handshakes()).isZero();
  }

  @Test
  void shouldConnectFromGivenAddresses() throws Exception {
    String url = "ws://127.0.0.1:" + server.port() + "/ws";
    List<String> from = List.of("127.0.0.1", "127.0.0.2");
    try (RunningGenerator generator =
        RunningGenerator.ready(
            RunningGenerator.with(
                url, 4, ClientProtocol.SLUICE_BIN, null, from, 1, Transport.AUTO, null))) {
      assertThat(server.addresses()).containsExactlyInAnyOrderElementsOf(from);
      assertThat(generator.errors()).isEmpty();
    }
  }

  @Test
  void shouldReportUnknownCommands() throws Exception {
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 1))) {
      generator.command("clients -1");
      generator.command("reconnect fast");
      generator.command("dance");
      generator.command("");

      generator.awaitEvents("error", 3);
      assertThat(generator.errors())
          .containsExactly(
              "unknown command 'clients -1'; allowed are: clients N, reconnect rst|close, stop",
              "unknown command 'reconnect fast'; allowed are: clients N, reconnect rst|close, stop",
              "unknown command 'dance'; allowed are: clients N, reconnect rst|close, stop");
    }
  }

  @Test
  void shouldStopAndReportTotals() throws Exception {
    RunningGenerator ended;
    try (RunningGenerator generator = RunningGenerator.ready(RunningGenerator.options(server, 3))) {
      server.broadcast(() -> new BinaryWebSocketFrame(bytes("x")));
      generator.awaitFigure("frames", 3);
      generator.command("stop");
      generator.generator().awaitEnd();
      ended = generator;
    }
    assertThat(ended.awaitEvents("end", 1).path("frames").asLong()).isEqualTo(3);
    await().atMost(LIMIT).until(() -> server.closes().size() == 3);
    assertThat(server.closes()).containsOnly(1000);
    await().atMost(LIMIT).until(() -> server.open() == 0);
  }

  private GeneratorOptions options(
      ClientProtocol protocol, String token, int threads, Transport transport) {
    String url = "ws://127.0.0.1:" + server.port() + "/ws";
    return RunningGenerator.with(url, 10, protocol, token, List.of(), threads, transport, null);
  }

  private static void awaitEnd(GeneratorOptions options) throws Exception {
    try (RunningGenerator generator = RunningGenerator.start(options)) {
      generator.generator().awaitEnd();
    }
  }

  private static WebSocketFrame text(String json) {
    return new TextWebSocketFrame(json);
  }

  private static ByteBuf bytes(String text) {
    return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
  }
}
