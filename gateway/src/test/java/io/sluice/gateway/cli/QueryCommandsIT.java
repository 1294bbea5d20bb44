package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Queries of the command line at a real node with a real broker. */
@Timeout(180)
final class QueryCommandsIT {
  private TestBroker broker;
  private TestNode node;
  private RawWebSocket client;
  private CommandRun run;

  @BeforeEach
  void start() throws Exception {
    broker = TestBroker.start("artemis");
    node = TestNode.start(TestNode.config("artemis", broker.url()));
    node.awaitReady();
    client = node.json();
    client.subscribe(1, "prices.eu");
    try (TestPublisher publisher = new TestPublisher("artemis", broker.url())) {
      publisher.text("prices.eu", "x");
    }
    client.await("message");
  }

  @AfterEach
  void stop() {
    client.close();
    node.close();
    broker.close();
  }

  private int execute(String... arguments) {
    return executeAt("http://127.0.0.1:" + node.gateway().adminPort(), arguments);
  }

  private int executeAt(String admin, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--admin", admin));
    run = CommandRun.of(all);
    return run.code();
  }

  private List<String> lines() {
    assertThat(run.err()).isEmpty();
    return run.lines();
  }

  @Tag("full")
  @Test
  void shouldPrintTopicsAndOneTopic() {
    assertThat(execute("topics", "--sort", "subscribers")).isZero();
    assertThat(lines()).hasSize(3);
    assertThat(lines().get(0))
        .matches("topic +messages/s +payload B/s +subscribers +log +log age +gaps +consumer");
    assertThat(lines().get(1)).matches("prices\\.eu +[\\d.]+ +[\\d.]+ +1 +1 +[\\d.]+ s +0 +active");
    assertThat(lines().get(2)).isEqualTo("1 of 1");
    assertThat(execute("topics", "--search", "none")).isZero();
    assertThat(lines()).endsWith("0 of 0");
    assertThat(execute("topic", "prices.eu")).isZero();
    assertThat(lines()).hasSize(6).endsWith("1 of 1");
    assertThat(lines().get(1)).matches("test-node +prices\\.eu +[\\d.]+ +1 +1 +20.*Z +active");
    assertThat(execute("topic", "nosuch")).isEqualTo(1);
    assertThat(run.err()).contains("404 no node that responded has a subscription to nosuch");
  }

  @Tag("full")
  @Test
  void shouldPrintClientsAndOneClient() {
    assertThat(execute("clients", "--json")).isZero();
    String session =
        new JsonObject(run.out()).getJsonArray("clients").getJsonObject(0).getString("session");
    assertThat(execute("clients")).isZero();
    assertThat(lines().get(1)).startsWith("test-node  " + session + "  -  ");
    assertThat(execute("client", session)).isZero();
    assertThat(lines()).anyMatch(line -> line.matches("subscribe +>"));
    assertThat(lines()).anyMatch(line -> line.matches("prices\\.eu +20.*Z +1 +0 +0"));
    assertThat(execute("client", "nobody")).isEqualTo(1);
    assertThat(run.err()).contains("404 no node that responded has the session nobody");
  }

  @Tag("full")
  @Test
  void shouldPrintTheAnswerLast() {
    assertThat(execute("why", "--subject", "", "--topic", "prices.eu")).isZero();
    assertThat(lines()).hasSize(12);
    assertThat(lines().get(11)).startsWith("no problem was found");
    assertThat(execute("why", "--subject", "", "--topic", "prices.us")).isZero();
    assertThat(lines().get(lines().size() - 1)).startsWith("interest: ");
  }

  @Tag("full")
  @Test
  void shouldPrintTheOverview() {
    assertThat(execute("overview")).isZero();
    assertThat(lines()).hasSize(3);
    assertThat(lines().get(1)).matches("test-node +connected +1 .*");
    assertThat(lines().get(2)).matches("cluster +- +1 .*");
  }

  @Tag("full")
  @Test
  void shouldUseTheNextNodeAndReportFailures() {
    String working = "http://127.0.0.1:" + node.gateway().adminPort();
    assertThat(executeAt("http://127.0.0.1:1," + working, "topics")).isZero();
    assertThat(run.out()).contains("prices.eu");
    assertThat(run.err()).isEqualTo("http://127.0.0.1:1: not reachable: connection refused\n");
    assertThat(executeAt("http://127.0.0.1:1", "topics")).isEqualTo(1);
    assertThat(run.err())
        .isEqualTo("sluice topics: http://127.0.0.1:1: not reachable: connection refused\n");
  }
}
