package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.broker.selector.MessageFields;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Test of subscriptions with a selector: docs/PROTOCOL.md, section 3. */
final class SelectorSessionTest extends SubscriptionScene {
  private static final Config CONFIG = Config.defaults().with(AuthSettings.ANONYMOUS, true);

  private void publish(String topic, String... keys) {
    for (String key : keys) {
      fixture.broker.publish(topic, key);
    }
    fixture.settle();
  }

  private static String selected(int ref, String key, String more) {
    return "'ref':%d,'tagged':true,'where':'key = \\u0027%s\\u0027'%s".formatted(ref, key, more);
  }

  private static String selected(int ref, String key) {
    return selected(ref, key, "");
  }

  @Test
  void shouldReceiveATopicOnceForAllSelectors() {
    open(CONFIG);
    Client first = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    Client second = new Client().subscribe(selected(3, "a")).subscribe("'ref':4");
    assertThat(fixture.broker.opened()).containsExactly("t");
    publish("t", "a", "b", "c");
    assertThat(first.told())
        .containsExactly("subscribed #1", "subscribed #2", "message 1 #1", "message 2 #2");
    assertThat(second.told())
        .containsExactly(
            "subscribed #3",
            "subscribed #4",
            "message 1 #3",
            "message 1",
            "message 2",
            "message 3");
  }

  @Test
  void shouldSelectMessagesOfAPattern() {
    open(CONFIG);
    Client client = new Client();
    client.say("'type':'subscribe','topic':'t.*'," + selected(1, "a"));
    publish("t.x", "a", "b");
    publish("t.y", "a");
    publish("u", "a");
    assertThat(client.told()).containsExactly("subscribed #1", "message 1 #1", "message 1 #1");
    assertThat(client.connection.frames.get(0).get("features").toString()).contains("selectors");
    assertThat(client.last().get("topic").asText()).isEqualTo("t.y");
  }

  @Test
  void shouldServeSnapshotAndResumeOfASelector() {
    open(CONFIG);
    Client holder = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    publish("t", "a", "b", "a", "b");
    Client client = new Client().subscribe(selected(1, "a", ",'from':'snapshot'"));
    assertThat(client.told()).containsExactly("subscribed #1", "message 3 #1");
    String epoch = client.connection.frames.get(1).get("epoch").asText();
    Client returned =
        new Client()
            .subscribe(selected(1, "a", ",'from':{'epoch':'" + epoch + "','offset':1,'since':1}"));
    assertThat(returned.told()).containsExactly("subscribed #1", "message 3 #1");
    assertThat(holder.told()).hasSize(6);
  }

  @Test
  void shouldNotContinueAnotherSelectorAtTheSameOffset() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    String epoch = client.connection.frames.get(1).get("epoch").asText();
    client.subscribe(selected(3, "b", ",'from':{'epoch':'" + epoch + "','offset':0,'since':1}"));
    assertThat(client.last().get("recovered").asBoolean()).isFalse();
  }

  @Test
  void shouldServeASelectorOnAWarmPatternByItsConsumer() {
    open(CONFIG.with(HistorySettings.WARM, List.of("t.>")));
    fixture.hub.start();
    fixture.settle();
    publish("t.x", "a");
    Client client = new Client();
    client.say("'type':'subscribe','topic':'t.x'," + selected(1, "a", ",'from':'snapshot'"));
    assertThat(fixture.broker.opened()).containsExactly("t.>");
    publish("t.x", "a", "b");
    assertThat(client.told()).containsExactly("subscribed #1", "message 2 #1");
  }

  @Test
  void shouldProveDeliveryToASelectorWithoutMessages() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "none"));
    for (int i = 0; i < 5; i++) {
      fixture.pass(10_000);
      publish("t", "a");
      fixture.broker.prove();
      fixture.settle();
      client.session.onPing();
    }
    assertThat(client.told()).last().isEqualTo("caught-up");
    assertThat(client.last().get("time").asLong()).isEqualTo(fixture.hub.clock().wallMs());
  }

  @Test
  void shouldReportALossToEachSelector() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    fixture.broker.lose();
    fixture.broker.connect();
    fixture.settle();
    fixture.broker.recoverOne();
    fixture.settle();
    assertThat(client.told())
        .containsExactlyInAnyOrder(
            "subscribed #1",
            "subscribed #2",
            "stale",
            "gap broker-lost #1",
            "gap broker-lost #2",
            "live");
  }

  @Test
  void shouldEndASubscriptionByItsRefAndCloseItsConsumer() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    client.say("'type':'unsubscribe','ref':3,'subscription':1,'topic':'t'");
    fixture.control.fireTimers();
    fixture.settle();
    publish("t", "a", "b");
    assertThat(fixture.broker.opened()).containsExactly("t");
    assertThat(client.told())
        .containsExactly("subscribed #1", "subscribed #2", "unsubscribed #3", "message 2 #2");
    client.say("'type':'unsubscribe','ref':4,'subscription':2,'topic':'t'");
    fixture.control.fireTimers(); // the selector's interest lingers, then that of the topic
    fixture.control.fireTimers();
    assertThat(fixture.broker.opened()).isEmpty();
  }

  @Test
  void shouldSelectAtTheBrokerWhereConfigured() {
    open(
        CONFIG
            .with(TopicSettings.BROKER_SELECTORS, List.of("t"))
            .with(LimitSettings.BROKER_SELECTORS, 2));
    Client client =
        new Client()
            .subscribe(selected(1, "a"))
            .subscribe(selected(2, "b"))
            .subscribe(selected(3, "c"))
            .subscribe(selected(4, "a"));
    client.say("'type':'subscribe','topic':'u'," + selected(5, "a"));
    assertThat(fixture.broker.opened())
        .containsExactly("t where key = 'a'", "t where key = 'b'", "u");
    assertThat(client.told())
        .containsExactly(
            "subscribed #1",
            "subscribed #2",
            "error too-many-topics #3",
            "subscribed #4",
            "subscribed #5");
    publish("t", "a", "c");
    publish("u", "b", "a");
    assertThat(client.told().subList(5, 8))
        .containsExactlyInAnyOrder("message 1 #1", "message 1 #4", "message 2 #5");
    fixture.hub.start();
    fixture.control.fireTimers();
    fixture.settle();
    assertThat(fixture.hub.topicsInUse())
        .as("other nodes do not repeat what the broker selects")
        .containsExactly("u\nkey = 'a'");
  }

  @Test
  void shouldLimitDifferentSelectorsOfATopicAndOfAClient() {
    open(CONFIG.with(LimitSettings.TOPIC_SELECTORS, 2).with(LimitSettings.SELECTORS, 3));
    Client client =
        new Client()
            .subscribe(selected(1, "a"))
            .subscribe(selected(2, "b"))
            .subscribe(selected(3, "c"))
            .subscribe(selected(4, "a"));
    assertThat(client.last().get("type").asText()).isEqualTo("subscribed");
    assertThat(client.told()).contains("error too-many-topics #3");
    client.say("'type':'subscribe','topic':'u'," + selected(5, "a"));
    client.say("'type':'subscribe','topic':'v'," + selected(6, "a"));
    assertThat(client.last().get("message").asText())
        .isEqualTo("client has 3 different selectors; limits.selectors is 3");
    client.say("'type':'unsubscribe','ref':7,'subscription':2");
    fixture.control.fireTimers(); // closes the interest
    client.say("'type':'subscribe','topic':'t'," + selected(8, "c"));
    assertThat(client.last().get("type").asText()).isEqualTo("subscribed");
    client.say("'type':'subscribe','topic':'v'," + selected(9, "a"));
    assertThat(client.last().get("code").asText()).isEqualTo("too-many-subscriptions");
  }

  @Test
  void shouldReportALostMessageToThoseThatMayHaveSelectedIt() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a")).subscribe(selected(2, "b"));
    fixture.broker.publishTooLarge("t", "b");
    fixture.settle();
    publish("t", "a");
    assertThat(client.told())
        .containsExactly("subscribed #1", "subscribed #2", "gap too-large #2", "message 2 #1");
  }

  @Test
  void shouldReportAMessageWhoseFieldsCannotBeRead() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a"));
    fixture.broker.deliver("t", MessageFields.UNREADABLE);
    fixture.settle();
    publish("t", "a");
    assertThat(client.told())
        .containsExactly("subscribed #1", "gap unsupported #1", "message 2 #1");
  }

  @Test
  void shouldBeginBehindAMessageThatWasReadBeforeTheSelector() {
    open(CONFIG);
    Client client = new Client().subscribe(selected(1, "a"));
    fixture.pass(60_000);
    fixture.broker.prove();
    fixture.settle();
    long timeMs = fixture.hub.clock().wallMs() - 1_000;
    String position =
        ",'from':{'epoch':'00000000000000ff','offset':1,'since':1,'time':%d}".formatted(timeMs);
    Client moved = new Client().subscribe(selected(2, "a", position));
    assertThat(moved.told()).containsExactly("subscribed #2");
    assertThat(moved.last().get("recovered").asBoolean()).isTrue();
    fixture.broker.deliverWithoutFields("t");
    fixture.settle();
    publish("t", "a");
    assertThat(client.told()).containsExactly("subscribed #1", "message 2 #1");
    Client late = new Client().subscribe(selected(3, "a", position));
    assertThat(late.connection.frames.get(1).get("recovered").asBoolean())
        .as("the message may have been selected")
        .isFalse();
  }

  @Test
  void shouldRefuseASelectorThatCannotBeParsedWithItsPlace() {
    open(CONFIG);
    Client client =
        new Client()
            .subscribe("'ref':1,'tagged':true,'where':'price > AND x'")
            .subscribe("'ref':2");
    assertThat(client.told()).containsExactly("error invalid-selector #1", "subscribed #2");
    assertThat(client.connection.frames.get(1).get("message").asText())
        .startsWith("\"where\" is no selector: ")
        .contains("line 1, column 9")
        .contains("AND");
    assertThat(fixture.broker.opened()).containsExactly("t");
  }

  @Test
  void shouldCountEachSelectorAsATopic() {
    open(CONFIG.with(LimitSettings.TOPICS, 3));
    Client client =
        new Client()
            .subscribe(selected(1, "a"))
            .subscribe(selected(2, "b"))
            .subscribe(selected(3, "c"))
            .subscribe(selected(4, "a"));
    assertThat(client.told())
        .containsExactly(
            "subscribed #1", "subscribed #2", "error too-many-topics #3", "subscribed #4");
  }

  @Test
  void shouldRefuseATooLongSelector() {
    open(CONFIG);
    String longest = "x".repeat(LimitSettings.SELECTOR_LENGTH.defaultValue() - "key = ''".length());
    Client client =
        new Client().subscribe(selected(1, longest)).subscribe(selected(2, longest + "x"));
    assertThat(client.told()).containsExactly("subscribed #1", "error invalid-selector #2");
    assertThat(client.last().get("message").asText())
        .isEqualTo("\"where\" has 4097 characters; limits.selector-length is 4096");
    assertThat(client.last().get("topic").asText()).isEqualTo("t");
  }

  @Test
  void shouldRefuseSelectorsThatAreDisabled() {
    open(CONFIG.with(TopicSettings.SELECTORS, false));
    Client client = new Client().subscribe(selected(1, "a")).subscribe("'ref':2");
    assertThat(client.told()).containsExactly("error forbidden #1", "subscribed #2");
    assertThat(client.connection.frames.get(0).get("features").toString())
        .doesNotContain("selectors");
  }

  @Test
  void shouldAnnounceSelectorsToOtherNodes() {
    open(CONFIG);
    fixture.hub.start();
    new Client().subscribe(selected(1, "a")).say("'type':'subscribe','topic':'u','ref':2");
    fixture.control.fireTimers();
    fixture.settle();
    assertThat(fixture.hub.topicsInUse()).containsExactly("t\nkey = 'a'", "u");
  }
}
