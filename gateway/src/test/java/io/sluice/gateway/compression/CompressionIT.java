package io.sluice.gateway.compression;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.ClientFrame;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.ServerFrame;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Compression at a real node, with clients that keep the context of their connection. */
final class CompressionIT {
  private static final String TAKEOVER = "permessage-deflate; client_max_window_bits";
  private static final String NO_TAKEOVER = "permessage-deflate; server_no_context_takeover";
  private static final long MESSAGES = Long.getLong("sluice.compression.messages", 5_000);
  private static final int READERS = 20;
  private static final int DEFLATED = 4;

  private static TestBroker broker;
  private static TestNode node;
  private static TestPublisher publisher;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    node =
        TestNode.start(
            TestNode.config("artemis", broker.url())
                .with(HistorySettings.MESSAGES, 2000)
                .with(TopicSettings.TOPIC_COMPRESSION, List.of("secret.>=alone")));
    publisher = new TestPublisher("artemis", broker.url());
  }

  @AfterAll
  static void stop() throws Exception {
    publisher.close();
    node.close();
    broker.close();
  }

  private static RawWebSocket open(String extensions) {
    return node.request()
        .subprotocols(Encoding.BINARY_SUBPROTOCOL)
        .set("Sec-WebSocket-Extensions", extensions)
        .open();
  }

  private static ServerFrame next(RawWebSocket client) {
    ServerFrame frame = client.readFrame();
    while (frame.opcode() != ClientFrame.BINARY) {
      frame = client.readFrame();
    }
    return frame;
  }

  private static String quote(int bid) {
    return "{\"symbol\":\"ACME.N\",\"bid\":"
        + bid
        + ",\"ask\":"
        + (bid + 2)
        + ",\"venue\":\"XNYS\"}";
  }

  @Test
  void shouldReferToThePreviousMessageOfTheStream() throws Exception {
    try (RawWebSocket first = open(TAKEOVER);
        RawWebSocket plain = open(NO_TAKEOVER)) {
      first.subscribe(1, "small.1");
      plain.subscribe(1, "small.1");
      publisher.text("small.1", quote(101));
      ServerFrame full = next(first);
      assertThat(full.rsv()).isEqualTo(DEFLATED);
      assertThat(first.inflate(full).text()).endsWith(quote(101));
      try (RawWebSocket second = open(TAKEOVER)) {
        second.subscribe(1, "small.1");
        publisher.text("small.1", quote(102));
        ServerFrame next = next(first);
        ServerFrame joined = next(second);
        assertThat(next.payload()).hasSizeLessThan(full.payload().length / 2);
        assertThat(joined.payload()).hasSizeGreaterThan(2 * next.payload().length);
        assertThat(first.inflate(next))
            .usingRecursiveComparison()
            .isEqualTo(second.inflate(joined));
        publisher.text("small.1", quote(103));
        next = next(first);
        joined = next(second);
        assertThat(joined.payload()).isEqualTo(next.payload());
        assertThat(first.inflate(next).text()).endsWith(quote(103));
        assertThat(second.inflate(joined).text()).endsWith(quote(103));
      }
      assertThat(next(plain).rsv()).as("small, without context takeover").isZero();
    }
  }

  @Test
  void shouldKeepTheSelectedStreamAmongOthers() throws Exception {
    try (RawWebSocket client = open(TAKEOVER)) {
      client.subscribe(1, "selected");
      client.subscribe(2, "other");
      publisher.text("selected", quote(101));
      assertThat(client.inflate(next(client)).text()).endsWith(quote(101));
      publisher.text("other", quote(201));
      ServerFrame small = next(client);
      assertThat(small.rsv()).as("small, not selected").isZero();
      publisher.text("selected", quote(102));
      ServerFrame next = next(client);
      assertThat(next.payload()).as("the window is unchanged").hasSizeLessThan(50);
      assertThat(client.inflate(next).text()).endsWith(quote(102));
      String large = quote(202).repeat(5);
      publisher.text("other", large);
      ServerFrame full = next(client);
      assertThat(full.rsv()).as("large").isEqualTo(DEFLATED);
      assertThat(client.inflate(full).text()).endsWith(large);
      publisher.text("selected", quote(103));
      ServerFrame again = next(client);
      assertThat(again.payload()).as("compressed alone").hasSizeGreaterThan(50);
      assertThat(client.inflate(again).text()).endsWith(quote(103));
    }
  }

  @Test
  void shouldCompressConfiguredTopicsAlone() throws Exception {
    try (RawWebSocket client = open(TAKEOVER)) {
      client.subscribe(1, ">");
      String large = quote(301).repeat(5);
      for (String topic : List.of("public.1", "secret.1", "public.1", "secret.1", "secret.1")) {
        publisher.text(topic, large);
        ServerFrame frame = next(client);
        assertThat(client.inflate(frame).text()).endsWith(large);
        assertThat(frame.payload()).as(topic).hasSizeGreaterThan(60);
      }
    }
  }

  @Test
  void shouldCompressAloneForClientsOfRule() throws Exception {
    PermissionRule rule =
        new PermissionRule(Map.of(), Map.of(Operation.SUBSCRIBE, List.of(">")), true);
    Config config =
        TestNode.config("artemis", broker.url())
            .with(TopicSettings.PERMISSION_RULES, List.of(rule));
    String large = quote(401).repeat(5);
    try (TestNode restricted = TestNode.start(config);
        RawWebSocket client =
            restricted
                .request()
                .subprotocols(Encoding.BINARY_SUBPROTOCOL)
                .set("Sec-WebSocket-Extensions", TAKEOVER)
                .open()) {
      client.subscribe(1, "ruled");
      int bytes = 0;
      for (int i = 0; i < 3; i++) {
        publisher.text("ruled", large);
        ServerFrame frame = next(client);
        assertThat(client.inflate(frame).text()).endsWith(large);
        assertThat(frame.rsv()).isEqualTo(DEFLATED);
        assertThat(frame.payload()).hasSizeGreaterThan(60);
        bytes += frame.payload().length;
      }
      assertThat(restricted.metric("sluice_compression_messages_total{form=\"next\"}")).isZero();
      assertThat(restricted.metric("sluice_compression_after_bytes_total{form=\"full\"}"))
          .isGreaterThanOrEqualTo(bytes);
    }
  }

  @Tag("full")
  @Test
  void shouldSendTheSameContentToClientsThatJoinLagAndResume() throws Exception {
    Progress progress = new Progress();
    Reader.Scene scene = new Reader.Scene(node.gateway().port(), "run", MESSAGES, progress);
    List<Reader> readers = new ArrayList<>();
    for (int i = 0; i < READERS; i++) {
      Encoding encoding = Encoding.of(i % 2 == 0, true);
      String extensions = i < 14 ? TAKEOVER : i < 17 ? NO_TAKEOVER : null;
      readers.add(new Reader(scene, encoding, extensions, i % 10 < 3, i));
    }
    readers.forEach(Thread::start);
    for (long number = 1; number < MESSAGES; number++) {
      publisher.text("run", Quotes.payload(number));
      progress.published(number);
    }
    progress.published(MESSAGES);
    for (Reader reader : readers) {
      while (reader.isAlive()) { // also for those that subscribe after the last message
        publisher.text("run", Quotes.payload(MESSAGES));
        reader.join(20);
      }
      assertThat(reader.failure).as(reader.getName()).isNull();
      System.out.printf(
          "compression: %s: %d connections, %d messages, %d compressed%n",
          reader.getName(), reader.connections, reader.messages, reader.compressed);
    }
    assertThat(node.metric("sluice_compression_seconds_total")).isPositive();
    assertThat(node.metric("sluice_compression_messages_total{form=\"next\"}")).isPositive();
  }
}
