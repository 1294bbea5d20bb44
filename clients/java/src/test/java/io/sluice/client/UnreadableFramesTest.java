package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.internal.Frame;
import io.sluice.client.internal.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Runs docs/protocol/unreadable.json: all frames in binary, those with text also in JSON. */
final class UnreadableFramesTest {
  private static final Path FILE = Path.of("..", "..", "docs", "protocol", "unreadable.json");

  @TestFactory
  List<DynamicTest> shouldIsolateTheSubscription() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    Map<?, ?> file = (Map<?, ?>) Json.parse(Files.readString(FILE));
    for (Object each : (List<?>) file.get("cases")) {
      Map<?, ?> one = (Map<?, ?>) each;
      String name = (String) one.get("name");
      tests.add(DynamicTest.dynamicTest(name, () -> play(one, Encoding.BINARY)));
      if (one.containsKey("text")) {
        tests.add(DynamicTest.dynamicTest(name + ", JSON", () -> play(one, Encoding.JSON)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  private static void play(Map<?, ?> one, Encoding encoding) throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    boolean isBinary = encoding == Encoding.BINARY;
    try (ScriptedNode node =
            isBinary ? new ScriptedNode().expectBinary() : new ScriptedNode().expect();
        SluiceClient client =
            SluiceClient.builder(node.url())
                .encoding(encoding)
                .onError(error -> events.add(error.code()))
                .build()) {
      client.subscribe("stocks.7", listener("stocks.7", events));
      client.subscribe("news.>", listener("news.>", events));
      ScriptedNode.Session session = node.welcome();
      session.subscribed(",\"offset\":41" + (isBinary ? ",\"channel\":1" : ""));
      session.subscribed(",\"offset\":41");
      if (isBinary) {
        session.send(
            "{\"type\":\"channel\",\"channel\":2,\"pattern\":\"news.>\",\"topic\":\"news.eu\"}");
      }
      if (one.containsKey("text")) {
        session.send((String) one.get("text"));
      } else {
        session.send(HexFormat.of().parseHex((String) one.get("hex")));
      }
      String message =
          "{\"type\":\"message\",%s,\"offset\":43,\"id\":\"0000000000000043\",\"time\":1,\"payload\":\"\"}";
      session.send(message.formatted("\"topic\":\"stocks.7\""));
      session.send(message.formatted("\"topic\":\"news.eu\",\"pattern\":\"news.>\""));
      List<String> received = new ArrayList<>();
      while (!received.containsAll(List.of("news.> 43", "bad-answer"))) {
        String event = events.poll(120, TimeUnit.SECONDS);
        assertThat(event).as("after %s", received).isNotNull();
        received.add(event);
      }
      List<String> expected = new ArrayList<>(List.of("bad-answer", "stocks.7 43", "news.> 43"));
      for (String topic : List.of("stocks.7", "news.>")) {
        if (one.get("gap") == null || topic.equals(one.get("gap"))) {
          expected.add(topic + " unreadable");
        }
      }
      assertThat(received).containsExactlyInAnyOrderElementsOf(expected);
      assertThat(client.state()).isEqualTo(ConnectionState.OPEN);
    }
  }

  @TestFactory
  List<DynamicTest> shouldRejectTheMessageOfAConsumer() throws Exception {
    List<DynamicTest> tests = new ArrayList<>();
    Map<?, ?> file = (Map<?, ?>) Json.parse(Files.readString(FILE));
    for (Object each : (List<?>) file.get("deliveries")) {
      Map<?, ?> one = (Map<?, ?>) each;
      String name = (String) one.get("name");
      tests.add(DynamicTest.dynamicTest(name, () -> deliver(one, Encoding.BINARY)));
      if (one.containsKey("text")) {
        tests.add(DynamicTest.dynamicTest(name + ", JSON", () -> deliver(one, Encoding.JSON)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  @Test
  void shouldRefuseASubscriptionWithAnUnreadableAnswer() throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    try (ScriptedNode node = new ScriptedNode().expect();
        SluiceClient client = SluiceClient.builder(node.url()).encoding(Encoding.JSON).build()) {
      client.subscribe("stocks.7", listener("stocks.7", events));
      ScriptedNode.Session session = node.welcome();
      session.send(
          "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"stocks.7\",\"epoch\":7,\"offset\":1}"
              .formatted(session.receive("subscribe").ref()));
      assertThat(events.poll(120, TimeUnit.SECONDS)).isEqualTo("stocks.7 bad-answer");
      assertThat(client.state()).isEqualTo(ConnectionState.OPEN);
    }
  }

  private static void deliver(Map<?, ?> one, Encoding encoding) throws Exception {
    BlockingQueue<String> events = new LinkedBlockingQueue<>();
    boolean isBinary = encoding == Encoding.BINARY;
    try (ScriptedNode node =
            isBinary ? new ScriptedNode().expectBinary() : new ScriptedNode().expect();
        SluiceClient client =
            SluiceClient.builder(node.url())
                .encoding(encoding)
                .onError(error -> events.add(error.code()))
                .build()) {
      client.subscribe("stocks.7", listener("stocks.7", events));
      client.queue("orders").consume(delivery -> events.add("orders " + delivery.text()));
      ScriptedNode.Session session = node.welcome();
      session.subscribed(",\"offset\":41" + (isBinary ? ",\"channel\":1" : ""));
      long ref = session.receive("consume").ref();
      session.send("{\"type\":\"consuming\",\"ref\":%d,\"queue\":\"orders\"}".formatted(ref));
      if (one.containsKey("text")) {
        session.send(((String) one.get("text")).replace("$ref", Long.toString(ref)));
      } else {
        String hex = ((String) one.get("hex")).replace("$ref", "%08x".formatted(ref));
        session.send(HexFormat.of().parseHex(hex));
      }
      Frame reject = session.receive("reject");
      assertThat(reject.number("subscription")).isEqualTo(ref);
      assertThat(reject.number("tag")).isEqualTo(1);
      session.send(
          "{\"type\":\"delivery\",\"ref\":%d,\"tag\":2,\"id\":\"0000000000000043\",\"time\":1,\"payload\":\"two\"}"
              .formatted(ref));
      assertThat(session.receive("ack").number("tag")).isEqualTo(2);
      assertThat(events).containsExactly("bad-answer", "orders two");
      assertThat(client.state()).isEqualTo(ConnectionState.OPEN);
    }
  }

  private static SubscriptionListener listener(String topic, BlockingQueue<String> events) {
    return new SubscriptionListener() {
      @Override
      public void onMessage(Message message) {
        events.add(topic + " " + message.offset());
      }

      @Override
      public void onGap(Gap gap) {
        events.add(topic + " " + gap.reason());
      }

      @Override
      public void onError(SluiceException error) {
        events.add(topic + " " + error.code());
      }
    };
  }
}
