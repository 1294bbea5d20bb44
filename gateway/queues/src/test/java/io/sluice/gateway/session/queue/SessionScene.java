package io.sluice.gateway.session.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.hub.ScriptedQueues;
import io.sluice.gateway.hub.ScriptedQueues.Opened;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.session.Session;
import io.sluice.gateway.session.SessionFeature;
import io.sluice.gateway.session.SessionFeatures;
import io.sluice.gateway.session.SessionOptions;
import io.sluice.gateway.session.SessionPolicy;
import io.sluice.gateway.session.TestConnection;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Sessions of clients that use the queues of a scripted broker, at a node with one event loop. */
final class SessionScene implements AutoCloseable {
  final Exposition exposition = new Exposition("session-scene");
  final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  /** Valid tokens. */
  final Map<String, Principal> tokens = new HashMap<>();

  private final List<Client> clients = new ArrayList<>();
  HubFixture fixture;
  ScriptedQueues queues;
  private SessionPolicy policy;
  private SessionFeature.Table features;

  /** Starts the node. */
  void open(Config config) {
    fixture = new HubFixture(1, config, 10_000);
    queues = fixture.broker.queues;
    policy =
        new SessionPolicy(
            SessionOptions.of(config),
            "node",
            "1",
            UnpooledByteBufAllocator.DEFAULT,
            fixture.hub,
            metrics,
            TestAccess.of(config, tokens));
    features =
        SessionFeatures.of(
            QueueFeatures.of(QueueLimits.of(config), UnpooledByteBufAllocator.DEFAULT));
    fixture.broker.connect();
    fixture.settle();
  }

  /** Ends all sessions, and checks that they have released everything. */
  @Override
  public void close() {
    clients.forEach(client -> client.session.onClosed());
    fixture.settle();
    assertThat(queues.opened).allMatch(consumer -> consumer.closed);
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  /** Connects an anonymous client. */
  Client client() {
    return client(null);
  }

  /**
   * Connects a client.
   *
   * @param token null for an anonymous client
   */
  Client client(String token) {
    Client client = new Client(token == null ? null : new Credential.Token(token));
    clients.add(client);
    return client;
  }

  /** One client and its session. */
  final class Client {
    final TestConnection connection = new TestConnection(fixture.loops.get(0)::execute);
    final Session session;

    private Client(Credential shown) {
      session =
          new Session(connection, fixture.shards.get(0), policy, features, Encoding.JSON, shown);
    }

    /** Sends a frame without its braces and with single quotation marks. */
    Client say(String members, Object... arguments) {
      String text = arguments.length == 0 ? members : members.formatted(arguments);
      String frame = "{" + text.replace('\'', '"') + "}";
      session.onText(Unpooled.copiedBuffer(frame, StandardCharsets.UTF_8));
      fixture.settle();
      return this;
    }

    /** Opens a consumer that the broker accepts. */
    Opened consume(String members, Object... arguments) {
      say(members, arguments);
      Opened added = queues.opened.get(queues.opened.size() - 1);
      added.listener.onConsuming();
      fixture.settle();
      return added;
    }

    JsonNode last() {
      return connection.frames.get(connection.frames.size() - 1);
    }

    /** Returns a summary of all frames except hello. */
    List<String> told() {
      return connection.frames.stream()
          .map(SessionScene::summary)
          .filter(told -> !told.startsWith("hello"))
          .toList();
    }
  }

  private static String summary(JsonNode frame) {
    String content = "";
    for (String member : List.of("code", "reason", "queue", "topic", "tag", "payload")) {
      content += frame.has(member) ? " " + frame.get(member).asText() : "";
    }
    for (String member : List.of("durable", "shared")) {
      content += frame.has(member) ? " " + member + " " + frame.get(member).asText() : "";
    }
    String of = frame.has("subscription") ? " of #" + frame.get("subscription") : "";
    String ref = frame.has("ref") ? " #" + frame.get("ref") : "";
    return frame.get("type").asText() + content + of + ref;
  }
}
