package io.sluice.gateway.session.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.ScriptedQueues;
import io.sluice.gateway.hub.ScriptedQueues.Opened;
import io.sluice.gateway.limits.Lease;
import io.sluice.gateway.limits.QuotaOptions;
import io.sluice.gateway.limits.Quotas;
import io.sluice.gateway.protocol.ErrorCode;
import io.sluice.gateway.protocol.queue.ReleaseReason;
import io.sluice.gateway.query.ClientView;
import io.sluice.gateway.session.queue.SessionScene.Client;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Sessions that consume queues of a scripted broker: docs/PROTOCOL.md, sections 3, 4 and 12. */
final class ConsumersTest {
  private static final Config CONFIG =
      Config.defaults()
          .with(AuthSettings.ANONYMOUS, true)
          .with(TopicSettings.QUEUES_CONSUME, List.of("q.>"))
          .with(TopicSettings.QUEUES_BROWSE, List.of("q.*"));

  private static final String CONSUME = "'type':'consume','ref':%d,'queue':'q.a','credit':%d";

  private final SessionScene scene = new SessionScene();

  @AfterEach
  void close() {
    scene.close();
  }

  private void deliver(Opened consumer, String... payloads) {
    for (String payload : payloads) {
      consumer.deliver(payload);
    }
    scene.fixture.settle();
  }

  @Test
  void shouldDeliverAndSettle() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    assertThat(consumer.request.credit()).isEqualTo(3);
    deliver(consumer, "a", "b", "c");
    client
        .say("'type':'ack','ref':8,'subscription':7,'tag':2,'upTo':true")
        .say("'type':'release','subscription':7,'tag':3")
        .say("'type':'reject','ref':9,'subscription':7,'tag':3");
    assertThat(consumer.settled)
        .extracting(Object::toString)
        .containsExactly("ack 2 and before", "release 3", "reject 3");
    consumer.settled.get(0).listener().onSettled();
    consumer.settled.get(1).listener().onSettled();
    consumer.settled.get(2).listener().onRefused(ErrorCode.NOT_PENDING, "settled before");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "consuming q.a #7",
            "delivery 1 a #7",
            "delivery 2 b #7",
            "delivery 3 c #7",
            "settled of #7 #8",
            "error not-pending 3 of #7 #9");
  }

  @Test
  void shouldRespondToMessages() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    deliver(consumer, "a");
    client
        .say("'type':'respond','ref':8,'subscription':7,'tag':1,'payload':'b','priority':9")
        .say("'type':'respond','ref':9,'subscription':7,'tag':2,'payload':'b'")
        .say("'type':'respond','ref':10,'subscription':6,'tag':1,'payload':'b'")
        .say("'type':'respond','ref':11,'subscription':7,'tag':1,'payload':'b','id':'c'")
        .say("'type':'respond','ref':12,'subscription':7,'tag':1,'payload':'b','queue':'q.a'")
        .say("'type':'respond','ref':13,'subscription':7,'payload':'b'")
        .say("'type':'respond','ref':14,'subscription':7,'tag':1,'payload':'c'");
    assertThat(consumer.responded)
        .extracting(ScriptedQueues.Responded::tag)
        .containsExactly(1L, 1L);
    assertThat(consumer.responded.get(0).reply().payload()).asString().isEqualTo("b");
    assertThat(consumer.responded.get(0).reply().headers().priority()).isEqualTo(9);
    consumer.responded.get(0).listener().onPublished();
    consumer.responded.get(1).listener().onRefused(ErrorCode.NO_RECIPIENT, "it has gone");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "consuming q.a #7",
            "delivery 1 a #7",
            "error not-pending 2 of #7 #9",
            "error not-pending 1 of #6 #10",
            "error bad-frame #11",
            "error bad-frame q.a #12",
            "error bad-frame #13",
            "published #8",
            "error no-recipient 1 of #7 #14");
  }

  @Test
  void shouldRestrictTheRateOfReplies() {
    scene.open(CONFIG.with(LimitSettings.PUBLISH_RATE, 2));
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    deliver(consumer, "a");
    for (int ref = 10; ref < 20; ref++) {
      client.say("'type':'respond','ref':%d,'subscription':7,'tag':1,'payload':''".formatted(ref));
    }
    assertThat(consumer.responded).hasSizeLessThan(10);
    assertThat(client.told()).last().isEqualTo("error rate-limited 1 of #7 #19");
  }

  @Test
  void shouldReportFailuresAlsoWithoutARef() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    deliver(consumer, "a");
    client.say("'type':'ack','subscription':7,'tag':1");
    consumer.settled.get(0).listener().onRefused(ErrorCode.SETTLE_FAILED, "disk full");
    scene.fixture.settle();
    assertThat(client.told()).last().isEqualTo("error settle-failed 1 of #7");
    assertThat(client.last().get("message").asText()).isEqualTo("disk full");
    assertThat(client.last().has("ref")).isFalse();
  }

  @Test
  void shouldNotSettleWhatTheClientHasNotReceived() {
    scene.open(CONFIG);
    Client owner = scene.client();
    deliver(owner.consume(CONSUME, 7, 3), "a");
    Client other = scene.client();
    Opened consumer = other.consume(CONSUME, 8, 3);
    other
        .say("'type':'ack','ref':1,'subscription':7,'tag':1")
        .say("'type':'ack','ref':2,'subscription':8,'tag':1")
        .say("'type':'ack','ref':3,'subscription':8,'tag':9007199254740991,'upTo':true")
        .say("'type':'credit','ref':4,'subscription':7,'credit':1");
    assertThat(consumer.settled).isEmpty();
    assertThat(other.told())
        .containsExactly(
            "consuming q.a #8",
            "error not-pending 1 of #7 #1",
            "error not-pending 1 of #8 #2",
            "error not-pending 9007199254740991 of #8 #3",
            "error not-pending of #7 #4");
  }

  @Test
  void shouldLimitTheRateOfSettlementsThatAreTooLate() {
    scene.open(CONFIG.with(LimitSettings.CLIENT_ERRORS, 3));
    Client client = scene.client();
    for (String type : List.of("ack", "release", "reject", "respond")) {
      for (int i = 1; i <= 100; i++) {
        client.say("'type':'%s','subscription':7,'tag':%d,'payload':''", type, i);
      }
      assertThat(client.told()).last().isEqualTo("error rate-limited 100 of #7");
    }
    assertThat(client.last().get("message").asText())
        .isEqualTo("over 3 refused frames a second; this one is refused with not-pending");
    assertThat(client.connection.closed()).isNull();
    for (int i = 1; i <= 3; i++) {
      client.say("'type':'credit','subscription':7,'credit':1001");
    }
    assertThat(client.connection.closed()).isNotNull();
  }

  @Test
  void shouldReportReleasedMessages() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    deliver(consumer, "a", "b");
    consumer.listener.onReleased(1, ReleaseReason.TIMEOUT);
    consumer.listener.onReleased(0, ReleaseReason.BROKER_LOST);
    scene.fixture.settle();
    assertThat(client.told()).endsWith("released timeout 1 #7", "released broker-lost #7");
  }

  @Test
  void shouldChangeTheCredit() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 0);
    client.say("'type':'credit','subscription':7,'credit':1000");
    assertThat(consumer.credit).isEqualTo(1000);
    client.say("'type':'credit','ref':1,'subscription':7,'credit':1001");
    assertThat(consumer.credit).isEqualTo(1000);
    assertThat(client.told()).containsExactly("consuming q.a #7", "error bad-frame of #7 #1");
    assertThat(client.last().get("message").asText())
        .isEqualTo("\"credit\" is 1001; limits.consumer-credit is 1000");
    client.say("'type':'consume','ref':8,'queue':'q.a','credit':1001");
    assertThat(client.told()).last().isEqualTo("error bad-frame q.a #8");
  }

  @Test
  void shouldEndAConsumerByItsRef() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    consumer.deliver("before the end");
    client
        .say("'type':'unsubscribe','ref':9,'subscription':7,'topic':'q.a'")
        .say("'type':'unsubscribe','ref':10,'subscription':7")
        .say("'type':'unsubscribe','ref':11,'subscription':7");
    assertThat(consumer.closed).isTrue();
    deliver(consumer, "after the end");
    consumer.listener.onRefused(ErrorCode.BROKER_UNAVAILABLE, "after the end");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "consuming q.a #7",
            "error not-subscribed q.a #9",
            "delivery 1 before the end #7",
            "unsubscribed q.a of #7 #10",
            "error not-subscribed #11");
  }

  @Test
  void shouldWithdrawAConsumerThatIsNotActiveYet() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.say("'type':'consume','ref':7,'queue':'q.a'");
    client.say("'type':'unsubscribe','ref':8,'subscription':7");
    scene.fixture.broker.queues.opened.get(0).listener.onConsuming();
    scene.fixture.settle();
    assertThat(client.told()).containsExactly("unsubscribed q.a of #7 #8");
  }

  @Test
  void shouldUseEachRefOnce() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.consume(CONSUME, 7, 1);
    client
        .say("'type':'consume','ref':7,'queue':'q.b'")
        .say("'type':'subscribe','ref':7,'topic':'t','tagged':true")
        .say("'type':'subscribe','ref':8,'topic':'t','tagged':true")
        .say("'type':'consume','ref':8,'queue':'q.b'")
        .say("'type':'subscribe','ref':7,'topic':'t'");
    assertThat(client.told())
        .containsExactly(
            "consuming q.a #7",
            "error already-subscribed q.b #7",
            "error already-subscribed t #7",
            "subscribed t #8",
            "error already-subscribed q.b #8",
            "subscribed t #7");
  }

  @Test
  void shouldRefuseQueuesThatAreNotServed() {
    scene.open(CONFIG);
    Client client = scene.client();
    client
        .say("'type':'consume','ref':1,'queue':'other'")
        .say("'type':'consume','ref':2,'queue':'q.*'")
        .say("'type':'consume','ref':3,'queue':'q..a'")
        .say("'type':'consume','ref':4,'queue':'" + "q".repeat(256) + "'")
        .say("'type':'browse','ref':5,'queue':'q.a.b'")
        .say("'type':'consume','ref':6,'queue':'q.a','where':'" + "x".repeat(10_240) + "'");
    assertThat(client.told())
        .containsExactly(
            "error forbidden other #1",
            "error invalid-topic q.* #2",
            "error invalid-topic q..a #3",
            "error topic-too-long " + "q".repeat(256) + " #4",
            "error forbidden q.a.b #5",
            "error invalid-selector q.a #6");
    assertThat(client.last().get("message").asText())
        .isEqualTo("\"where\" has 10240 characters; limits.selector-length is 4096");
    assertThat(scene.fixture.broker.queues.opened).isEmpty();
  }

  @Test
  void shouldPassOnTheRefusalOfTheBroker() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.say("'type':'consume','ref':1,'queue':'q.a','where':'x ='");
    Opened consumer = scene.fixture.broker.queues.opened.get(0);
    assertThat(consumer.request.where()).isEqualTo("x =");
    consumer.listener.onRefused(ErrorCode.INVALID_SELECTOR, "unexpected end");
    scene.fixture.settle();
    client.consume(CONSUME, 1, 1);
    assertThat(client.told()).containsExactly("error invalid-selector q.a #1", "consuming q.a #1");
  }

  @Test
  void shouldLimitTheConsumersOfAClient() {
    scene.open(CONFIG.with(LimitSettings.CONSUMERS, 2).with(LimitSettings.SUBSCRIBE_RATE, 1));
    Client client = scene.client();
    client.consume(CONSUME, 1, 1);
    client.consume(CONSUME, 2, 1);
    client.say("'type':'consume','ref':3,'queue':'q.a'");
    assertThat(client.told()).last().isEqualTo("error too-many-consumers q.a #3");
    client.say("'type':'unsubscribe','subscription':1");
    client.consume(CONSUME, 3, 1);
    client
        .say("'type':'unsubscribe','subscription':2")
        .say("'type':'consume','ref':4,'queue':'q.a'");
    assertThat(client.told()).last().isEqualTo("error rate-limited q.a #4");
  }

  @Test
  void shouldChargeConsumersAndBrowsesToTheQuotas() {
    Config limited = CONFIG.with(LimitSettings.ADDRESS_CONSUMERS, 2);
    scene.open(limited);
    Quotas quotas = new Quotas(QuotaOptions.of(limited), scene.metrics);
    Client first = scene.client();
    Client second = scene.client();
    first.connection.lease = (Lease) quotas.acquire("192.0.2.1");
    second.connection.lease = (Lease) quotas.acquire("192.0.2.1");
    first.consume(CONSUME, 1, 1);
    first.say("'type':'browse','ref':2,'queue':'q.a'");
    second
        .say("'type':'consume','ref':3,'queue':'q.a'")
        .say("'type':'browse','ref':4,'queue':'q.a'");
    assertThat(second.told())
        .containsExactly("error too-many-consumers q.a #3", "error too-many-consumers q.a #4");
    first.session.onClosed();
    second.consume(CONSUME, 5, 1);
    second.consume(CONSUME, 6, 1);
    assertThat(second.told()).endsWith("consuming q.a #5", "consuming q.a #6");
  }

  @Test
  void shouldPauseAClientThatDoesNotRead() {
    scene.open(CONFIG.with(LimitSettings.PENDING_BYTES, 16_384L));
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 100);
    client.connection.takeOnly(0);
    String payload = "x".repeat(1_000);
    for (int i = 0; i < 50; i++) {
      deliver(consumer, payload);
    }
    int sent = client.connection.frames.size();
    assertThat(consumer.credit).as("paused").isZero();
    assertThat(sent).isBetween(5, 10);
    assertThat(client.connection.pendingBytes()).isLessThan(8_192);
    assertThat(client.connection.closed()).isNull();
    client.say("'type':'credit','subscription':7,'credit':60");
    client.say("'type':'ack','ref':1,'subscription':7,'tag':40");
    assertThat(client.told()).last().isEqualTo("error not-pending 40 of #7 #1");
    consumer.listener.onReleased(50, ReleaseReason.TIMEOUT);
    scene.fixture.pass(10);
    assertThat(consumer.credit).as("still paused").isZero();

    client.connection.takeOnly(Long.MAX_VALUE / 2);
    client.connection.flush();
    scene.fixture.pass(10);
    assertThat(consumer.credit).as("the latest credit").isEqualTo(60);
    assertThat(client.told().stream().filter(told -> told.startsWith("delivery")))
        .hasSize(49)
        .last()
        .asString()
        .startsWith("delivery 49 ");
    assertThat(client.told()).as("never received").noneMatch(told -> told.startsWith("released"));
  }

  @Test
  void shouldNotSendWhatReturnedToTheQueueMeanwhile() {
    scene.open(CONFIG.with(LimitSettings.PENDING_BYTES, 4_096L));
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 100);
    client.connection.takeOnly(0);
    for (int i = 0; i < 10; i++) {
      deliver(consumer, "x".repeat(500));
    }
    consumer.listener.onReleased(0, ReleaseReason.BROKER_LOST);
    scene.fixture.settle();
    client.connection.takeOnly(Long.MAX_VALUE / 2);
    client.connection.flush();
    scene.fixture.pass(10);
    assertThat(consumer.credit).isEqualTo(100);
    assertThat(client.told()).last().isEqualTo("released broker-lost #7");
  }

  @Test
  void shouldBrowse() {
    scene.open(CONFIG);
    Client client = scene.client();
    client
        .say("'type':'browse','ref':9,'queue':'q.a','max':2")
        .say("'type':'browse','ref':10,'queue':'q.a'")
        .say("'type':'browse','ref':11,'queue':'q.a','max':1001");
    ScriptedQueues.Browsed browse = scene.fixture.broker.queues.browsed.get(0);
    assertThat(browse.max()).isEqualTo(2);
    assertThat(browse.listener().onMessage(ScriptedQueues.message(0, "a"))).isTrue();
    assertThat(browse.listener().onMessage(ScriptedQueues.message(0, "b"))).isTrue();
    browse.listener().onBrowsed(2, true, 0);
    scene.fixture.settle();
    client.say("'type':'browse','ref':12,'queue':'q.a'");
    scene
        .fixture
        .broker
        .queues
        .browsed
        .get(1)
        .listener()
        .onRefused(ErrorCode.UNKNOWN_QUEUE, "no queue");
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "error rate-limited q.a #10",
            "error bad-frame q.a #11",
            "delivery a #9",
            "delivery b #9",
            "browsed q.a #9",
            "error unknown-queue q.a #12");
    JsonNode browsed = client.connection.frames.get(5);
    assertThat(browsed.get("count").asInt()).isEqualTo(2);
    assertThat(browsed.get("more").asBoolean()).isTrue();
    assertThat(client.connection.frames.get(3).has("tag")).isFalse();
  }

  @Test
  void shouldBrowseNoMoreThanTheClientMayHavePending() {
    scene.open(CONFIG.with(LimitSettings.PENDING_BYTES, 4_096L));
    Client client = scene.client();
    client.connection.takeOnly(0);
    client.say("'type':'browse','ref':9,'queue':'q.a'");
    ScriptedQueues.Browsed browse = scene.fixture.broker.queues.browsed.get(0);
    int count = 0;
    boolean continues = true;
    while (continues) {
      count++;
      continues = browse.listener().onMessage(ScriptedQueues.message(0, "x".repeat(400)));
    }
    browse.listener().onBrowsed(count, false, 0);
    scene.fixture.settle();
    assertThat(count).isEqualTo(6);
    assertThat(client.connection.closed()).isNull();
    assertThat(client.last().get("type").asText()).isEqualTo("browsed");
    assertThat(client.last().get("more").asBoolean()).isTrue();
    int sent = client.last().get("count").asInt();
    assertThat(sent).isBetween(1, 5);
    assertThat(client.told().stream().filter(told -> told.startsWith("delivery"))).hasSize(sent);
  }

  @Test
  void shouldReturnMessagesOfAClosedSession() {
    scene.open(CONFIG);
    Client client = scene.client();
    Opened consumer = client.consume(CONSUME, 7, 3);
    deliver(consumer, "a");
    client.session.onClosed();
    assertThat(consumer.closed).isTrue();
    client.say("'type':'ack','subscription':7,'tag':1");
    deliver(consumer, "b");
    assertThat(consumer.settled).isEmpty();
    assertThat(client.told()).containsExactly("consuming q.a #7", "delivery 1 a #7");
  }

  @Test
  void shouldNotConsumeOverAStream() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.connection.stream = true;
    client
        .say("'type':'consume','ref':7,'queue':'q.a'")
        .say("'type':'ack','ref':8,'subscription':7,'tag':1")
        .say("'type':'browse','ref':9,'queue':'q.a'");
    client.session.onInputEnd();
    assertThat(client.connection.closed()).as("the browse is pending").isNull();
    scene.fixture.broker.queues.browsed.get(0).listener().onBrowsed(0, false, 0);
    scene.fixture.settle();
    assertThat(client.told())
        .containsExactly(
            "error unsupported q.a #7", "error not-pending 1 of #7 #8", "browsed q.a #9");
    assertThat(client.connection.closed()).isNotNull();
  }

  @Test
  void shouldListTheConsumersOfASession() {
    scene.open(CONFIG);
    Client client = scene.client();
    client.consume(CONSUME, 7, 3);
    ClientView view = client.session.view();
    assertThat(view.consumerCount()).isEqualTo(1);
    assertThat(view.subscriptionCount()).isZero();
  }
}
