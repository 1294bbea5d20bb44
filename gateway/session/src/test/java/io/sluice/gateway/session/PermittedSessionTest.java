package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.AuthOptions;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.BrokerSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Test of permissions: delivered messages and rejected requests by principal. */
final class PermittedSessionTest {
  private static final List<String> LEVELS = List.of("a", "b", "u-ann");
  private static final List<String> PATTERN_LEVELS = List.of("a", "b", "u-ann", "*", ">");

  private final Exposition exposition = new Exposition("session-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Map<String, Principal> tokens = new HashMap<>();
  private final List<Client> clients = new ArrayList<>();

  /** One more than a client may be granted. */
  private static final List<Integer> MANY = IntStream.range(0, 1001).boxed().toList();

  private HubFixture fixture;
  private SessionPolicy policy;

  private Config open(PermissionRule... rules) {
    return open(Config.defaults(), rules);
  }

  private Config open(Config base, PermissionRule... rules) {
    Config config =
        base.with(AuthSettings.ANONYMOUS, true)
            .with(TopicSettings.PERMISSION_RULES, List.of(rules))
            .with(TopicSettings.PERMISSION_CLAIM, "own")
            .with(LimitSettings.CLIENT_ERRORS, 10_000);
    fixture = new HubFixture(1, config, 1_000);
    policy =
        new SessionPolicy(
            SessionOptions.of(config),
            "node",
            "1",
            UnpooledByteBufAllocator.DEFAULT,
            fixture.hub,
            metrics,
            TestAccess.of(config, tokens));
    fixture.broker.connect();
    return config;
  }

  @AfterEach
  void close() {
    leave();
    fixture.close();
    metrics.close();
    exposition.close();
  }

  private void leave() {
    clients.forEach(client -> client.session.onClosed());
    clients.clear();
    fixture.settle();
  }

  /** Client that reads the frames of its session. */
  private final class Client {
    private final TestConnection connection = new TestConnection(fixture.loops.get(0)::execute);
    private final List<JsonNode> frames = connection.frames;
    private final Session session;

    Client(String token) {
      Credential shown = token == null ? null : new Credential.Token(token);
      session =
          new Session(
              connection,
              fixture.shards.get(0),
              policy,
              SessionFeatures.of(List.of()),
              Encoding.JSON,
              shown);
      clients.add(this);
    }

    void say(String frame) {
      session.onText(Unpooled.copiedBuffer(frame, StandardCharsets.UTF_8));
      fixture.settle();
    }

    /** Returns the code of the error, or empty after success. */
    String subscribe(String topic) {
      frames.clear();
      say("{\"type\":\"subscribe\",\"ref\":1,\"topic\":\"" + topic + "\"}");
      return code();
    }

    String code() {
      return frames.stream()
          .filter(frame -> frame.get("type").asText().equals("error"))
          .map(frame -> frame.get("code").asText())
          .findFirst()
          .orElse("");
    }

    Stream<String> topicsOfMessages() {
      return frames.stream()
          .filter(frame -> frame.get("type").asText().equals("message"))
          .map(frame -> frame.get("topic").asText());
    }
  }

  private static PermissionRule rule(Map<String, String> conditions, String... subscribe) {
    return new PermissionRule(conditions, List.of(subscribe), List.of());
  }

  @Test
  void shouldServeEachClientByItsClaims() {
    tokens.put("t1", TestAccess.principal("ann", Map.of("role", "trader")));
    open(rule(Map.of(), "public.>"), rule(Map.of("role", "trader"), "prices.>", "of.{sub}"));
    Client anonymous = new Client(null);
    assertThat(anonymous.subscribe("public.*")).isEmpty();
    assertThat(anonymous.subscribe("prices.x")).isEqualTo("forbidden");
    assertThat(anonymous.subscribe("of.ann")).isEqualTo("forbidden");
    Client trader = new Client("t1");
    assertThat(trader.subscribe("prices.>")).isEmpty();
    assertThat(trader.subscribe("of.ann")).isEmpty();
    assertThat(trader.subscribe("of.*")).isEqualTo("forbidden");
    assertThat(trader.subscribe(">")).isEqualTo("forbidden");
    fixture.broker.publish("prices.x");
    fixture.broker.publish("public.x");
    fixture.settle();
    assertThat(anonymous.topicsOfMessages()).containsExactly("public.x");
    assertThat(trader.topicsOfMessages()).containsExactly("prices.x");
  }

  private void reload(Config config) {
    policy.access.reload(AuthOptions.of(config));
    policy.reload(SessionOptions.of(config));
    clients.forEach(
        client -> {
          client.frames.clear();
          client.session.onReload();
        });
    fixture.settle();
  }

  @Test
  void shouldKeepPermissionsByClaimsAtAReload() {
    Map<String, Object> claims =
        Map.of("role", List.of("trader"), "own", Map.of("subscribe", List.of("own.>")));
    tokens.put("t1", TestAccess.principal("ann", claims));
    Config config = open(rule(Map.of("role", "trader"), "prices.>", "of.{role}"));
    Client client = new Client("t1");
    for (String topic : List.of("prices.>", "of.trader", "own.a")) {
      assertThat(client.subscribe(topic)).as(topic).isEmpty();
    }

    reload(config);

    assertThat(client.frames).isEmpty();
    reload(config.with(TopicSettings.PERMISSION_RULES, List.of(rule(Map.of(), "public.>"))));
    assertThat(client.frames).hasSize(2).allMatch(frame -> isForbidden(frame));
    assertThat(client.subscribe("prices.>")).isEqualTo("forbidden");
    reload(config);
    assertThat(client.subscribe("prices.>")).isEmpty();
    assertThat(client.subscribe("of.trader")).isEmpty();
  }

  private static boolean isForbidden(JsonNode frame) {
    return frame.path("code").asText().equals("forbidden");
  }

  @Test
  void shouldWithdrawPermissionsAlsoFromAStream() {
    Config config = open(rule(Map.of(), "prices.>", "news.>"));
    Client stream = new Client(null);
    stream.subscribe("prices.a");
    stream.subscribe("news.a");
    stream.session.onInputEnd();

    reload(config.with(TopicSettings.PERMISSION_RULES, List.of(rule(Map.of(), "news.>"))));

    assertThat(stream.frames).singleElement().matches(frame -> isForbidden(frame));
    fixture.broker.publish("prices.a");
    fixture.broker.publish("news.a");
    fixture.settle();
    assertThat(stream.topicsOfMessages()).containsExactly("news.a");
  }

  @Test
  void shouldForbidPublishingToTopicsThatAreNotGranted() {
    open(new PermissionRule(Map.of(), List.of(">"), List.of("in.*")));
    Client client = new Client(null);
    for (String topic : List.of("in", "in.a.b", "out", "in2.a")) {
      client.frames.clear();
      client.say("{\"type\":\"publish\",\"ref\":1,\"topic\":\"" + topic + "\",\"payload\":\"x\"}");
      assertThat(client.code()).as(topic).isEqualTo("forbidden");
    }
  }

  /** The error of a body would show that it was parsed. */
  @Test
  void shouldParseABodyOnlyForAClientThatMayPublish() {
    open(new PermissionRule(Map.of(), List.of(">"), List.of("in.*")));
    Client client = new Client(null);
    String frame = "{'type':'publish','ref':1,'topic':'%s','encoding':'json','payload':{'a':[]}}";
    client.say(frame.formatted("out").replace('\'', '"'));
    assertThat(client.code()).isEqualTo("forbidden");
    client.frames.clear();
    client.say(frame.formatted("in.a").replace('\'', '"'));
    assertThat(client.code()).isEqualTo("bad-frame");
  }

  @Test
  void shouldRefuseTopicsWithTheBrokersWildcards() {
    Map<String, String> spelling = Map.of("level", "+", "separator", ":");
    tokens.put("t1", TestAccess.principal("+", Map.of()));
    open(
        Config.defaults()
            .with(BrokerSettings.WILDCARDS, spelling)
            .with(TopicSettings.PUBLISH_TOPICS, List.of(">")),
        new PermissionRule(Map.of(), List.of("orders.{sub}.>", "x.*"), List.of("x.*")));
    Client client = new Client("t1");
    for (String topic : List.of("orders.+.new", "+", "x.a:b", "x.+")) {
      assertThat(client.subscribe(topic)).as(topic).isEqualTo("invalid-topic");
      client.frames.clear();
      client.say("{\"type\":\"publish\",\"ref\":1,\"topic\":\"" + topic + "\",\"payload\":\"x\"}");
      assertThat(client.code()).as(topic).isEqualTo("invalid-topic");
    }
    assertThat(client.subscribe("orders.*.new")).isEqualTo("forbidden");
    assertThat(client.subscribe("x.*")).isEmpty();
  }

  @Test
  void shouldRefuseAClientWithTooManyPatterns() {
    tokens.put("t1", TestAccess.principal("ann", Map.of("rooms", MANY)));
    open(rule(Map.of(), "rooms.{rooms}"));
    Client client = new Client("t1");
    assertThat(client.subscribe("rooms.1")).isEqualTo("unauthorized");
    assertThat(client.frames).hasSize(1);
    assertThat(client.frames.get(0).get("message").asText()).contains("more than 1000 patterns");
    assertThat(client.connection.closed()).isEqualTo(CloseCode.UNAUTHORIZED);
  }

  @Test
  void shouldKeepTheOldGrantIfARefreshHasTooManyPatterns() {
    tokens.put("t1", TestAccess.principal("ann", Map.of("rooms", 1)));
    tokens.put("t2", TestAccess.principal("ann", Map.of("rooms", MANY)));
    open(rule(Map.of(), "rooms.{rooms}"));
    Client client = new Client("t1");
    client.say("{\"type\":\"ping\",\"ref\":1}");
    client.say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"t2\"}");
    assertThat(client.code()).isEqualTo("unauthorized");
    assertThat(client.subscribe("rooms.1")).isEmpty();
    assertThat(client.subscribe("rooms.2")).isEqualTo("forbidden");
    assertThat(client.connection.closed()).isNull();
  }

  @Test
  void shouldEndSubscriptionsThatARefreshNoLongerAllows() {
    tokens.put("t1", TestAccess.principal("ann", Map.of("rooms", List.of(1, 2))));
    tokens.put("t2", TestAccess.principal("ann", Map.of("rooms", List.of(2, 3))));
    open(rule(Map.of(), "rooms.{rooms}"));
    Client client = new Client("t1");
    assertThat(client.subscribe("rooms.1")).isEmpty();
    assertThat(client.subscribe("rooms.2")).isEmpty();
    client.frames.clear();
    client.say("{\"type\":\"refresh\",\"ref\":2,\"token\":\"t2\"}");
    assertThat(client.code()).isEqualTo("forbidden");
    fixture.broker.publish("rooms.1");
    fixture.broker.publish("rooms.2");
    fixture.settle();
    assertThat(client.topicsOfMessages()).containsExactly("rooms.2");
    assertThat(client.subscribe("rooms.3")).isEmpty();
  }

  @Test
  void shouldEndEachTaggedSubscriptionThatARefreshNoLongerAllows() {
    tokens.put("t1", TestAccess.principal("ann", Map.of("rooms", List.of(1, 2))));
    tokens.put("t2", TestAccess.principal("ann", Map.of("rooms", 2)));
    open(rule(Map.of(), "rooms.{rooms}"));
    Client client = new Client("t1");
    for (int ref = 1; ref <= 4; ref++) {
      String where = ref % 2 == 0 ? ",\"where\":\"key IS NULL\"" : "";
      String topic = "\"topic\":\"rooms." + (ref < 3 ? 1 : 2) + "\"" + where;
      client.say("{\"type\":\"subscribe\",\"tagged\":true,\"ref\":" + ref + "," + topic + "}");
    }
    client.frames.clear();
    client.say("{\"type\":\"refresh\",\"ref\":9,\"token\":\"t2\"}");
    fixture.broker.publish("rooms.1");
    fixture.broker.publish("rooms.2");
    fixture.settle();
    assertThat(client.frames)
        .extracting(frame -> frame.get("type").asText() + frame.get("ref"))
        .containsExactlyInAnyOrder("refreshed9", "error1", "error2", "message3", "message4");
  }

  /** A pattern delivers only topics that the client may subscribe to by name. */
  @Test
  void shouldDeliverNoMessageOfATopicThatIsNotGranted() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    open(
        rule(Map.of(), "a.*"),
        rule(Map.of("role", "x"), "*.b.>", "{sub}", "u-{sub}.>"),
        rule(Map.of("role", "y"), "b.>"));
    int brought = 0;
    for (int i = 0; i < 300; i++) {
      Object role = random.nextBoolean() ? "x" : List.of("y", "z");
      Map<String, Object> own = Map.of("subscribe", List.of(path(random, PATTERN_LEVELS)));
      Map<String, Object> claims =
          random.nextBoolean() ? Map.of("role", role) : Map.of("role", role, "own", own);
      String name = random.nextBoolean() ? "ann" : "*";
      tokens.put("t", TestAccess.principal(name, claims));
      Client client = new Client("t");
      for (int j = 0; j < 5; j++) {
        client.subscribe(path(random, PATTERN_LEVELS));
      }
      client.frames.clear();
      for (int j = 0; j < 20; j++) {
        fixture.broker.publish(path(random, LEVELS));
      }
      fixture.settle();
      Set<String> topics = new HashSet<>(client.topicsOfMessages().toList());
      Client byName = new Client("t");
      for (String topic : topics) {
        assertThat(byName.subscribe(topic))
            .as("%s to %s with %s, seed %d", topic, name, claims, seed)
            .isEmpty();
      }
      brought += topics.size();
      leave();
    }
    assertThat(brought).as("seed %d", seed).isPositive();
  }

  private static String path(Random random, List<String> levels) {
    StringBuilder path = new StringBuilder();
    for (int i = random.nextInt(3); i >= 0; i--) {
      String level = levels.get(random.nextInt(levels.size()));
      path.append(level.equals(">") && i > 0 ? "*" : level).append(i > 0 ? "." : "");
    }
    return path.toString();
  }
}
