package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttPubReplyMessageVariableHeader;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.ServerSettings;
import io.sluice.gateway.config.TimeoutSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.ArtemisProcess;
import io.sluice.testkit.FreePorts;
import io.sluice.testkit.TestBroker;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients of MQTT at four times the limits and beyond; each is answered with the reason code. */
@Timeout(120)
final class MqttLimitsIT {
  private static final int QUOTA_EXCEEDED = 0x97;
  private static final int MAX_SUBSCRIPTIONS = 50;

  private static final Config CONFIG = // nothing listens there: most of this goes without a broker
      TestNode.unlimited(TestNode.config("artemis", "tcp://127.0.0.1:1"))
          .with(TopicSettings.PUBLISH_TOPICS, List.of("m.>"));

  @Test
  void shouldRefuseSubscriptionsAboveTheLimit() {
    try (TestBroker broker = ArtemisProcess.start();
        TestNode node =
            TestNode.start(
                TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
                    .with(LimitSettings.FRAME_RATE, 0)
                    .with(LimitSettings.SUBSCRIPTIONS, MAX_SUBSCRIPTIONS))) {
      node.awaitReady();
      try (MqttTestClient client = MqttTestClient.connect(node, true)) {
        List<Integer> codes = new ArrayList<>();
        for (int i = 0; i < 10_000; i += 1_000) {
          String[] filters =
              IntStream.range(i, i + 1_000).mapToObj(each -> "m/" + each).toArray(String[]::new);
          codes.addAll(client.subscribe(0, filters));
        }
        assertThat(codes.subList(0, MAX_SUBSCRIPTIONS)).containsOnly(0);
        assertThat(codes.subList(MAX_SUBSCRIPTIONS, 10_000)).containsOnly(QUOTA_EXCEEDED);
        client.publish("m/7", "still served");
        assertThat(client.message().payload()).isEqualTo("still served");
      }
    }
  }

  @Test
  void shouldRefuseTopicsWithTooManyLevels() {
    try (TestNode node = TestNode.start(CONFIG);
        MqttTestClient client = MqttTestClient.connect(node, true)) {
      String deep = "m" + "/a".repeat(4 * 32);
      assertThat(client.subscribe(0, deep)).containsExactly(0x8F);
      client.publish(deep, "x", 1, false, 9, MqttProperties.NO_PROPERTIES);
      MqttPubReplyMessageVariableHeader ack =
          (MqttPubReplyMessageVariableHeader) client.read().variableHeader();
      assertThat(ack.reasonCode() & 0xFF).isEqualTo(0x90);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"c000", "820900010000036d2f6100", "a20800010000036d2f61"})
  void shouldEndAFloodOfPackets(String packet) {
    Config slow = CONFIG.with(LimitSettings.FRAME_RATE, 100);
    try (TestNode node = TestNode.start(slow);
        MqttTestClient client = MqttTestClient.connect(node, true)) {
      client.sendBytes(HexFormat.of().parseHex(packet.repeat(5_000)));
      MqttMessage last = client.read();
      while (last.fixedHeader().messageType() != MqttMessageType.DISCONNECT) {
        last = client.read();
      }
      assertThat(MqttTestClient.reason(last)).isEqualTo(0x96);
    }
  }

  @Test
  void shouldCloseAfterHalfOfAConnect() throws Exception {
    int port = FreePorts.one();
    Config hasty =
        CONFIG
            .with(TimeoutSettings.HANDSHAKE, Duration.ofMillis(500))
            .with(ServerSettings.PROTOCOLS, List.of("mqtt", "mqtt:" + port));
    byte[] half = {0x10, 13, 0, 4, 'M', 'Q'};
    try (TestNode node = TestNode.start(hasty);
        MqttTestClient web = MqttTestClient.open(node.request(), true);
        Socket raw = new Socket("127.0.0.1", port)) {
      web.sendBytes(half);
      raw.setSoTimeout(30_000);
      raw.getOutputStream().write(half);
      assertThat(web.closed()).isEqualTo(4005);
      assertThat(raw.getInputStream().read()).isEqualTo(-1);
    }
  }

  @Tag("full")
  @Test
  void shouldEndASlowClientBesideNineOthers() throws Exception {
    try (TestBroker broker = ArtemisProcess.start();
        TestNode node =
            TestNode.start(
                TestNode.unlimited(TestNode.config(broker.provider(), broker.url()))
                    .with(LimitSettings.FRAME_RATE, 0)
                    .with(LimitSettings.PUBLISH_RATE, 100_000)
                    .with(LimitSettings.TOPIC_PUBLISH_RATE, 100_000)
                    .with(ServerSettings.SEND_BUFFER, 64L * 1024)
                    .with(LimitSettings.PENDING_BYTES, 256L * 1024))) {
      node.awaitReady();
      List<MqttTestClient> others =
          Stream.generate(() -> MqttTestClient.connect(node, true)).limit(9).toList();
      try (MqttTestClient slow =
          MqttTestClient.open(node.request().receiveBuffer(16 * 1024), true)) {
        slow.connect(each -> each.clientId("").cleanSession(true));
        slow.subscribe(0, "m/slow");
        others.forEach(each -> each.subscribe(0, "m/slow"));
        String filler = "x".repeat(4_096);
        for (int i = 0; i < 400; i++) {
          String payload = i + filler;
          others.get(0).publish("m/slow", payload);
          others.forEach(each -> assertThat(each.message().payload()).isEqualTo(payload));
        }
        assertThat(node.metric("sluice_drops_total{cause=\"slow-consumer\"}")).isEqualTo(1);
      } finally {
        others.forEach(MqttTestClient::close);
      }
    }
  }
}
