package io.sluice.gateway.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Other WebSocket implementations receive compressed messages unchanged. Clients in Python are
 * skipped unless {@code -Dsluice.compression.python} is an interpreter with their libraries.
 */
final class CompressionClientsIT {
  private static final String TOPIC = "clients";
  private static final long MESSAGES = Long.getLong("sluice.compression.messages", 20_000);
  private static final String PYTHON = System.getProperty("sluice.compression.python", "");
  private static final int PROCESSES = 3;

  private TestBroker broker;
  private TestNode node;
  private String url;

  @BeforeEach
  void start() {
    broker = TestBroker.start("artemis");
    node = TestNode.start(TestNode.config("artemis", broker.url()));
    url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
  }

  @AfterEach
  void stop() throws Exception {
    node.close();
    broker.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"ws", "chromium"})
  void shouldServeJavaScript(String kind) throws Exception {
    serve("../js-client", "node", "browser/compression-reader.mjs", kind);
  }

  @ParameterizedTest
  @ValueSource(strings = {"websockets", "aiohttp"})
  void shouldServePython(String library) throws Exception {
    assumeTrue(!PYTHON.isEmpty(), "sluice.compression.python is not set");
    serve("src/test/clients", PYTHON, "compression_reader.py", library);
  }

  private void serve(String folder, String... command) throws Exception {
    List<Process> readers = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        readers.add(reader(folder, command));
      }
      publishUntilDone(
          () -> readers.stream().noneMatch(Process::isAlive),
          readers.stream().map(Process::onExit).toArray(CompletableFuture<?>[]::new));
      for (Process reader : readers) {
        String result = new String(reader.getInputStream().readAllBytes());
        assertThat(reader.exitValue()).as(result).isZero();
        System.out.printf("compression: %s: %s", command[2], result);
        JsonNode counts = new ObjectMapper().readTree(result);
        assertThat(counts.get("messages").asLong()).isPositive();
      }
      assertThat(node.metric("sluice_compression_messages_total{form=\"next\"}")).isPositive();
    } finally {
      readers.forEach(Process::destroyForcibly);
    }
  }

  private Process reader(String folder, String... command) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of(url, TOPIC, Long.toString(MESSAGES)));
    return new ProcessBuilder(arguments)
        .directory(new File(folder))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Condition that ends the publishing of the last message. */
  @FunctionalInterface
  private interface Done {
    boolean isTrue();
  }

  private void publishUntilDone(Done done, CompletableFuture<?>... ends) throws Exception {
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      for (long number = 1; number < MESSAGES; number++) {
        publisher.text(TOPIC, Quotes.payload(number));
      }
      while (!done.isTrue()) { // also for those that subscribe after the last message
        publisher.text(TOPIC, Quotes.payload(MESSAGES));
        CompletableFuture<Void> all = CompletableFuture.allOf(ends);
        all.completeOnTimeout(null, 50, TimeUnit.MILLISECONDS).join();
      }
    }
  }

  @Test
  void shouldServeOkHttp() throws Exception {
    OkHttpClient http = new OkHttpClient();
    CompletableFuture<Long> last = new CompletableFuture<>();
    http.newWebSocket(
        new Request.Builder().url(url).header("Sec-WebSocket-Protocol", "sluice.v1.json").build(),
        new OkHttpReader(last));
    publishUntilDone(last::isDone, last);
    assertThat(last.get()).isGreaterThan(MESSAGES / 10);
    assertThat(node.metric("sluice_compression_messages_total{form=\"next\"}"))
        .isGreaterThan(MESSAGES / 10.0);
    http.dispatcher().executorService().shutdown();
  }

  /** Completes a future with the number of messages after the last one. */
  private static final class OkHttpReader extends WebSocketListener {
    private final ObjectMapper json = new ObjectMapper();
    private final CompletableFuture<Long> last;
    private long messages;

    OkHttpReader(CompletableFuture<Long> last) {
      this.last = last;
    }

    @Override
    public void onOpen(WebSocket socket, Response response) {
      socket.send("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + TOPIC + "\"}");
    }

    @Override
    public void onMessage(WebSocket socket, String text) {
      try {
        JsonNode frame = json.readTree(text);
        if (frame.get("type").asText().equals("message")) {
          messages++;
          if (Quotes.checkedNumber(frame.get("payload").asText()) == MESSAGES) {
            last.complete(messages);
            socket.close(1000, null);
          }
        }
      } catch (IOException | AssertionError e) {
        last.completeExceptionally(e);
      }
    }

    @Override
    public void onFailure(WebSocket socket, Throwable cause, Response response) {
      last.completeExceptionally(cause);
    }
  }
}
