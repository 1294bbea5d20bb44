package io.sluice.loadtest.load;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.loadtest.load.dialect.ClientProtocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Load generator of a test, and its output. */
final class RunningGenerator implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final StringWriter out;
  private final LoadGenerator generator;
  private final GeneratorInput input;

  private RunningGenerator(StringWriter out, LoadGenerator generator) {
    this.out = out;
    this.generator = generator;
    this.input = new GeneratorInput(generator);
  }

  static RunningGenerator start(GeneratorOptions options) throws IOException {
    StringWriter out = new StringWriter();
    return new RunningGenerator(
        out, LoadGenerator.start(options, new GeneratorEvents(new PrintWriter(out)), null));
  }

  static RunningGenerator ready(GeneratorOptions options) throws IOException {
    RunningGenerator generator = start(options);
    generator.awaitEvents("ready", 1);
    return generator;
  }

  static GeneratorOptions options(TestServer server, int clients) {
    return options("ws://127.0.0.1:" + server.port() + "/ws", clients);
  }

  static GeneratorOptions options(String url, int clients) {
    return with(url, clients, ClientProtocol.SLUICE_BIN, null, List.of(), 1, Transport.AUTO, null);
  }

  static GeneratorOptions with(
      String url,
      int clients,
      ClientProtocol protocol,
      String token,
      List<String> fromAddresses,
      int threads,
      Transport transport,
      Path trust) {
    return new GeneratorOptions(
        GatewayUrl.parse(url),
        clients,
        7,
        "stocks.",
        100,
        protocol,
        token,
        10_000,
        fromAddresses,
        threads,
        transport,
        false,
        trust,
        false,
        null,
        null);
  }

  /** Options of clients of one topic, of which some are measured. */
  static GeneratorOptions measured(TestServer server, int clients, ClientProtocol protocol) {
    return new GeneratorOptions(
        GatewayUrl.parse("ws://127.0.0.1:" + server.port() + "/ws"),
        clients,
        1,
        "stocks.",
        0,
        protocol,
        null,
        10_000,
        List.of(),
        1,
        Transport.AUTO,
        false,
        null,
        false,
        new MeasurementOptions(2, Duration.ZERO, 1, ProcessHandle.current()),
        null);
  }

  /** Options of clients that require compression. */
  static GeneratorOptions inflating(TestServer server, int clients, ClientProtocol protocol) {
    return new GeneratorOptions(
        GatewayUrl.parse("ws://127.0.0.1:" + server.port() + "/ws"),
        clients,
        1,
        "stocks.",
        0,
        protocol,
        null,
        10_000,
        List.of(),
        1,
        Transport.AUTO,
        false,
        null,
        true,
        null,
        null);
  }

  LoadGenerator generator() {
    return generator;
  }

  void command(String line) {
    input.onLine(line);
  }

  /** Returns the output so far. */
  List<JsonNode> events(String event) {
    ObjectMapper json = new ObjectMapper();
    String whole = out.toString();
    return whole
        .substring(0, whole.lastIndexOf('\n') + 1)
        .lines()
        .map(
            line -> {
              try {
                return json.readTree(line);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            })
        .filter(line -> event.equals(line.path("event").asText()))
        .toList();
  }

  /** Waits for a number of events of a kind and returns the latest. */
  JsonNode awaitEvents(String event, int count) {
    await().atMost(LIMIT).until(() -> events(event).size() >= count);
    return events(event).get(count - 1);
  }

  /** Waits until a figure has a value, and returns the latest second. */
  JsonNode awaitFigure(String name, long value) {
    await()
        .atMost(LIMIT)
        .until(() -> events("second").stream().anyMatch(e -> e.path(name).asLong() == value));
    return events("second").get(events("second").size() - 1);
  }

  List<String> errors() {
    return events("error").stream().map(e -> e.path("message").asText()).toList();
  }

  @Override
  public void close() {
    generator.close();
  }
}
