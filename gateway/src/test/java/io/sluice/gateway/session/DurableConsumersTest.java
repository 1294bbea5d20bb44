package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.gateway.auth.Credential;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.hub.ScriptedQueues;
import io.sluice.gateway.hub.ScriptedQueues.Opened;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sessions with durable and shared subscriptions of a scripted broker: docs/PROTOCOL.md, section 3.
 */
final class DurableConsumersTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(TopicSettings.SUBSCRIBE_TOPICS, List.of("t.>"))
          .with(TopicSettings.TOPICS_DURABLE, List.of("t.>", "hidden"))
          .with(TopicSettings.TOPICS_SHARED, List.of("t.*", "hidden"));

  private static final String DURABLE =
      "'type':'consume','ref':%d,'topic':'%s','durable':'d','credit':5";
  private static final String SHARED = "'type':'consume','ref':%d,'topic':'%s','shared':'s'";
  private static final String DELETE = "'type':'delete','ref':%d,'topic':'%s','durable':'d'";

  private final Exposition exposition = new Exposition("durable-consumers-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());
  private final Map<String, Principal> tokens = new HashMap<>();
  private final List<Client> clients = new ArrayList<>();
  private HubFixture fixture;
  private ScriptedQueues queues;
  private SessionPolicy policy;

  private void open(Config config) {
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
    fixture.broker.connect();
    fixture.settle();
  }

  @AfterEach
  void close() {
    clients.forEach(client -> client.session.onClosed());
    fixture.settle();
    assertThat(queues.opened).allMatch(consumer -> consumer.closed);
    metrics.close();
    exposition.close();
    fixture.assertNothingLeaked();
    fixture.close();
  }

  private final class Client {
    private final TestConnection connection = new TestConnection(fixture.loops.get(0)::execute);
    private final Session session;

    /**
     * @param token null for an anonymous client
     */
    Client(String token) {
      Credential shown = token == null ? null : new Credential.Token(token);
      session = new Session(connection, fixture.shards.get(0), policy, Encoding.JSON, shown);
      clients.add(this);
    }

    /** Sends a frame without its braces and with single quotation marks. */
    Client say(String members, Object... arguments) {
      String frame = "{" + members.formatted(arguments).replace('\'', '"') + "}";
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
          .map(DurableConsumersTest::summary)
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

  private static TopicSubscription durable(String principal, String topic, String name) {
    return new TopicSubscription(principal, topic, name, true);
  }

  @Test
  void shouldDeliverAndSettle() {
    open(CONFIG);
    Client client = new Client(null);
    Opened consumer = client.consume(DURABLE + ",'where':'a = 1'", 7, "t.>");
    assertThat(consumer.request.queue()).isNull();
    assertThat(consumer.request.subscription()).isEqualTo(durable("", "t.>", "d"));
    assertThat(consumer.request.where()).isEqualTo("a = 1");
    assertThat(consumer.request.credit()).isEqualTo(5);
    consumer.deliver("a");
    fixture.settle();
    client
        .say("'type':'ack','ref':8,'subscription':7,'tag':1")
        .say("'type':'credit','subscription':7,'credit':9")
        .say("'type':'unsubscribe','ref':9,'subscription':7");
    assertThat(consumer.settled).extracting(Object::toString).containsExactly("ack 1");
    assertThat(consumer.credit).isEqualTo(9);
    assertThat(consumer.closed).isTrue();
    consumer.settled.get(0).listener().onSettled();
    fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "consuming t.> durable d #7",
            "delivery 1 a #7",
            "unsubscribed t.> of #7 #9",
            "settled of #7 #8");
  }

  @Test
  void shouldShareASubscription() {
    open(CONFIG);
    Client client = new Client(null);
    Opened consumer = client.consume(SHARED, 7, "t.a");
    assertThat(consumer.request.subscription())
        .isEqualTo(new TopicSubscription("", "t.a", "s", false));
    consumer.listener.onReleased(0, ReleaseReason.BROKER_LOST);
    fixture.settle();
    assertThat(client.told())
        .containsExactly("consuming t.a shared s #7", "released broker-lost #7");
  }

  @Test
  void shouldRespondToAMessageOfASubscription() {
    open(CONFIG);
    Client client = new Client(null);
    Opened consumer = client.consume(SHARED, 7, "t.a");
    consumer.deliver("request");
    fixture.settle();
    client.say("'type':'respond','ref':8,'subscription':7,'tag':1,'payload':'b'");
    consumer.responded.get(0).listener().onPublished();
    fixture.settle();
    assertThat(client.told()).last().isEqualTo("published #8");
  }

  @Test
  void shouldEndAConsumerByRefAndMatchingTopic() {
    open(CONFIG);
    Client client = new Client(null);
    Opened consumer = client.consume(DURABLE, 7, "t.a");
    client.say("'type':'unsubscribe','ref':8,'subscription':7,'topic':'t.b'");
    assertThat(consumer.closed).isFalse();
    client.say("'type':'unsubscribe','ref':9,'subscription':7,'topic':'t.a'");
    assertThat(consumer.closed).isTrue();
    assertThat(client.told())
        .containsExactly(
            "consuming t.a durable d #7",
            "error not-subscribed t.b #8",
            "unsubscribed t.a of #7 #9");
  }

  @Test
  void shouldRefuseTopicsThatAreNotServed() {
    open(CONFIG.with(TopicSettings.TOPICS_DURABLE, List.of("t.*", "hidden")));
    Client client = new Client(null);
    client
        .say(DURABLE, 1, "t.>")
        .say(DURABLE, 2, "other")
        .say(DURABLE, 3, "hidden")
        .say(SHARED, 4, "t.a.b")
        .say(SHARED, 5, "t..a")
        .say(DURABLE + ",'where':'f(a)'", 6, "t.a")
        .say(DELETE, 7, "t.a.b")
        .say(DELETE, 8, "hidden");
    assertThat(client.told())
        .containsExactly(
            "error forbidden t.> #1",
            "error forbidden other #2",
            "error forbidden hidden #3",
            "error forbidden t.a.b #4",
            "error invalid-topic t..a #5",
            "error invalid-selector t.a #6",
            "error forbidden t.a.b #7",
            "error forbidden hidden #8");
    assertThat(client.connection.frames.get(1).get("message").asText())
        .isEqualTo("topic is not open to durable subscriptions on this node: \"t.>\"");
    assertThat(client.connection.frames.get(4).get("message").asText())
        .isEqualTo("topic is not open to shared subscriptions on this node: \"t.a.b\"");
    assertThat(queues.opened).isEmpty();
    assertThat(queues.deleted).isEmpty();
  }

  @Test
  void shouldRefuseEverythingByDefault() {
    open(Config.defaults().with(AuthSettings.ANONYMOUS, true));
    Client client = new Client(null);
    client
        .say(DURABLE, 1, "t.a")
        .say(SHARED, 2, "t.a")
        .say("'type':'list','ref':3")
        .say(DELETE, 4, "t.a");
    assertThat(client.told())
        .containsExactly(
            "error forbidden t.a #1",
            "error forbidden t.a #2",
            "error forbidden #3",
            "error forbidden t.a #4");
    assertThat(queues.listed).isEmpty();
  }

  @Test
  void shouldRefuseSelectorsThatAreDisabled() {
    open(CONFIG.with(TopicSettings.SELECTORS, false));
    Client client = new Client(null);
    client.say(SHARED + ",'where':'a = 1'", 1, "t.a");
    assertThat(client.told()).containsExactly("error forbidden t.a #1");
    assertThat(client.last().get("message").asText()).contains("topics.selectors");
  }

  @Test
  void shouldAnnounceTheFeaturesThatBrokerAndConfigurationAllow() {
    open(CONFIG.with(TopicSettings.TOPICS_SHARED, List.of()));
    assertThat(features()).doesNotContain("durable", "shared");
    fixture.broker.features.addAll(Set.of(Feature.DURABLE, Feature.SHARED));
    assertThat(features()).contains("durable").doesNotContain("shared");
  }

  private List<String> features() {
    Client client = new Client(null);
    client.say("'type':'ping'");
    return client
        .connection
        .frames
        .get(0)
        .get("features")
        .valueStream()
        .map(JsonNode::asText)
        .toList();
  }

  @Test
  void shouldPassOnTheRefusalOfTheBroker() {
    open(CONFIG);
    Client client = new Client(null);
    client.say(DURABLE, 1, "t.a").say(DURABLE, 2, "t.b");
    queues.opened.get(0).listener.onRefused(ErrorCode.SUBSCRIPTION_EXISTS, "another selector");
    queues.opened.get(1).listener.onRefused(ErrorCode.TOO_MANY_SUBSCRIPTIONS, "limits.durables");
    fixture.settle();
    assertThat(client.told())
        .containsExactly("error subscription-exists t.a #1", "error too-many-subscriptions t.b #2");
    assertThat(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), StandardCharsets.UTF_8))
        .contains("limit=\"limits.durables\"");
  }

  @Test
  void shouldListTheSubscriptionsOfThePrincipal() {
    tokens.put("ann", TestAccess.principal("ann", Map.of()));
    open(CONFIG);
    Client client = new Client("ann");
    client.say("'type':'list','ref':5");
    assertThat(queues.listed.get(0).principal()).isEqualTo("ann");
    assertThat(queues.listed.get(0).max()).isEqualTo(11);
    queues
        .listed
        .get(0)
        .listener()
        .onResult(
            List.of(
                new DurableState(durable("ann", "t.a", "d"), "a = 1", 12, 0),
                new DurableState(durable("ann", "t.b", "e"), null, -1, -1)));
    fixture.settle();
    assertThat(client.last().toString())
        .isEqualTo(
            ("{'type':'listed','ref':5,'subscriptions':[{'topic':'t.a','durable':'d','where':'a = 1',"
                    + "'messages':12,'consumers':0},{'topic':'t.b','durable':'e'}]}")
                .replace('\'', '"'));
  }

  @Test
  void shouldListNoMoreThanThePrincipalMayHave() {
    open(CONFIG.with(LimitSettings.DURABLES, 3));
    Client client = new Client(null);
    client.say("'type':'list','ref':5");
    queues.listed.get(0).listener().onResult(states(4));
    fixture.settle();
    assertThat(client.last().get("subscriptions")).hasSize(3);
    assertThat(client.last().get("more").asBoolean()).isTrue();
  }

  @Test
  void shouldListNoMoreThanTheClientMayHavePending() {
    open(CONFIG.with(LimitSettings.DURABLES, 1_000).with(LimitSettings.PENDING_BYTES, 4_096L));
    Client client = new Client(null);
    client.connection.takeOnly(0);
    client.say("'type':'list','ref':5");
    queues.listed.get(0).listener().onResult(states(1_000));
    fixture.settle();
    assertThat(client.last().get("subscriptions")).hasSizeBetween(10, 100);
    assertThat(client.last().get("more").asBoolean()).isTrue();
    assertThat(client.connection.closed()).isNull();
  }

  private static List<DurableState> states(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> new DurableState(durable("", "t." + i, "d"), null, i, 0))
        .toList();
  }

  @Test
  void shouldDelete() {
    open(CONFIG);
    Client client = new Client(null);
    client.say(DELETE, 6, "t.a");
    assertThat(queues.deleted.get(0).subscription()).isEqualTo(durable("", "t.a", "d"));
    queues.deleted.get(0).listener().onResult(null);
    fixture.settle();
    client.say(DELETE, 7, "t.a");
    queues.deleted.get(1).listener().onRefused(ErrorCode.UNKNOWN_SUBSCRIPTION, "none");
    fixture.settle();
    client.say(DELETE, 8, "t.>");
    queues.deleted.get(2).listener().onRefused(ErrorCode.SUBSCRIPTION_IN_USE, "1 consumer");
    fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "deleted t.a durable d #6",
            "error unknown-subscription t.a #7",
            "error subscription-in-use t.> #8");
  }

  @Test
  void shouldAcceptOneListOrDeleteAtATime() {
    open(CONFIG);
    Client client = new Client(null);
    client.say("'type':'list','ref':1").say("'type':'list','ref':2").say(DELETE, 3, "t.a");
    assertThat(client.told()).containsExactly("error rate-limited #2", "error rate-limited t.a #3");
    queues.listed.get(0).listener().onResult(List.of());
    fixture.settle();
    client.say(DELETE, 4, "t.a").say("'type':'list','ref':5");
    assertThat(client.told()).last().isEqualTo("error rate-limited #5");
    assertThat(queues.deleted).hasSize(1);
  }

  @Test
  void shouldCountListsAndDeletesAsConsumers() {
    Config limited = CONFIG.with(LimitSettings.ADDRESS_CONSUMERS, 1);
    open(limited);
    Quotas quotas = new Quotas(QuotaOptions.of(limited), metrics);
    Client first = new Client(null);
    Client second = new Client(null);
    first.connection.lease = (Lease) quotas.acquire("192.0.2.1");
    second.connection.lease = (Lease) quotas.acquire("192.0.2.1");
    first.say("'type':'list','ref':1");
    second.say(DELETE, 2, "t.a").say(SHARED, 3, "t.a").say("'type':'list','ref':4");
    assertThat(second.told())
        .containsExactly(
            "error too-many-consumers t.a #2",
            "error too-many-consumers t.a #3",
            "error too-many-consumers #4");
    first.session.onClosed();
    queues.listed.get(0).listener().onResult(List.of());
    fixture.settle();
    assertThat(first.told()).isEmpty();
    second.consume(SHARED, 5, "t.a");
    assertThat(second.told()).last().isEqualTo("consuming t.a shared s #5");
  }

  @Test
  void shouldListAndDeleteOverAStream() {
    open(CONFIG);
    Client client = new Client(null);
    client.connection.stream = true;
    client.say(DURABLE, 1, "t.a").say("'type':'list','ref':2");
    client.session.onInputEnd();
    assertThat(client.connection.closed()).as("the list is pending").isNull();
    queues.listed.get(0).listener().onResult(List.of());
    fixture.settle();
    assertThat(client.told()).containsExactly("error unsupported t.a #1", "listed #2");
    assertThat(client.connection.closed()).isNotNull();
  }

  @Test
  void shouldServeEachPrincipalByItsRules() {
    tokens.put("ann", TestAccess.principal("ann", Map.of()));
    tokens.put("bob", TestAccess.principal("bob", Map.of("role", "guest")));
    PermissionRule all = new PermissionRule(Map.of(), Map.of(Operation.SUBSCRIBE, List.of(">")));
    PermissionRule own =
        new PermissionRule(
            Map.of("sub", "ann"),
            Map.of(Operation.DURABLE, List.of("t.{sub}.>"), Operation.SHARED, List.of("t.jobs")));
    open(
        Config.defaults()
            .with(AuthSettings.ANONYMOUS, true)
            .with(TopicSettings.PERMISSION_RULES, List.of(all, own)));
    Client ann = new Client("ann");
    assertThat(ann.consume(DURABLE, 1, "t.ann.>").request.subscription().principal())
        .isEqualTo("ann");
    ann.consume(SHARED, 2, "t.jobs");
    ann.say(DURABLE, 3, "t.bob.a")
        .say(DURABLE, 4, "t.*.a")
        .say(DURABLE, 5, "t.jobs")
        .say(SHARED, 6, "t.ann.a")
        .say(DELETE, 7, "t.bob.a");
    assertThat(ann.told())
        .containsExactly(
            "consuming t.ann.> durable d #1",
            "consuming t.jobs shared s #2",
            "error forbidden t.bob.a #3",
            "error forbidden t.*.a #4",
            "error forbidden t.jobs #5",
            "error forbidden t.ann.a #6",
            "error forbidden t.bob.a #7");
    assertThat(ann.connection.frames.get(3).get("message").asText())
        .isEqualTo("this client may not have durable subscriptions of \"t.bob.a\"");
    Client bob = new Client("bob");
    bob.say("'type':'list','ref':1").say(DURABLE, 2, "t.bob.a");
    assertThat(bob.told()).containsExactly("error forbidden #1", "error forbidden t.bob.a #2");
  }

  @Test
  void shouldRequireThePermissionToSubscribe() {
    tokens.put("ann", TestAccess.principal("ann", Map.of()));
    PermissionRule rule =
        new PermissionRule(
            Map.of(),
            Map.of(
                Operation.SUBSCRIBE, List.of("t.a"),
                Operation.DURABLE, List.of("t.>"),
                Operation.SHARED, List.of("t.>")));
    open(CONFIG.with(TopicSettings.PERMISSION_RULES, List.of(rule)));
    Client client = new Client("ann");
    client.consume(DURABLE, 1, "t.a");
    client.say(DURABLE, 2, "t.b").say(SHARED, 3, "t.>");
    assertThat(client.told())
        .containsExactly(
            "consuming t.a durable d #1", "error forbidden t.b #2", "error forbidden t.> #3");
  }

  @Test
  void shouldEndConsumersThatANewCredentialDoesNotGrant() {
    tokens.put("before", TestAccess.principal("ann", Map.of("role", "trader")));
    tokens.put("after", TestAccess.principal("ann", Map.of("role", "guest")));
    PermissionRule all =
        new PermissionRule(
            Map.of(),
            Map.of(Operation.SUBSCRIBE, List.of(">"), Operation.SHARED, List.of("t.jobs")));
    PermissionRule trader =
        new PermissionRule(Map.of("role", "trader"), Map.of(Operation.DURABLE, List.of("t.>")));
    open(CONFIG.with(TopicSettings.PERMISSION_RULES, List.of(all, trader)));
    Client client = new Client("before");
    Opened durable = client.consume(DURABLE, 1, "t.a");
    Opened shared = client.consume(SHARED, 2, "t.jobs");
    client.say("'type':'refresh','ref':3,'token':'after'");
    assertThat(client.told()).endsWith("refreshed #3", "error forbidden t.a #1");
    assertThat(durable.closed).isTrue();
    assertThat(shared.closed).isFalse();
  }
}
