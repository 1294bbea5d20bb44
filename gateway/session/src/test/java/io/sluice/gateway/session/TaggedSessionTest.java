package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.HistorySettings;
import io.sluice.gateway.config.LimitSettings;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Test of several subscriptions to one topic on one connection: docs/PROTOCOL.md, section 3. */
final class TaggedSessionTest extends SubscriptionScene {
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(LimitSettings.PENDING_BYTES, 64L << 10);

  private void publish(int count) {
    for (int i = 0; i < count; i++) {
      fixture.broker.publish("t");
    }
    fixture.settle();
  }

  @Test
  void shouldStartEachTaggedSubscriptionAtItsOwnPosition() {
    open(CONFIG);
    Client holder = new Client().subscribe("'ref':1");
    publish(3);
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':4,'tagged':true,'from':{'last':2}");
    client.subscribe("'ref':5,'tagged':true,'from':'snapshot','delivery':'latest'");
    publish(1);
    assertThat(client.told())
        .containsExactly(
            "subscribed #1",
            "subscribed #4",
            "message 2 #4",
            "message 3 #4",
            "subscribed #5",
            "message 3 #5",
            "message 4",
            "message 4 #4",
            "message 4 #5");
    JsonNode tagged = client.connection.frames.get(2);
    assertThat(tagged.get("tagged").asBoolean()).isTrue();
    assertThat(tagged.get("replay").asInt()).isEqualTo(2);
    List<JsonNode> plain =
        client.connection.frames.stream().filter(frame -> !frame.has("ref")).toList();
    List<JsonNode> held = holder.connection.frames;
    assertThat(plain.get(plain.size() - 1)).isEqualTo(held.get(held.size() - 1));
  }

  @Test
  void shouldEndASubscriptionByItsRef() {
    open(CONFIG);
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':4,'tagged':true");
    client.subscribe("'ref':5,'tagged':true");
    client.say("'type':'unsubscribe','ref':6,'subscription':4");
    publish(1);
    client.say("'type':'unsubscribe','ref':7,'topic':'t'");
    client.say("'type':'unsubscribe','ref':8,'topic':'u','subscription':5");
    publish(1);
    client.say("'type':'unsubscribe','ref':9,'topic':'t','subscription':5");
    client.say("'type':'unsubscribe','ref':10,'topic':'t'");
    publish(1);
    assertThat(client.told())
        .containsExactly(
            "subscribed #1",
            "subscribed #4",
            "subscribed #5",
            "unsubscribed #6",
            "message 1",
            "message 1 #5",
            "unsubscribed #7",
            "error not-subscribed #8",
            "message 2 #5",
            "unsubscribed #9",
            "error not-subscribed #10");
  }

  @Test
  void shouldRefuseARefThatIsInUseAndASecondPlainSubscription() {
    open(CONFIG.with(LimitSettings.SUBSCRIPTIONS, 3));
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':2");
    client.subscribe("'ref':4,'tagged':true");
    client.subscribe("'ref':4,'tagged':true");
    client.subscribe("'ref':5,'tagged':true");
    client.subscribe("'ref':6,'tagged':true");
    client.say("'type':'unsubscribe','subscription':4");
    client.subscribe("'ref':4,'tagged':true");
    publish(1);
    assertThat(client.told())
        .containsExactly(
            "subscribed #1",
            "error already-subscribed #2",
            "subscribed #4",
            "error already-subscribed #4",
            "subscribed #5",
            "error too-many-subscriptions #6",
            "unsubscribed",
            "subscribed #4",
            "message 1",
            "message 1 #5",
            "message 1 #4");
  }

  @Test
  void shouldNotifyEachSubscriptionOfGapsAndRefusals() {
    open(CONFIG);
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':4,'tagged':true");
    client.subscribe("'ref':5,'tagged':true,'rate':1");
    fixture.broker.publishTooLarge("t");
    publish(1);
    assertThat(client.told())
        .containsSubsequence("gap too-large", "message 2")
        .containsSubsequence("gap too-large #4", "message 2 #4")
        .containsSubsequence("gap too-large #5", "message 2 #5");
    fixture.broker.refuse("u");
    client.say("'type':'subscribe','topic':'u','ref':7,'tagged':true");
    client.say("'type':'subscribe','topic':'u','ref':8,'tagged':true");
    assertThat(client.told())
        .endsWith("error forbidden #7", "error forbidden #8")
        .doesNotContain("subscribed #7");
  }

  @Test
  void shouldDeliverLiveMessagesWithoutHistory() {
    open(CONFIG.with(HistorySettings.MESSAGES, 0));
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':4,'tagged':true");
    publish(1_000);
    assertThat(client.told()).doesNotContain("gap overload #4");
    assertThat(client.told().stream().filter(told -> told.endsWith("#4")))
        .startsWith("subscribed #4", "message 1 #4")
        .endsWith("message 1000 #4")
        .hasSize(1_001);
    fixture.broker.publishTooLarge("t");
    publish(1);
    assertThat(client.told())
        .endsWith("gap too-large", "message 1002", "gap too-large #4", "message 1002 #4");
  }

  @Test
  void shouldNotifyEachSubscriptionOfTheLossOfTheBroker() {
    open(CONFIG);
    Client client = new Client();
    client.subscribe("'ref':1");
    client.subscribe("'ref':4,'tagged':true");
    client.subscribe("'ref':5,'tagged':true,'delivery':'latest'");
    fixture.broker.lose();
    fixture.settle();
    client.subscribe("'ref':6,'tagged':true");
    fixture.broker.connect();
    publish(1);
    assertThat(client.told())
        .containsSubsequence("stale", "gap broker-lost", "message 1")
        .containsSubsequence("stale", "gap broker-lost #4", "message 1 #4")
        .containsSubsequence("stale", "gap broker-lost #5", "message 1 #5")
        .containsSubsequence("stale", "subscribed #6", "message 1 #6")
        .doesNotContain("gap broker-lost #6");
  }

  @Test
  void shouldNotSendCaughtUpWhileATaggedSubscriptionLags() {
    open(CONFIG);
    Client client = new Client();
    client.subscribe("'ref':4,'tagged':true");
    publish(1);
    prove(client);
    assertThat(client.told())
        .containsExactly("subscribed #4", "message 1 #4", "caught-up", "draining");
    client.connection.takeOnly(0);
    publish(500);
    prove(client);
    assertThat(client.told()).endsWith("draining").containsOnlyOnce("caught-up");
    client.readOn();
    prove(client);
    assertThat(client.told()).endsWith("message 501 #4", "caught-up", "draining");
  }

  /** Sends the latest delivery watermark to the client. */
  private void prove(Client client) {
    fixture.pass(10);
    fixture.broker.prove();
    fixture.settle();
    client.session.onDraining(0, null);
    fixture.settle();
  }

  @Test
  void shouldLoseNoMessageIfAnotherClientFails() {
    open(CONFIG);
    Client failing = new Client().subscribe("'ref':1,'tagged':true");
    Client other = new Client().subscribe("'ref':2,'tagged':true");
    publish(1);
    failing.connection.failure = new IllegalStateException("a bug");
    publish(1);
    failing.connection.failure = null;
    publish(1);
    for (Client client : List.of(failing, other)) {
      assertThat(client.told().stream().map(told -> told.substring(0, told.length() - 3)))
          .containsExactly("subscribed", "message 1", "message 2", "message 3");
    }
  }

  @Test
  void shouldKeepASlowTaggedSubscriptionInTheHistory() {
    open(CONFIG.with(HistorySettings.MESSAGES, 500));
    Client client = new Client();
    client.subscribe("'ref':4,'tagged':true");
    client.connection.takeOnly(1_000);
    publish(400);
    client.readOn();
    assertThat(client.told())
        .containsSubsequence(
            IntStream.rangeClosed(1, 400).mapToObj(i -> "message " + i + " #4").toList())
        .doesNotContain("gap overload #4")
        .hasSize(401);

    client.connection.takeOnly(1_000);
    publish(2_000);
    assertThat(client.connection.pendingBytes())
        .as("half of what makes a client slow, and a message")
        .isLessThan(CONFIG.get(LimitSettings.PENDING_BYTES) / 2 + 256);
    client.readOn();
    for (int tick = 0; tick < 10; tick++) { // the history is replayed over several ticks
      fixture.pass(10);
    }
    publish(1);
    assertThat(client.connection.closed()).isNull();
    assertThat(client.told()).contains("gap overload #4").endsWith("message 2401 #4");
  }
}
