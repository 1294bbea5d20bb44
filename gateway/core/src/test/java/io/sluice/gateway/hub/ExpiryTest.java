package io.sluice.gateway.hub;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.DeliveryInfo;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.protocol.Delivery;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.protocol.Start;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that expire while the node has them. */
final class ExpiryTest {
  private static final Delivery LATEST = new Delivery(true, 0);
  private static final long TTL_MS = 1_000;

  private final HubFixture node = new HubFixture(1, Config.defaults());
  private long identities;

  @BeforeEach
  void connect() {
    node.broker.connect();
    node.settle();
  }

  @AfterEach
  void close() {
    node.settle();
    node.assertNothingLeaked();
    node.close();
  }

  private void publish(String topic, int payload, long ttlMs) {
    Message message =
        new Message(
            topic,
            ++identities,
            node.clock.wallMs(),
            PayloadKind.TEXT,
            String.valueOf(payload).getBytes(StandardCharsets.UTF_8),
            null);
    long expiresMs = ttlMs == 0 ? Message.NO_EXPIRY : node.clock.wallMs() + ttlMs;
    node.broker
        .listener("s.*")
        .onMessage(message.expiring(expiresMs), DeliveryInfo.of(node.clock.wallMs()));
    node.settle();
  }

  private RecordingClient subscribed(Start start, Delivery delivery) {
    RecordingClient client = new RecordingClient(node.shards.get(0), Encoding.JSON);
    client.subscribe("s.*", start, delivery);
    node.settle();
    return client;
  }

  private static List<String> messages(RecordingClient client) {
    return client.events.stream().filter(event -> event.contains("=")).toList();
  }

  @Test
  void shouldNotBePartOfASnapshot() {
    subscribed(Start.NOW, Delivery.ALL);
    publish("s.1", 1, TTL_MS);
    publish("s.2", 1, 0);
    RecordingClient before = subscribed(Start.SNAPSHOT, Delivery.ALL);
    assertThat(messages(before)).containsExactly("s.1=1@1", "s.2=1@2");

    node.pass(TTL_MS);

    RecordingClient after = subscribed(Start.SNAPSHOT, Delivery.ALL);
    assertThat(messages(after)).containsExactly("s.2=1@2");
    assertThat(after.admissions.get("s.*").replay()).isEqualTo(1);
  }

  @Test
  void shouldNotBeSentToAClientThatLaggedWithConflation() {
    RecordingClient client = subscribed(Start.NOW, LATEST);
    publish("s.1", 1, 0);
    client.room = 0;
    publish("s.1", 2, TTL_MS);
    publish("s.2", 1, 0);
    node.pass(TTL_MS);
    client.room = 1;
    node.pass(10);
    assertThat(messages(client)).containsExactly("s.1=1@1", "s.2=1@3");
  }

  @Test
  void shouldNotBeReplayedWithConflation() {
    long epoch = subscribed(Start.NOW, Delivery.ALL).admissions.get("s.*").epoch();
    publish("s.1", 1, TTL_MS);
    publish("s.2", 1, 0);
    node.pass(TTL_MS);
    Start.Position position = new Start.Position(epoch, 0, new long[0], 1, 0);
    RecordingClient client = subscribed(position, LATEST);
    assertThat(messages(client)).containsExactly("s.2=1@2");
    assertThat(client.admissions.get("s.*").replay()).isEqualTo(1);
    assertThat(client.admissions.get("s.*").recovered()).isTrue();
  }

  @Test
  void shouldKeepTheOffsetsOfACompleteReplayConsecutive() {
    long epoch = subscribed(Start.NOW, Delivery.ALL).admissions.get("s.*").epoch();
    publish("s.1", 1, TTL_MS);
    publish("s.2", 1, 0);
    node.pass(TTL_MS);
    Start.Position position = new Start.Position(epoch, 0, new long[0], 1, 0);
    assertThat(messages(subscribed(position, Delivery.ALL))).containsExactly("s.1=1@1", "s.2=1@2");
  }
}
