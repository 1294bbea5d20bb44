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
 * SDK clients in a child process, which check the messages of {@link Numbers}. Bound to the test's
 * thread.
 */
final class Readers implements AutoCloseable {
  private static final Path SCRIPT = Path.of("..", "js-client", "failover", "readers.mjs");
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final int clients;
  private final Process process;
  private final BufferedReader out;
  private final BufferedWriter in;

  /**
   * Starts the clients, which subscribe to two topics each.
   *
   * @param address of a node or its load balancer, host:port
   */
  Readers(String address, int clients, List<String> topics) throws IOException {
    this(address, clients, topics, "");
  }

  /**
   * Starts the clients, which subscribe to two topics each, and to a pattern.
   *
   * @param address of a node or its load balancer, host:port; several are separated by commas
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

  /** Returns the counts of all clients so far, by the script's names. */
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
        .atMost(TIMEOUT)
        .pollInterval(Duration.ofMillis(200))
        .until(this::report, report -> requireRight(report) && condition.test(report));
  }

  private static boolean requireRight(JsonNode report) {
    assertThat(report.get("wrong")).as("what came in a wrong place, of %s", report).isEmpty();
    return true;
  }

  /** Waits until all clients are connected to a node with a broker and have positions. */
  boolean areThere(JsonNode report) {
    return report.get("open").asInt() == clients
        && report.get("positioned").asInt() == report.get("subscriptions").asInt();
  }

  /** Waits until all clients are notified that their node has lost its broker. */
  boolean areStale(JsonNode report) {
    return report.get("stale").asInt() == clients;
  }

  /** Waits until all clients have received these numbers, in the order of the topics. */
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
