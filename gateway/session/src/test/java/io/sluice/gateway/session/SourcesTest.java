package io.sluice.gateway.session;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.broker.IdentityState;
import io.sluice.gateway.config.AuthSettings;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.gateway.hub.HubFixture;
import io.sluice.gateway.hub.ScriptedBroker;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sessions at a node with the sources {@code kafka}, {@code nats} and {@code jms}. */
final class SourcesTest extends SubscriptionScene {
  private ScriptedBroker kafka;
  private ScriptedBroker nats;

  @BeforeEach
  void openAll() {
    Map<String, List<String>> topics = new LinkedHashMap<>();
    topics.put("kafka", List.of("orders", "orders.>"));
    topics.put("nats", List.of("prices.>"));
    Config config =
        Config.defaults()
            .with(AuthSettings.ANONYMOUS, true)
            .with(TopicSettings.PUBLISH_TOPICS, List.of(">"));
    open(config, new HubFixture(1, config, topics));
    kafka = fixture.others.get("kafka");
    nats = fixture.others.get("nats");
    kafka.connect();
    nats.connect();
    fixture.settle();
  }

  private void lose(ScriptedBroker source) {
    source.lose();
    fixture.settle();
  }

  private void connect(ScriptedBroker source) {
    source.connect();
    source.recoverOne();
    fixture.settle();
  }

  /** Connects a client with one plain subscription to each topic. */
  private Client subscriber(String... topics) {
    Client client = new Client().say("'type':'connect','redirect':true");
    for (String topic : topics) {
      client.say("'type':'subscribe','ref':1,'topic':'" + topic + "'");
    }
    return client;
  }

  private static List<JsonNode> states(Client client) {
    return client.connection.frames.stream()
        .filter(frame -> List.of("stale", "live").contains(frame.get("type").asText()))
        .toList();
  }

  private static List<String> texts(Client client) {
    return states(client).stream().map(JsonNode::toString).toList();
  }

  @Test
  void shouldOpenATopicAtItsSource() {
    subscriber("orders", "orders.eu.*", "prices.x", "news");
    assertThat(kafka.opened()).containsExactly("orders", "orders.eu.*");
    assertThat(nats.opened()).containsExactly("prices.x");
    assertThat(fixture.broker.opened()).containsExactly("news");
  }

  @Test
  void shouldNameTheSource() {
    assertThat(subscriber("orders").last().get("source").asText()).isEqualTo("kafka");
  }

  @Test
  void shouldRefuseAPatternOfSeveralSources() {
    JsonNode refusal = subscriber("*.eu").last();
    assertThat(refusal.get("code").asText()).isEqualTo("unsupported");
    assertThat(refusal.get("message").asText()).contains("kafka, nats, jms");
  }

  @Test
  void shouldReportALostSourceToItsUsersOnly() {
    Client both = subscriber("orders", "news");
    Client other = subscriber("news");
    lose(kafka);
    assertThat(texts(both)).containsExactly("{\"type\":\"stale\",\"sources\":[\"kafka\"]}");
    assertThat(states(other)).isEmpty();
  }

  @Test
  void shouldMoveOnlyClientsThatUseTheLostSource() {
    Client user = subscriber("orders");
    Client other = subscriber("news");
    lose(kafka);
    assertThat(user.session.isMovable(RedirectReason.BROKER_LOST)).isTrue();
    assertThat(other.session.isMovable(RedirectReason.BROKER_LOST)).isFalse();
    assertThat(other.session.isMovable(RedirectReason.COMMAND)).isTrue();
  }

  @Test
  void shouldReportTheReturnOfASource() {
    Client client = subscriber("orders", "prices.x");
    lose(kafka);
    lose(nats);
    connect(kafka);
    connect(nats);
    assertThat(texts(client))
        .containsExactly(
            "{\"type\":\"stale\",\"sources\":[\"kafka\"]}",
            "{\"type\":\"stale\",\"sources\":[\"kafka\",\"nats\"]}",
            "{\"type\":\"stale\",\"sources\":[\"nats\"]}",
            "{\"type\":\"live\"}");
  }

  @Test
  void shouldReportTheLossOfAllSourcesToEveryClient() {
    Client idle = subscriber();
    lose(kafka);
    lose(nats);
    lose(fixture.broker);
    assertThat(texts(idle)).containsExactly("{\"type\":\"stale\"}");
  }

  @Test
  void shouldReportALostSourceWithTheFirstSubscription() {
    lose(kafka);
    Client client = subscriber("news");
    assertThat(states(client)).isEmpty();
    client.say("'type':'subscribe','ref':2,'topic':'orders'");
    assertThat(texts(client)).containsExactly("{\"type\":\"stale\",\"sources\":[\"kafka\"]}");
  }

  @Test
  void shouldReportThatNoUsedSourceIsLostAfterAnUnsubscribe() {
    Client client = subscriber("orders", "news");
    lose(kafka);
    client.say("'type':'unsubscribe','ref':3,'topic':'orders'");
    assertThat(client.told()).endsWith("live", "unsubscribed #3");
  }

  @Test
  void shouldLeaveNoGapInTheTopicsOfOtherSources() {
    Client client = subscriber("orders", "news");
    lose(kafka);
    connect(kafka);
    assertThat(client.connection.frames)
        .filteredOn(frame -> frame.get("type").asText().equals("gap"))
        .extracting(frame -> frame.get("topic").asText())
        .containsExactly("orders");
  }

  @Test
  void shouldServeTopicsOfOtherSourcesDuringAnOutage() {
    lose(kafka);
    Client client = subscriber("news");
    fixture.broker.publish("news");
    fixture.settle();
    assertThat(client.told()).endsWith("subscribed #1", "message 1");
  }

  @Test
  void shouldPublishToTheSourceOfATopic() {
    subscriber()
        .say("'type':'publish','ref':1,'topic':'orders.x','payload':'1'")
        .say("'type':'publish','ref':2,'topic':'news','payload':'1'");
    assertThat(kafka.published).hasSize(1);
    assertThat(fixture.broker.published).hasSize(1);
  }

  @Test
  void shouldAnnounceTheStrongestIdentity() {
    nats.identify(IdentityState.NONE);
    fixture.settle();
    assertThat(fixture.hub.identity()).isEqualTo(IdentityState.VERIFIED);
    assertThat(fixture.hub.identityProblem("prices.x")).isEqualTo("scripted");
    assertThat(fixture.hub.identityProblem("orders")).isEmpty();
  }

  @Test
  void shouldDescribeSourcesWithAProblemByName() {
    assertThat(fixture.hub.brokerState()).isEqualTo("connected");
    assertThat(fixture.hub.waiting()).isEmpty();
    kafka.waiting = "1 topic waits";
    assertThat(fixture.hub.brokerState())
        .isEqualTo("kafka: connected, 1 topic waits; nats: connected; jms: connected");
    assertThat(fixture.hub.waiting()).isEqualTo("kafka: 1 topic waits");
    assertThat(fixture.hub.waiting("orders")).isEqualTo("1 topic waits");
    assertThat(fixture.hub.waiting("news")).isEmpty();
  }
}
