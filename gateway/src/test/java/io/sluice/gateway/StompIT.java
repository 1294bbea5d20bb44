package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** STOMP over WebSockets at two nodes with Artemis: docs/how-to/stomp.md. */
@Timeout(180)
final class StompIT {
  private static TestBroker broker;
  private static TestNode node;
  private static TestNode other;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node = TestNode.start(config());
    other = TestNode.start(config());
    publisher = new TestPublisher(broker.provider(), broker.url());
    node.awaitReady();
    other.awaitReady();
  }

  private static Config config() {
    return TestNode.config(broker.provider(), broker.url())
        .with(BrokerSettings.FORWARD_PROPERTIES, List.of("region", "x_HYPHEN_y"))
        .with(BrokerSettings.CANARY_INTERVAL, Duration.ofMillis(100))
        .with(TimeoutSettings.PING, Duration.ofMillis(100))
        .with(HistorySettings.RESUME_MARGIN, Duration.ofSeconds(1))
        .with(HistorySettings.RESUME_SPREAD, Duration.ofMillis(100))
        .with(LimitSettings.TRANSACTION, 3)
        .with(LimitSettings.SUBSCRIPTIONS, 10)
        .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("open.>", "only.>"))
        .with(TopicSettings.QUEUES_SEND, List.of("q.>"))
        .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"))
        .with(TopicSettings.TOPICS_DURABLE, List.of("open.>"))
        .with(TopicSettings.TOPICS_SHARED, List.of("open.>"));
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    other.close();
    node.close();
    broker.close();
  }

  @ParameterizedTest
  @CsvSource({"'1.0', '1.0'", "'1.0,1.1', '1.1'", "'1.2,1.1,1.0', '1.2'", "'2.0,1.1', '1.1'"})
  void shouldNegotiateTheVersion(String accepted, String expected) {
    try (RawWebSocket socket =
            node.request().subprotocols("v12.stomp", "v11.stomp", "v10.stomp").open();
        StompSocket client = new StompSocket(socket)) {
      assertThat(socket.header("Sec-WebSocket-Protocol")).isEqualTo("v12.stomp");
      client.send("STOMP\naccept-version:" + accepted + "\nhost:/\nheart-beat:10000,10000\n\n");
      StompSocket.Frame connected = client.next();
      assertThat(connected.command()).isEqualTo("CONNECTED");
      assertThat(connected.header("version")).isEqualTo(expected);
      assertThat(connected.header("heart-beat")).isEqualTo("10000,10000");
      assertThat(connected.header("session")).startsWith("test-node-");
    }
  }

  @Test
  void shouldRefuseOtherVersions() {
    try (StompSocket client = unconnected()) {
      client.send("CONNECT\naccept-version:2.0\nhost:/\n\n");
      StompSocket.Frame error = client.next();
      assertThat(error.command()).isEqualTo("ERROR");
      assertThat(error.header("version")).isEqualTo("1.0,1.1,1.2");
      assertThat(client.socket().awaitClose()).isEqualTo(1002);
    }
  }

  private static StompSocket unconnected() {
    return new StompSocket(RawWebSocket.to("127.0.0.1", node.gateway().port(), "/stomp").open());
  }

  @Test
  void shouldDeliverToSeveralSubscriptions() throws Exception {
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:a\ndestination:/topic/open.several.7\n\n");
      client.request("SUBSCRIBE\nid:b\ndestination:/topic/open.several.7\n\n");
      client.request("SUBSCRIBE\nid:c\ndestination:open.several.*\nack:client\n\n");
      client.request("SUBSCRIBE\nid:d\ndestination:/topic/open/several/>\n\n");
      client.request("SUBSCRIBE\nid:e\ndestination:/topic/open.several.7.#\n\n");
      publisher.text("open.several.7", "one");
      for (String id : List.of("a", "b", "c", "d", "e")) {
        StompSocket.Frame message = message(client, id);
        assertThat(message.header("destination")).isEqualTo("/topic/open.several.7");
        assertThat(message.header("content-length")).isEqualTo("3");
        assertThat(message.header("message-id")).matches("[0-9a-f]{16}");
        assertThat(message.body()).isEqualTo("one");
      }
      client.request("UNSUBSCRIBE\nid:a\n\n");
      publisher.text("open.several.7", "two");
      for (String id : List.of("b", "c", "d", "e")) {
        assertThat(message(client, id).body()).isEqualTo("two");
      }
      assertThat(client.kept()).isEmpty();
    }
  }

  /** Returns the next message of a subscription. */
  private static StompSocket.Frame message(StompSocket client, String id) {
    for (StompSocket.Frame each : client.kept()) {
      if (id.equals(each.header("subscription"))) {
        client.kept().remove(each);
        return each;
      }
    }
    StompSocket.Frame message = client.next();
    while (!id.equals(message.header("subscription"))) {
      client.kept().add(message);
      message = client.next();
    }
    return message;
  }

  @Test
  void shouldPublishWithHeaders() {
    try (StompSocket client = StompSocket.open(node);
        RawWebSocket json = node.json()) {
      client.request("SUBSCRIBE\nid:1\ndestination:/topic/open.publish\n\n");
      json.subscribe(1, "open.publish");
      client.request(
          "SEND\ndestination:/topic/open.publish\npersistent:true\npriority:5\n"
              + "region:E\\cU\\\\\\n\nx-y:z\nregion:second\ncontent-type:text/plain\n\nhello €");
      StompSocket.Frame message = client.await("MESSAGE");
      assertThat(message.header("region")).isEqualTo("E\\cU\\\\\\n");
      assertThat(message.header("x-y")).isEqualTo("z");
      assertThat(message.body()).isEqualTo("hello €");
      assertThat(json.await("message").get("payload").asText()).isEqualTo("hello €");

      client.request("SEND\ndestination:/topic/open.publish\ncontent-length:2\n\na\0");
      assertThat(client.await("MESSAGE").body()).isEqualTo("a\0");
      assertThat(json.await("message").get("encoding").asText()).isEqualTo("base64");
    }
  }

  @Test
  void shouldReadFramesInAnyPieces() {
    try (StompSocket client = unconnected()) {
      client.socket().text("CONN");
      client.socket().text("ECT\r\naccept-version:1.1\r\n\r\n\0\nSUBSCRIBE\nid:1\n");
      client
          .socket()
          .binary(
              "destination:open.pieces\nreceipt:1\n\n\0SEND\n".getBytes(StandardCharsets.UTF_8));
      client.await("RECEIPT");
      client
          .socket()
          .text("destination:open.pieces\n\na\0SEND\ndestination:open.pieces\n\nb\0\n\n");
      assertThat(client.await("MESSAGE").body()).isEqualTo("a");
      assertThat(client.await("MESSAGE").body()).isEqualTo("b");
    }
  }

  @ParameterizedTest
  @CsvSource({"auto", "client", "client-individual"})
  void shouldAcknowledgeMessagesOfQueues(String mode) {
    String queue = "/queue/q.ack." + mode;
    try (StompSocket client = StompSocket.open(node)) {
      for (int i = 1; i <= 3; i++) {
        client.request("SEND\ndestination:" + queue + "\n\n" + i);
      }
      client.request("SUBSCRIBE\nid:1\ndestination:" + queue + "\nack:" + mode + "\n\n");
      StompSocket.Frame first = client.await("MESSAGE");
      StompSocket.Frame second = client.await("MESSAGE");
      StompSocket.Frame third = client.await("MESSAGE");
      assertThat(List.of(first.body(), second.body(), third.body())).containsExactly("1", "2", "3");
      assertThat(first.header("destination")).isEqualTo(queue);
      if (!mode.equals("auto")) {
        assertThat(second.header("ack")).isEqualTo(second.header("message-id"));
        client.request("ACK\nid:" + second.header("ack") + "\n\n");
        client.request("NACK\nid:" + third.header("ack") + "\n\n");
      }
      client.request("DISCONNECT\n\n");
      assertThat(client.socket().awaitClose()).isEqualTo(1000);
    }
    try (StompSocket client = StompSocket.open(node, "1.1", "")) {
      client.request("SUBSCRIBE\nid:1\ndestination:" + queue + "\nack:client\n\n");
      client.request("SEND\ndestination:" + queue + "\n\nlast");
      List<String> expected =
          switch (mode) {
            case "auto" -> List.of("last");
            case "client" -> List.of("3", "last");
            default -> List.of("1", "3", "last");
          };
      for (String body : expected) {
        StompSocket.Frame message = client.await("MESSAGE");
        assertThat(message.body()).isEqualTo(body);
        if (!body.equals("last")) { // which the former consumer may have received, too
          assertThat(message.header("redelivered")).isEqualTo("true");
        }
        client.request("ACK\nmessage-id:" + message.header("message-id") + "\nsubscription:1\n\n");
      }
    }
  }

  @Test
  void shouldCommitAndAbortTransactions() {
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:1\ndestination:/topic/open.tx\n\n");
      client.request("SEND\ndestination:/queue/q.tx\n\nin");
      client.request("SUBSCRIBE\nid:2\ndestination:/queue/q.tx\nack:client\n\n");
      StompSocket.Frame in = client.await("MESSAGE");
      client.request("BEGIN\ntransaction:t\n\n");
      client.request("SEND\ntransaction:t\ndestination:/topic/open.tx\n\naborted");
      client.request("ABORT\ntransaction:t\n\n");
      client.request("BEGIN\ntransaction:t\n\n");
      client.request("SEND\ntransaction:t\ndestination:/topic/open.tx\n\na");
      client.request("SEND\ntransaction:t\ndestination:/topic/open.tx\n\nb");
      client.request("ACK\ntransaction:t\nid:" + in.header("ack") + "\n\n");
      assertThat(client.kept()).isEmpty();
      client.request("COMMIT\ntransaction:t\n\n");
      assertThat(client.await("MESSAGE").body()).isEqualTo("a");
      assertThat(client.await("MESSAGE").body()).isEqualTo("b");
      client.request("BEGIN\ntransaction:empty\n\n");
      client.request("COMMIT\ntransaction:empty\n\n");
    }
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:2\ndestination:/queue/q.tx\nack:client\n\n");
      client.request("SEND\ndestination:/queue/q.tx\n\nnext");
      assertThat(client.await("MESSAGE").body()).isEqualTo("next");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SUBSCRIBE\nid:1\ndestination:/topic/closed\n|not served by this node",
        "SUBSCRIBE\nid:1\ndestination:/queue/closed\n|not",
        "SEND\ndestination:/queue/closed\n|not",
        "SUBSCRIBE\nid:1\ndestination:/topic/open..x\n|level 2",
        "SUBSCRIBE\nid:1\ndestination:/topic/open.#.x\n|level 2",
        "SUBSCRIBE\nid:1\ndestination:/topic/open.x\nselector:region =\n|header \"selector\" is no selector",
        "SUBSCRIBE\nid:1\ndestination:/exchange/a/b\n|RabbitMQ",
        "SUBSCRIBE\nid:1\ndestination:/user/queue/a\n|Spring",
        "SUBSCRIBE\ndestination:/topic/open.x\n|requires the header \"id\"",
        "SUBSCRIBE\nid:1\n|requires the header \"destination\"",
        "SUBSCRIBE\nid:1\ndestination:/topic/open.x\nack:often\n|client-individual",
        "SUBSCRIBE\nid:1\ndestination:/topic/open.x\nfrom:yesterday\n|position of a message",
        "UNSUBSCRIBE\nid:1\n|identifies no subscription",
        "SEND\n|requires the header \"destination\"",
        "SEND\ndestination:/topic/open.x\npriority:10\n|from 0 to 9",
        "SEND\ndestination:/topic/open.x\nJMSx:1\n|JMS property",
        "SEND\ndestination:/topic/open.x\ntransaction:t\n|has not begun",
        "NACK\nid:0123456789abcdef\n|message of a topic",
        "ACK\nid:7-1-0123456789abcdef\n|no consumer",
        "ACK\nid:seven\n|id of no message",
        "COMMIT\ntransaction:t\n|has not begun",
        "CONNECT\n|must be the first frame",
        "PUBLISH\n|not a command",
      })
  void shouldRefuseWithAnErrorAndClose(String frameAndReason) {
    String[] parts = frameAndReason.split("\\|");
    try (StompSocket client = StompSocket.open(node)) {
      client.send(parts[0] + "receipt:r\n\n");
      StompSocket.Frame error = client.next();
      assertThat(error.command()).isEqualTo("ERROR");
      assertThat(error.body()).contains(parts[1]);
      assertThat(error.header("receipt-id")).isEqualTo(parts[0].startsWith("PUB") ? null : "r");
      assertThat(client.socket().awaitClose()).isEqualTo(1002);
    }
  }

  @Test
  void shouldResumeAtThePositionOfAMessage() throws Exception {
    String position;
    try (StompSocket client = StompSocket.open(node)) {
      StompSocket.Frame receipt = client.request("SUBSCRIBE\nid:1\ndestination:open.same\n\n");
      assertThat(receipt.header("position")).endsWith("-0000000000000000");
      publisher.text("open.same", "1");
      position = client.await("MESSAGE").header("position");
    }
    publisher.text("open.same", "2");
    publisher.text("open.same", "3");
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:9\ndestination:open.same\nfrom:" + position + "\n\n");
      assertThat(client.await("MESSAGE").body()).isEqualTo("2");
      assertThat(client.await("MESSAGE").body()).isEqualTo("3");
    }
    try (StompSocket client = StompSocket.open(node)) {
      String unknown = "0123456789abcdef" + position.substring(16, 34) + "0".repeat(33);
      client.request("SUBSCRIBE\nid:9\ndestination:open.same\nfrom:" + position + "\n\n");
      client.send(
          "SUBSCRIBE\nid:10\ndestination:open.same\nfrom:" + unknown.substring(0, 33) + "\n\n");
      StompSocket.Frame gap = message(client, "10");
      assertThat(gap.header("gap")).isEqualTo("not-recovered");
      assertThat(gap.body()).isEmpty();
      assertThat(message(client, "10").body()).isEqualTo("3"); // snapshot
    }
  }

  @Test
  void shouldResumeAtAnotherNode() throws Exception {
    String position;
    String id;
    try (RawWebSocket holder = other.json();
        RawWebSocket here = node.json();
        StompSocket client = StompSocket.open(node)) {
      holder.subscribe(1, "open.moved");
      long sinceMs = here.subscribe(1, "open.moved").get("time").asLong();
      caughtUpSince(holder, sinceMs + 4_000); // then the log is evidence
      client.request("SUBSCRIBE\nid:1\ndestination:open.moved\n\n");
      publisher.text("open.moved", "1");
      StompSocket.Frame message = client.await("MESSAGE");
      position = message.header("position");
      id = message.header("message-id");
      publisher.text("open.moved", "2");
      holder.await("message");
      holder.await("message");
      try (StompSocket moved = StompSocket.open(other)) {
        moved.request("SUBSCRIBE\nid:1\ndestination:open.moved\nfrom:" + position + "\n\n");
        StompSocket.Frame first = moved.await("MESSAGE");
        assertThat(first.headers()).doesNotContainKey("gap");
        if (first.header("message-id").equals(id)) { // a replay may begin before the position
          first = moved.await("MESSAGE");
        }
        assertThat(first.body()).isEqualTo("2");
      }
    }
  }

  private static void caughtUpSince(RawWebSocket client, long timeMs) {
    JsonNode frame = client.await("caught-up");
    while (frame.get("time").asLong() < timeMs) {
      frame = client.await("caught-up");
    }
  }

  @Test
  void shouldReportGapsToClientsThatRequestThem() throws Exception {
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:1\ndestination:open.gaps\ngap:true\n\n");
      client.request("SUBSCRIBE\nid:2\ndestination:open.gaps\n\n");
      publisher.send("open.gaps", publisher.session().createObjectMessage("x"));
      publisher.text("open.gaps", "next");
      StompSocket.Frame gap = message(client, "1");
      assertThat(gap.header("gap")).isEqualTo("unsupported");
      assertThat(gap.header("position")).endsWith("-0000000000000001");
      assertThat(message(client, "1").body()).isEqualTo("next");
      assertThat(message(client, "2").body()).isEqualTo("next");
    }
  }

  @Test
  void shouldSelectMessages() {
    try (StompSocket client = StompSocket.open(node)) {
      client.request("SUBSCRIBE\nid:1\ndestination:open.select\nselector:region = 'EU'\n\n");
      client.request("SEND\ndestination:open.select\nregion:US\n\na");
      client.request("SEND\ndestination:open.select\nregion:EU\n\nb");
      assertThat(client.await("MESSAGE").body()).isEqualTo("b");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "durable-subscription-name:desk",
        "activemq.subscriptionName:desk-2",
        "durable:true\nauto-delete:false"
      })
  void shouldKeepMessagesOfADurableSubscription(String headers) {
    String subscribe =
        "SUBSCRIBE\nid:box\ndestination:open.durable\nack:client-individual\n" + headers + "\n\n";
    try (StompSocket client = StompSocket.open(node)) {
      client.request(subscribe);
      client.request("DISCONNECT\n\n");
    }
    try (StompSocket client = StompSocket.open(other)) {
      client.request("SEND\ndestination:open.durable\n\nkept");
      client.request(subscribe);
      StompSocket.Frame message = client.await("MESSAGE");
      assertThat(message.body()).isEqualTo("kept");
      client.request("ACK\nid:" + message.header("ack") + "\n\n");
      client.request("UNSUBSCRIBE\nid:box\n" + headers + "\n\n"); // deletes it
      client.request("SEND\ndestination:open.durable\n\nnot kept");
      client.request(subscribe);
      client.request("SEND\ndestination:open.durable\n\nnew");
      assertThat(client.await("MESSAGE").body()).isEqualTo("new");
    }
  }

  @Test
  void shouldAnswerRequests() {
    try (StompSocket service = StompSocket.open(node);
        StompSocket client = StompSocket.open(other)) {
      service.request("SUBSCRIBE\nid:1\ndestination:/queue/q.service\nack:client\n\n");
      client.send(
          "SEND\ndestination:/queue/q.service\nreply-to:/temp-queue/mine\ncorrelation-id:7\n\nask");
      StompSocket.Frame request = service.await("MESSAGE");
      assertThat(request.body()).isEqualTo("ask");
      service.request("SEND\ndestination:" + request.header("reply-to") + "\n\nanswer");
      service.request("ACK\nid:" + request.header("ack") + "\n\n");
      StompSocket.Frame reply = client.await("MESSAGE");
      assertThat(reply.header("subscription")).isEqualTo("/temp-queue/mine");
      assertThat(reply.header("correlation-id")).isEqualTo("7");
      assertThat(reply.body()).isEqualTo("answer");
    }
  }

  @Test
  void shouldServeClientsOfVersion10() throws Exception {
    try (StompSocket client = unconnected()) {
      client.send("CONNECT\nhost: /\n\n");
      client.await("CONNECTED");
      client.request("SUBSCRIBE\ndestination: /topic/open.old\n\n");
      client.request("SUBSCRIBE\nid: 2\ndestination: /topic/open.old.>\n\n");
      client.request("SEND\ndestination: /topic/open.old\n\na");
      StompSocket.Frame message = client.await("MESSAGE");
      assertThat(message.headers()).doesNotContainKey("subscription");
      assertThat(message.header("destination")).isEqualTo("/topic/open.old");
      client.request("UNSUBSCRIBE\ndestination: /topic/open.old\n\n");
      client.request("SEND\ndestination: /topic/open.old\n\nb");
      client.request("SEND\ndestination: /topic/open.old.x\n\nc");
      assertThat(client.await("MESSAGE").body()).isEqualTo("c");
    }
  }

  @Test
  void shouldEndTheSessionOfADrainingNode() {
    try (TestNode drained = TestNode.start(config());
        StompSocket client = StompSocket.open(drained)) {
      client.request("SUBSCRIBE\nid:1\ndestination:open.drain\n\n");
      drained.command("/drain");
      StompSocket.Frame error = client.next();
      assertThat(error.command()).isEqualTo("ERROR");
      assertThat(error.header("message")).isEqualTo("draining");
      assertThat(client.socket().awaitClose()).isEqualTo(4100);
    }
  }

  @Tag("full")
  @Test
  void shouldSendHeartBeats() {
    try (StompSocket client = StompSocket.open(node, "1.2", "heart-beat:0,1000\n")) {
      assertThat(client.socket().readText()).isEqualTo("\n");
      assertThat(client.socket().readText()).isEqualTo("\n");
    }
  }

  @Tag("full")
  @Test
  void shouldCloseAClientWithoutItsHeartBeats() {
    try (StompSocket client = StompSocket.open(node, "1.2", "heart-beat:10,0\n")) {
      StompSocket.Frame error = StompSocket.parse(client.socket().readText());
      assertThat(error.header("message")).isEqualTo("idle");
      assertThat(client.socket().awaitClose()).isEqualTo(4001);
    }
  }

  static List<String> excesses() {
    return List.of(
        repeated(40, "SUBSCRIBE\nid:%d\ndestination:open.limit\n\n\0") + "|10 subscriptions",
        repeated(64, "SUBSCRIBE\nid:%d\ndestination:/temp-queue/%1$d\n\n\0") + "|temporary queues",
        repeated(64, "BEGIN\ntransaction:%d\n\n\0") + "|transactions are open",
        "BEGIN\ntransaction:0\n\n\0"
            + repeated(12, "SEND\ndestination:open.limit\ntransaction:0\n\n%d\0")
            + "|limits.transaction (3)",
        "SEND\n" + repeated(10_000, "h%d:x\n") + "\n\0|128 headers",
        "SEND\nx:" + "y".repeat(4 * 64 * 1024) + "\n\n\0|limits.message-bytes",
        "SEND\ndestination:open.limit\n\n" + "y".repeat(4 * 64 * 1024) + "\0|limits.message-bytes",
        "SEND\n" + "y".repeat(4 * 64 * 1024) + "|limits.message-bytes",
        "SEND\ndestination:open.limit\ncontent-length:262144\n\n|limits.message-bytes");
  }

  private static String repeated(int count, String frame) {
    return IntStream.range(0, count).mapToObj(frame::formatted).collect(Collectors.joining());
  }

  @ParameterizedTest
  @MethodSource("excesses")
  void shouldRefuseFourTimesALimit(String textAndReason) {
    int end = textAndReason.lastIndexOf('|');
    String text = textAndReason.substring(0, end);
    try (StompSocket client = StompSocket.open(node)) {
      for (int at = 0; at < text.length(); at += 32 * 1024) {
        client.socket().text(text.substring(at, Math.min(text.length(), at + 32 * 1024)));
      }
      StompSocket.Frame error = client.next();
      assertThat(error.command()).isEqualTo("ERROR");
      assertThat(error.body()).contains(textAndReason.substring(end + 1));
      assertThat(client.socket().awaitClose()).isEqualTo(1002);
    }
  }

  @Test
  void shouldServeThePathOfSpring() {
    try (StompSocket plain =
        new StompSocket(
            RawWebSocket.to("127.0.0.1", node.gateway().port(), "/stomp/websocket").open())) {
      plain.send("CONNECT\naccept-version:1.2\n\n");
      assertThat(plain.next().command()).isEqualTo("CONNECTED");
    }
  }
}
