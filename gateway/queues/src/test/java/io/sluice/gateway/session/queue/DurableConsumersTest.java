package io.sluice.gateway.session.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.auth.Principal;
import io.sluice.gateway.auth.Principal.Mechanism;
import io.sluice.gateway.auth.TestAccess;
import io.sluice.gateway.broker.DurableState;
import io.sluice.gateway.broker.Publication;
import io.sluice.gateway.broker.TopicSubscription;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.ScriptedQueues.Opened;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.metrics.ScrapeFormat;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.Feature;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.session.queue.SessionScene.Client;
import io.sluice.gateway.websocket.CloseCode;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
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

  private final SessionScene scene = new SessionScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private static TopicSubscription durable(String principal, String topic, String name) {
    return new TopicSubscription(principal, topic, name, true);
  }

  @Test
  void shouldDeliverAndSettle() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(DURABLE + ",'where':'a = 1'", 7, "t.>");
    assertThat(consumer.request.queue()).isNull();
    assertThat(consumer.request.subscription()).isEqualTo(durable("", "t.>", "d"));
    assertThat(consumer.request.where()).isEqualTo("a = 1");
    assertThat(consumer.request.credit()).isEqualTo(5);
    consumer.deliver("a");
    scene.fixture.settle();
    client
        .say("'type':'ack','ref':8,'subscription':7,'tag':1")
        .say("'type':'credit','subscription':7,'credit':9")
        .say("'type':'unsubscribe','ref':9,'subscription':7");
    assertThat(consumer.settled).extracting(Object::toString).containsExactly("ack 1");
    assertThat(consumer.credit).isEqualTo(9);
    assertThat(consumer.closed).isTrue();
    consumer.settled.get(0).listener().onSettled();
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "consuming t.> durable d #7",
            "delivery 1 a #7",
            "unsubscribed t.> of #7 #9",
            "settled of #7 #8");
  }

  @Test
  void shouldShareASubscription() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(SHARED, 7, "t.a");
    assertThat(consumer.request.subscription())
        .isEqualTo(new TopicSubscription("", "t.a", "s", false));
    consumer.listener.onReleased(0, ReleaseReason.BROKER_LOST);
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly("consuming t.a shared s #7", "released broker-lost #7");
  }

  @Test
  void shouldRespondToAMessageOfASubscription() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(SHARED, 7, "t.a");
    consumer.deliver("request");
    scene.fixture.settle();
    client.say("'type':'respond','ref':8,'subscription':7,'tag':1,'payload':'b'");
    consumer.responded.get(0).listener().onPublished();
    scene.fixture.settle();
    assertThat(client.told()).last().isEqualTo("published #8");
  }

  @Test
  void shouldEndAConsumerByRefAndMatchingTopic() {
    scene.open(CONFIG);
    Client client = scene.client();
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
    scene.open(CONFIG.with(TopicSettings.TOPICS_DURABLE, List.of("t.*", "hidden")));
    Client client = scene.client();
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
    assertThat(scene.queues.opened).isEmpty();
    assertThat(scene.queues.deleted).isEmpty();
  }

  @Test
  void shouldRefuseEverythingByDefault() {
    scene.open(Config.defaults().with(AuthSettings.ANONYMOUS, true));
    Client client = scene.client();
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
    assertThat(scene.queues.listed).isEmpty();
  }

  @Test
  void shouldRefuseSelectorsThatAreDisabled() {
    scene.open(CONFIG.with(TopicSettings.SELECTORS, false));
    Client client = scene.client();
    client.say(SHARED + ",'where':'a = 1'", 1, "t.a");
    assertThat(client.told()).containsExactly("error forbidden t.a #1");
    assertThat(client.last().get("message").asText()).contains("topics.selectors");
  }

  @Test
  void shouldAnnounceTheFeaturesThatBrokerAndConfigurationAllow() {
    scene.open(CONFIG.with(TopicSettings.TOPICS_SHARED, List.of()));
    assertThat(features()).doesNotContain("durable", "shared");
    scene.fixture.broker.features.addAll(Set.of(Feature.DURABLE, Feature.SHARED));
    assertThat(features()).contains("durable").doesNotContain("shared");
  }

  private List<String> features() {
    Client client = scene.client();
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
    scene.open(CONFIG);
    Client client = scene.client();
    client.say(DURABLE, 1, "t.a").say(DURABLE, 2, "t.b");
    scene
        .queues
        .opened
        .get(0)
        .listener
        .onRefused(ErrorCode.SUBSCRIPTION_EXISTS, "another selector");
    scene
        .queues
        .opened
        .get(1)
        .listener
        .onRefused(ErrorCode.TOO_MANY_SUBSCRIPTIONS, "limits.durables");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly("error subscription-exists t.a #1", "error too-many-subscriptions t.b #2");
    assertThat(new String(scene.exposition.scrape(ScrapeFormat.PROMETHEUS), StandardCharsets.UTF_8))
        .contains("limit=\"limits.durables\"");
  }

  @Test
  void shouldListTheSubscriptionsOfThePrincipal() {
    scene.tokens.put("ann", TestAccess.principal("ann", Map.of()));
    scene.open(CONFIG);
    Client client = scene.client("ann");
    client.say("'type':'list','ref':5");
    assertThat(scene.queues.listed.get(0).principal()).isEqualTo("ann");
    assertThat(scene.queues.listed.get(0).max()).isEqualTo(11);
    scene
        .queues
        .listed
        .get(0)
        .listener()
        .onResult(
            List.of(
                new DurableState(durable("ann", "t.a", "d"), "a = 1", 12, 0),
                new DurableState(durable("ann", "t.b", "e"), null, -1, -1)));
    scene.fixture.settle();
    assertThat(client.last().toString())
        .isEqualTo(
            ("{'type':'listed','ref':5,'subscriptions':[{'topic':'t.a','durable':'d','where':'a = 1',"
                    + "'messages':12,'consumers':0},{'topic':'t.b','durable':'e'}]}")
                .replace('\'', '"'));
  }

  @Test
  void shouldListNoMoreThanThePrincipalMayHave() {
    scene.open(CONFIG.with(LimitSettings.DURABLES, 3));
    Client client = scene.client();
    client.say("'type':'list','ref':5");
    scene.queues.listed.get(0).listener().onResult(states(4));
    scene.fixture.settle();
    assertThat(client.last().get("subscriptions")).hasSize(3);
    assertThat(client.last().get("more").asBoolean()).isTrue();
  }

  @Test
  void shouldListNoMoreThanTheClientMayHavePending() {
    scene.open(
        CONFIG.with(LimitSettings.DURABLES, 1_000).with(LimitSettings.PENDING_BYTES, 4_096L));
    Client client = scene.client();
    client.connection.takeOnly(0);
    client.say("'type':'list','ref':5");
    scene.queues.listed.get(0).listener().onResult(states(1_000));
    scene.fixture.settle();
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
    scene.open(CONFIG);
    Client client = scene.client();
    client.say(DELETE, 6, "t.a");
    assertThat(scene.queues.deleted.get(0).subscription()).isEqualTo(durable("", "t.a", "d"));
    scene.queues.deleted.get(0).listener().onResult(null);
    scene.fixture.settle();
    client.say(DELETE, 7, "t.a");
    scene.queues.deleted.get(1).listener().onRefused(ErrorCode.UNKNOWN_SUBSCRIPTION, "none");
    scene.fixture.settle();
    client.say(DELETE, 8, "t.>");
    scene.queues.deleted.get(2).listener().onRefused(ErrorCode.SUBSCRIPTION_IN_USE, "1 consumer");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "deleted t.a durable d #6",
            "error unknown-subscription t.a #7",
            "error subscription-in-use t.> #8");
  }

  @Test
  void shouldAcceptOneListOrDeleteAtATime() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.say("'type':'list','ref':1").say("'type':'list','ref':2").say(DELETE, 3, "t.a");
    assertThat(client.told()).containsExactly("error rate-limited #2", "error rate-limited t.a #3");
    scene.queues.listed.get(0).listener().onResult(List.of());
    scene.fixture.settle();
    client.say(DELETE, 4, "t.a").say("'type':'list','ref':5");
    assertThat(client.told()).last().isEqualTo("error rate-limited #5");
    assertThat(scene.queues.deleted).hasSize(1);
  }

  @Test
  void shouldCountListsAndDeletesAsConsumers() {
    Config limited = CONFIG.with(LimitSettings.ADDRESS_CONSUMERS, 1);
    scene.open(limited);
    Quotas quotas = new Quotas(QuotaOptions.of(limited), scene.metrics);
    Client first = scene.client();
    Client second = scene.client();
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
    scene.queues.listed.get(0).listener().onResult(List.of());
    scene.fixture.settle();
    assertThat(first.told()).isEmpty();
    second.consume(SHARED, 5, "t.a");
    assertThat(second.told()).last().isEqualTo("consuming t.a shared s #5");
  }

  @Test
  void shouldListAndDeleteOverAStream() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.connection.stream = true;
    client.say(DURABLE, 1, "t.a").say("'type':'list','ref':2");
    client.session.onInputEnd();
    assertThat(client.connection.closed()).as("the list is pending").isNull();
    scene.queues.listed.get(0).listener().onResult(List.of());
    scene.fixture.settle();
    assertThat(client.told()).containsExactly("error unsupported t.a #1", "listed #2");
    assertThat(client.connection.closed()).isNotNull();
  }

  /** Each mechanism has its own authority for names. */
  @Test
  void shouldSeparatePrincipalsOfOneNameByTheirMechanism() {
    scene.open(
        CONFIG.with(TopicSettings.PUBLISH_TOPICS, List.of(">")).with(LimitSettings.DURABLES, 3));
    scene.fixture.broker.features.add(Feature.PUBLISH_ID);
    Set<String> owners = new HashSet<>();
    Set<String> ids = new HashSet<>();
    for (String name : List.of("ann", "certificate:ann")) {
      for (Mechanism mechanism : Mechanism.values()) {
        if (mechanism != Mechanism.ANONYMOUS) {
          String token = mechanism.word() + " " + name;
          scene.tokens.put(token, new Principal(name, mechanism, "", 0, Principal.NEVER, Map.of()));
          Client client = scene.client(token);
          String owner = client.consume(DURABLE, 1, "t.a").request.subscription().principal();
          assertThat(owners.add(owner)).as(owner).isTrue();
          client.say("'type':'list','ref':2");
          assertThat(scene.queues.listed.get(scene.queues.listed.size() - 1).principal())
              .isEqualTo(owner);
          client.connection.close(CloseCode.NORMAL);
          Client next = scene.client(token);
          next.say(DELETE, 3, "t.a");
          assertThat(scene.queues.deleted.get(scene.queues.deleted.size() - 1).subscription())
              .isEqualTo(durable(owner, "t.a", "d"));
          next.say("'type':'publish','ref':4,'topic':'t.a','payload':'','id':'1'");
          List<Publication> published = scene.fixture.broker.published;
          assertThat(ids.add(published.get(published.size() - 1).headers().id())).isTrue();
        }
      }
    }
    assertThat(owners).contains("ann", "certificate:ann", "jwt:certificate:ann");
  }

  @Test
  void shouldServeEachPrincipalByItsRules() {
    scene.tokens.put("ann", TestAccess.principal("ann", Map.of()));
    scene.tokens.put("bob", TestAccess.principal("bob", Map.of("role", "guest")));
    PermissionRule all = new PermissionRule(Map.of(), Map.of(Operation.SUBSCRIBE, List.of(">")));
    PermissionRule own =
        new PermissionRule(
            Map.of("sub", "ann"),
            Map.of(Operation.DURABLE, List.of("t.{sub}.>"), Operation.SHARED, List.of("t.jobs")));
    scene.open(
        Config.defaults()
            .with(AuthSettings.ANONYMOUS, true)
            .with(TopicSettings.PERMISSION_RULES, List.of(all, own)));
    Client ann = scene.client("ann");
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
    Client bob = scene.client("bob");
    bob.say("'type':'list','ref':1").say(DURABLE, 2, "t.bob.a");
    assertThat(bob.told()).containsExactly("error forbidden #1", "error forbidden t.bob.a #2");
  }

  @Test
  void shouldRequireThePermissionToSubscribe() {
    scene.tokens.put("ann", TestAccess.principal("ann", Map.of()));
    PermissionRule rule =
        new PermissionRule(
            Map.of(),
            Map.of(
                Operation.SUBSCRIBE, List.of("t.a"),
                Operation.DURABLE, List.of("t.>"),
                Operation.SHARED, List.of("t.>")));
    scene.open(CONFIG.with(TopicSettings.PERMISSION_RULES, List.of(rule)));
    Client client = scene.client("ann");
    client.consume(DURABLE, 1, "t.a");
    client.say(DURABLE, 2, "t.b").say(SHARED, 3, "t.>");
    assertThat(client.told())
        .containsExactly(
            "consuming t.a durable d #1", "error forbidden t.b #2", "error forbidden t.> #3");
  }

  @Test
  void shouldEndConsumersThatANewCredentialDoesNotGrant() {
    scene.tokens.put("before", TestAccess.principal("ann", Map.of("role", "trader")));
    scene.tokens.put("after", TestAccess.principal("ann", Map.of("role", "guest")));
    PermissionRule all =
        new PermissionRule(
            Map.of(),
            Map.of(Operation.SUBSCRIBE, List.of(">"), Operation.SHARED, List.of("t.jobs")));
    PermissionRule trader =
        new PermissionRule(Map.of("role", "trader"), Map.of(Operation.DURABLE, List.of("t.>")));
    scene.open(CONFIG.with(TopicSettings.PERMISSION_RULES, List.of(all, trader)));
    Client client = scene.client("before");
    Opened durable = client.consume(DURABLE, 1, "t.a");
    Opened shared = client.consume(SHARED, 2, "t.jobs");
    client.say("'type':'refresh','ref':3,'token':'after'");
    assertThat(client.told()).endsWith("refreshed #3", "error forbidden t.a #1");
    assertThat(durable.closed).isTrue();
    assertThat(shared.closed).isFalse();
  }
}
