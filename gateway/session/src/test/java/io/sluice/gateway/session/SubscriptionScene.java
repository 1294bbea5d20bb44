package io.sluice.gateway.session;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;

/** Sessions of anonymous clients that subscribe to one topic, at a node with one event loop. */
abstract class SubscriptionScene {
  private final Exposition exposition = new Exposition("subscription-scene");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final List<Client> clients = new ArrayList<>();
  HubFixture fixture;
  private SessionPolicy policy;

  /** Starts the node. */
  final void open(Config config) {
    open(config, new HubFixture(1, config, 10_000));
  }

  /** Starts the node, whose other sources are not connected yet. */
  final void open(Config config, HubFixture hub) {
    fixture = hub;
    policy =
        new SessionPolicy(
            SessionOptions.of(config),
            "node",
            "1",
            UnpooledByteBufAllocator.DEFAULT,
            fixture.hub,
            metrics,
            TestAccess.of(config, Map.of()));
    fixture.broker.connect();
    fixture.settle();
  }

  @AfterEach
  void close() {
    clients.forEach(client -> client.session.onClosed());
    fixture.settle();
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** One client and its session. */
  final class Client {
    final TestConnection connection = new TestConnection(fixture.loops.get(0)::execute);
    final Session session =
        new Session(
            connection,
            fixture.shards.get(0),
            policy,
            SessionFeatures.of(List.of()),
            Encoding.JSON,
            null);

    Client() {
      clients.add(this);
    }

    /** Sends a frame without its braces and with single quotation marks. */
    Client say(String members) {
      String frame = "{" + members.replace('\'', '"') + "}";
      session.onText(Unpooled.copiedBuffer(frame, StandardCharsets.UTF_8));
      fixture.settle();
      return this;
    }

    Client subscribe(String members) {
      return say("'type':'subscribe','topic':'t'," + members);
    }

    /** Accepts all pending and later bytes. */
    void readOn() {
      connection.takeOnly(Long.MAX_VALUE / 2);
      connection.flush();
      fixture.pass(10);
    }

    JsonNode last() {
      return connection.frames.get(connection.frames.size() - 1);
    }

    /** Returns type, payload or reason, and ref of all frames except hello. */
    List<String> told() {
      return connection.frames.stream()
          .map(Client::summary)
          .filter(told -> !told.startsWith("hello"))
          .toList();
    }

    private static String summary(JsonNode frame) {
      String content = "";
      for (String member : List.of("payload", "reason", "code")) {
        content += frame.has(member) ? " " + frame.get(member).asText() : "";
      }
      String ref = frame.has("ref") ? " #" + frame.get("ref") : "";
      return frame.get("type").asText() + content + ref;
    }
  }
}
