package io.sluice.loadtest.crowd;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A crowd of a test, and what it has said. */
final class RunningCrowd implements AutoCloseable {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final StringWriter out;
  private final Crowd crowd;
  private final CrowdInput input;

  private RunningCrowd(StringWriter out, Crowd crowd) {
    this.out = out;
    this.crowd = crowd;
    this.input = new CrowdInput(crowd);
  }

  static RunningCrowd start(CrowdOptions options) throws IOException {
    StringWriter out = new StringWriter();
    return new RunningCrowd(out, Crowd.start(options, new CrowdEvents(new PrintWriter(out)), null));
  }

  static RunningCrowd ready(CrowdOptions options) throws IOException {
    RunningCrowd crowd = start(options);
    crowd.awaitEvents("ready", 1);
    return crowd;
  }

  static CrowdOptions options(TestServer server, int clients) {
    return options("ws://127.0.0.1:" + server.port() + "/ws", clients);
  }

  static CrowdOptions options(String url, int clients) {
    return with(url, clients, MessageEncoding.BIN, null, List.of(), 1, Transport.AUTO, null);
  }

  static CrowdOptions with(
      String url,
      int clients,
      MessageEncoding encoding,
      String token,
      List<String> fromAddresses,
      int threads,
      Transport transport,
      Path trust) {
    return new CrowdOptions(
        CrowdUrl.parse(url),
        clients,
        7,
        "stocks.",
        100,
        encoding,
        token,
        10_000,
        fromAddresses,
        threads,
        transport,
        false,
        trust);
  }

  Crowd crowd() {
    return crowd;
  }

  void command(String line) {
    input.onLine(line);
  }

  /** What it has said so far. */
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

  /** Waits until there are so many events of a kind; answers with the latest. */
  JsonNode awaitEvents(String event, int count) {
    await().atMost(LIMIT).until(() -> events(event).size() >= count);
    return events(event).get(count - 1);
  }

  /** Waits until a figure of the latest second is what it should be. */
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
    crowd.close();
  }
}
