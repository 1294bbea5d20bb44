package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/**
 * Clients of the SDK in a process of their own, which check what they hear of {@link Numbers}.
 * Bound to the test's thread.
 */
final class Readers implements AutoCloseable {
  private static final Path SCRIPT = Path.of("..", "js-client", "failover", "readers.mjs");
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int clients;
  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;

  /**
   * Starts them. They subscribe to two topics each.
   *
   * @param address of a node or what stands before it, host:port
   */
  Readers(String address, int clients, List<String> topics) throws IOException {
    this(address, clients, topics, "");
  }

  /**
   * Starts them. They subscribe to two topics each, and to a pattern.
   *
   * @param address of a node or what stands before it, host:port; several with commas between them
   * @param pattern of all the topics, or empty
   */
  Readers(String address, int clients, List<String> topics, String pattern) throws IOException {
    this.clients = clients;
    List<String> command = new ArrayList<>(List.of("node", SCRIPT.toString()));
    command.add("ws://" + address.replace(",", "/ws,ws://") + "/ws");
    command.add(String.valueOf(clients));
    command.add(pattern);
    command.addAll(topics);
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    out = process.inputReader();
    in = process.outputWriter();
  }

  /** What all of them have heard so far; the script has the words. */
  JsonNode report() {
    try {
      in.write("report\n");
      in.flush();
      return JSON.readTree(out.readLine());
    } catch (IOException e) {
      throw new AssertionError("the readers have ended", e);
    }
  }

  /** Awaits a report; fails at once if something came twice, or was missed without a word. */
  JsonNode await(String what, Predicate<JsonNode> condition) {
    return Awaitility.await(what)
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(200))
        .until(this::report, report -> requireRight(report) && condition.test(report));
  }

  private static boolean requireRight(JsonNode report) {
    assertThat(report.get("wrong")).as("what came in a wrong place, of %s", report).isEmpty();
    return true;
  }

  /** All are connected to a node that has the broker, and stand somewhere in their topics. */
  boolean areThere(JsonNode report) {
    return report.get("open").asInt() == clients
        && report.get("positioned").asInt() == report.get("subscriptions").asInt();
  }

  /** All know that their node has lost the broker. */
  boolean areStale(JsonNode report) {
    return report.get("stale").asInt() == clients;
  }

  /** Nobody is behind these numbers, of the topics in their order. */
  static boolean haveAll(JsonNode report, List<Long> numbers) {
    JsonNode least = report.get("least");
    for (int topic = 0; topic < numbers.size(); topic++) {
      if (least.get(topic).asLong() < numbers.get(topic)) {
        return false;
      }
    }
    return true;
  }

  @Override
  public void close() {
    process.destroyForcibly();
    process.onExit().join();
  }
}
