package io.sluice.gateway.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Other WebSocket implementations receive compressed messages unchanged, while clients join,
 * reconnect, resume and stop reading. Clients whose program is missing are skipped: Firefox and Go
 * if they are not on the PATH, those in Python unless {@code -Dsluice.compression.python} is an
 * interpreter with their libraries.
 */
@Tag("full")
final class CompressionClientsIT {
  private static final String TOPIC = "clients";

  /** Messages that the clients of one implementation receive together. */
  private static final long MESSAGES = Long.getLong("sluice.compression.messages", 20_000);

  private static final int RATE = Integer.getInteger("sluice.compression.rate", 2_000);
  private static final String PYTHON = System.getProperty("sluice.compression.python", "");
  private static final int READERS = 10;
  private static final int SLOW = 3;
  private static final int BATCH_MS = 50;

  private TestBroker broker;
  private TestNode node;
  private String url;
  private long published;

  @BeforeEach
  void start() {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.unlimited(TestNode.config("artemis", broker.url()))
                .with(ServerSettings.SEND_BUFFER, 64L * 1024)
                .with(LimitSettings.PENDING_BYTES, 256L * 1024));
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
    serve(kind, "../js-client", "node", "browser/compression-reader.mjs", kind);
  }

  @Test
  void shouldServeFirefox() throws Exception {
    boolean found = System.getenv("FIREFOX") != null || isOnPath("firefox");
    assumeTrue(found, "no firefox on the PATH or in the environment variable FIREFOX");
    serve("firefox", "../js-client", "node", "browser/compression-reader.mjs", "firefox");
  }

  @ParameterizedTest
  @ValueSource(strings = {"websockets", "aiohttp"})
  void shouldServePython(String library) throws Exception {
    assumeTrue(!PYTHON.isEmpty(), "sluice.compression.python is not set");
    serve(library, "src/test/clients", PYTHON, "compression_reader.py", library);
  }

  @Test
  void shouldServeGo() throws Exception {
    assumeTrue(isOnPath("go"), "no go on the PATH");
    assumeTrue(go("mod", "download") == 0, "the modules of the client in Go are not available");
    Path program = Path.of("target", "compression-reader").toAbsolutePath();
    assertThat(go("build", "-o", program.toString(), ".")).isZero();
    serve("coder/websocket", ".", program.toString());
  }

  @ParameterizedTest
  @EnumSource(JavaReader.Library.class)
  void shouldServeJava(JavaReader.Library library) throws Exception {
    List<JavaReader> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      MessageCheck check = new MessageCheck(TOPIC, MESSAGES / READERS, i < SLOW, i);
      readers.add(new JavaReader(library, url, check));
    }
    readers.forEach(Thread::start);
    publishWhile(() -> readers.stream().anyMatch(Thread::isAlive));
    for (JavaReader reader : readers) {
      assertThat(reader.failure).isNull();
    }
    int connections = readers.stream().mapToInt(each -> each.check().connections()).sum();
    int resumes = readers.stream().mapToInt(each -> each.check().resumes()).sum();
    print(
        library.name(),
        "{\"messages\":%d,\"connections\":%d,\"resumes\":%d}"
            .formatted(MESSAGES, connections, resumes));
    assertThat(node.metric("sluice_compression_messages_total{form=\"full\"}")).isPositive();
    if (library != JavaReader.Library.JAVA_WEBSOCKET) {
      assertThat(next()).isGreaterThan(MESSAGES / 10.0);
    }
  }

  private static boolean isOnPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private static int go(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("go"));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command)
        .directory(new File("src/test/clients/go"))
        .inheritIO()
        .start()
        .waitFor();
  }

  private void serve(String name, String folder, String... command) throws Exception {
    Process reader = reader(folder, command);
    try {
      publishWhile(reader::isAlive);
      String result = new String(reader.getInputStream().readAllBytes());
      assertThat(reader.exitValue()).as(result).isZero();
      print(name, result.strip());
      JsonNode counts = new ObjectMapper().readTree(result);
      assertThat(counts.get("messages").asLong()).isGreaterThanOrEqualTo(MESSAGES);
      assertThat(next()).isGreaterThan(MESSAGES / 10.0);
    } finally {
      reader.destroyForcibly();
    }
  }

  private Process reader(String folder, String... command) throws IOException {
    List<String> arguments = new ArrayList<>(List.of(command));
    arguments.addAll(List.of(url, TOPIC));
    for (long number : new long[] {MESSAGES, READERS, SLOW}) {
      arguments.add(Long.toString(number));
    }
    return new ProcessBuilder(arguments)
        .directory(new File(folder))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  /** Condition that ends the publishing when it is false. */
  @FunctionalInterface
  private interface Running {
    boolean isTrue();
  }

  private void publishWhile(Running running) throws Exception {
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      while (running.isTrue()) {
        CompletableFuture<Void> batch =
            new CompletableFuture<Void>().completeOnTimeout(null, BATCH_MS, TimeUnit.MILLISECONDS);
        for (int i = RATE * BATCH_MS / 1000; i > 0; i--) {
          publisher.text(TOPIC, Quotes.payload(++published));
        }
        batch.join();
      }
    }
  }

  private double next() throws Exception {
    return node.metric("sluice_compression_messages_total{form=\"next\"}");
  }

  private void print(String name, String result) throws Exception {
    System.out.printf(
        "compression: %s: %s, published %d, next %.0f, full %.0f%n",
        name,
        result,
        published,
        next(),
        node.metric("sluice_compression_messages_total{form=\"full\"}"));
  }
}
