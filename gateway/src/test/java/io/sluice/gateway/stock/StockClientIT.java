package io.sluice.gateway.stock;

import static io.sluice.gateway.stock.StockClient.CURL;
import static io.sluice.gateway.stock.StockClient.DURABLE_STREAMS;
import static io.sluice.gateway.stock.StockClient.EVENT_SOURCE;
import static io.sluice.gateway.stock.StockClient.HIVEMQ;
import static io.sluice.gateway.stock.StockClient.MQTT_JS_3;
import static io.sluice.gateway.stock.StockClient.MQTT_JS_5;
import static io.sluice.gateway.stock.StockClient.PAHO_JAVA_3;
import static io.sluice.gateway.stock.StockClient.PAHO_JAVA_5;
import static io.sluice.gateway.stock.StockClient.PAHO_JAVA_DURABLE;
import static io.sluice.gateway.stock.StockClient.PAHO_PYTHON_3;
import static io.sluice.gateway.stock.StockClient.PAHO_PYTHON_5;
import static io.sluice.gateway.stock.StockClient.SPRING;
import static io.sluice.gateway.stock.StockClient.SPRING_SOCKJS;
import static io.sluice.gateway.stock.StockClient.SPRING_XHR_STREAMING;
import static io.sluice.gateway.stock.StockClient.STOMPJS;
import static io.sluice.gateway.stock.StockClient.STOMPJS_SOCKJS;
import static io.sluice.gateway.stock.StockClient.STOMPJS_XHR_POLLING;
import static io.sluice.gateway.stock.StockClient.STOMPJS_XHR_STREAMING;
import static io.sluice.gateway.stock.StockClient.STOMP_PY;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.gateway.TestScope;
import io.sluice.gateway.cli.Numbers;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.NodeProcess;
import io.sluice.testkit.Switchboard;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Unmodified stock clients of the open protocols behind a load balancer: subscribe with wildcards,
 * publish, acknowledge, and lose a node. Nothing is lost or doubled without a notice.
 */
@Timeout(300)
@Order(1)
final class StockClientIT {
  /** Attempts to move a client before the log of the other node proves that it is complete. */
  private static final int MOVES = 5;

  private static final int MESSAGES = 50;
  private static final int INTERVAL_MS = 10;
  private static final int MARGIN_MS = 1_500;

  /** Messages after which another node can prove that its log is complete. */
  private static final int PROVABLE_MESSAGES = 3 * MARGIN_MS / INTERVAL_MS;

  @TempDir private static Path folder;
  private static ArtemisProcess broker;
  private static List<NodeProcess> nodes = List.of();

  @BeforeAll
  static void start() {
    broker = ArtemisProcess.start();
    nodes =
        Stream.generate(StockClientIT::settings)
            .limit(2)
            .parallel()
            .map(settings -> NodeProcess.start(folder, settings))
            .toList();
  }

  private static String settings() {
    String warm =
        Arrays.stream(StockClient.values())
            .map(client -> client.prefix() + ".*")
            .collect(Collectors.joining(", "));
    return """
        broker: {url: "%s", canary.timeout: 2s}
        history.warm: [%s]
        history.messages: 20000
        history.bytes: 16MiB
        resume.margin: %dms
        queues: {consume: [">"], send: [">"]}
        topics.durable: [%s.*]
        """
        .formatted(broker.url(), warm, MARGIN_MS, PAHO_JAVA_DURABLE.prefix());
  }

  @AfterAll
  static void stop() {
    nodes.forEach(NodeProcess::close);
    broker.close();
  }

  static Stream<StockClient> stomp() {
    return TestScope.cases(
        1,
        STOMPJS,
        STOMPJS_SOCKJS,
        STOMPJS_XHR_STREAMING,
        STOMPJS_XHR_POLLING,
        STOMP_PY,
        SPRING,
        SPRING_SOCKJS,
        SPRING_XHR_STREAMING);
  }

  @ParameterizedTest
  @MethodSource("stomp")
  void shouldServeClientsOfStomp(StockClient client) throws Exception {
    serve(client);
  }

  static Stream<StockClient> mqtt() {
    return TestScope.cases(
        1, MQTT_JS_5, MQTT_JS_3, PAHO_PYTHON_3, PAHO_PYTHON_5, PAHO_JAVA_3, PAHO_JAVA_5, HIVEMQ);
  }

  @ParameterizedTest
  @MethodSource("mqtt")
  void shouldServeClientsOfMqtt(StockClient client) throws Exception {
    serve(client);
  }

  @Test
  void shouldContinueADurableSessionOfMqtt() throws Exception {
    serve(PAHO_JAVA_DURABLE);
  }

  static Stream<StockClient> http() {
    return TestScope.cases(1, EVENT_SOURCE, CURL, DURABLE_STREAMS);
  }

  @ParameterizedTest
  @MethodSource("http")
  void shouldServeClientsOfHttp(StockClient client) throws Exception {
    serve(client);
  }

  private void serve(StockClient client) throws Exception {
    String missing = client.missing();
    assumeTrue(missing.isEmpty(), missing);
    List<String> topics = List.of(client.prefix() + ".a", client.prefix() + ".b");
    try (Switchboard balancer = new Switchboard();
        StockProcess process = client.start(balancer.address())) {
      balance(balancer, 0);
      process.awaitEvent("OPEN");
      String pattern = client.protocol.wildcard(client.prefix());
      process.command("subscribe", pattern);
      process.awaitEvent("SUBSCRIBED " + pattern);
      publish(client, process);
      if (client.protocol.hasQueues()) {
        acknowledge(client, process);
      }
      try (Numbers numbers =
          new Numbers("artemis", broker.url(), topics, Duration.ofMillis(INTERVAL_MS))) {
        lose(client, process, balancer);
        List<Long> last = new ArrayList<>(numbers.stop());
        process.awaitTrue("the last of " + last, all -> hasAll(client, all, last));
      }
      Deliveries deliveries = Deliveries.of(process.events());
      assertThat(deliveries.missing()).as("%s: missing without a notice", client).isEmpty();
      if (client.protocol.marksRepeats()) {
        assertThat(deliveries.repeated()).as("%s: repeated without a mark", client).isEmpty();
      }
    }
  }

  private static boolean hasAll(StockClient client, List<String> events, List<Long> last) {
    List<Long> latest = Deliveries.of(events).latest();
    List<Long> expected =
        client.protocol == StockClient.Protocol.DURABLE_STREAMS ? last.subList(0, 1) : last;
    return latest.equals(expected.stream().sorted().toList());
  }

  private static void balance(Switchboard balancer, int node) {
    balancer.removeAll();
    balancer.add(nodes.get(node).host(), nodes.get(node).port());
  }

  private static void publish(StockClient client, StockProcess process) throws Exception {
    String topic = client.protocol.topic(client.prefix() + ".a");
    process.command("publish", topic, "Grüße: 1");
    process.awaitEvent("PUBLISHED Grüße: 1");
    process.awaitTrue(
        "its own message",
        all -> all.stream().anyMatch(e -> e.startsWith("MESSAGE") && e.endsWith("Grüße: 1")));
  }

  private static void acknowledge(StockClient client, StockProcess process) throws Exception {
    String queue = client.prefix() + "-orders";
    process.command("consume", "/queue/" + queue);
    process.awaitEvent("SUBSCRIBED /queue/" + queue);
    for (int i = 1; i <= 3; i++) {
      process.command("publish", "/queue/" + queue, "order " + i);
      process.awaitEvent("ACKED order " + i);
    }
    // Acknowledged only when it is delivered again.
    process.command("publish", "/queue/" + queue, "HOLD 1");
    process.awaitTrue("HOLD 1", all -> all.stream().anyMatch(e -> e.endsWith("HOLD 1")));
    await().untilAsserted(() -> assertThat(broker.messages(queue)).isEqualTo(1));
  }

  /** Kills the client's node, until it has moved without a notice if its protocol can. */
  private static void lose(StockClient client, StockProcess process, Switchboard balancer) {
    for (int move = 0; move < MOVES; move++) {
      int at = move % 2;
      awaitMore(process, client.protocol.hasPositions() ? PROVABLE_MESSAGES : MESSAGES);
      int notices = Deliveries.of(process.events()).notices();
      balance(balancer, 1 - at);
      nodes.get(at).kill();
      awaitMore(process, MESSAGES);
      nodes.get(at).restart();
      if (move == 0 && client.protocol.hasQueues()) {
        process.awaitEvent("AGAIN /queue/" + client.prefix() + "-orders HOLD 1");
        process.awaitEvent("ACKED HOLD 1");
      }
      if (!client.protocol.hasPositions() || Deliveries.of(process.events()).notices() == notices) {
        return;
      }
    }
    throw new AssertionError(client + " was never resumed without a notice");
  }

  private static void awaitMore(StockProcess process, int messages) {
    int until = Deliveries.of(process.events()).messages() + messages;
    process.awaitTrue(until + " messages", all -> Deliveries.of(all).messages() >= until);
  }
}
