package io.sluice.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.LimitSettings;
import io.sluice.gateway.config.PermissionRule;
import io.sluice.gateway.config.PermissionRule.Operation;
import io.sluice.gateway.config.TopicSettings;
import io.sluice.testkit.RawWebSocket;
import io.sluice.testkit.TestBroker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Presence at one node. */
final class PresenceIT {
  private static final int MEMBERS = 3;

  private static TestBroker broker;
  private static TestNode node;
  private static TestNode restricted;

  @BeforeAll
  static void start() throws Exception {
    broker = TestBroker.start("artemis");
    Config config =
        TestNode.config(broker.provider(), broker.url())
            .with(TopicSettings.PRESENCE_TOPICS, List.of("room.*"))
            .with(TopicSettings.PRESENCE_GRACE, Duration.ofMillis(1_500))
            .with(LimitSettings.PRESENCE_MEMBERS, MEMBERS)
            .with(LimitSettings.PRESENCE_INFO, 20)
            .with(LimitSettings.SUBSCRIPTIONS, 2);
    node = TestNode.start(config);
    restricted =
        TestNode.start(
            config,
            TopicSettings.PERMISSION_RULES,
            List.of(
                new PermissionRule(
                    Map.of(),
                    Map.of(
                        Operation.SUBSCRIBE, List.of("room.count", "room.members"),
                        Operation.PRESENCE, List.of("room.members", "room.hidden")))));
    node.awaitReady();
  }

  @AfterAll
  static void stop() throws Exception {
    restricted.close();
    node.close();
    broker.close();
  }

  private static String presence(String topic, String members) {
    return "{\"type\":\"presence\",\"ref\":7,\"topic\":\"" + topic + "\"" + members + "}";
  }

  private static JsonNode enter(RawWebSocket client, String topic, String key) {
    client.text(
        presence(topic, ",\"enter\":true,\"members\":true,\"watch\":true,\"key\":\"" + key + "\""));
    return client.await("present");
  }

  private static TreeSet<String> ids(JsonNode frame) {
    TreeSet<String> ids = new TreeSet<>();
    StreamSupport.stream(frame.path("members").spliterator(), false)
        .forEach(member -> ids.add(member.get("id").asText()));
    return ids;
  }

  @Test
  void shouldNotifyOfMembersThatJoinAndLeave() {
    try (RawWebSocket ann = node.json()) {
      JsonNode state = enter(ann, "room.join", "a");
      String id = state.get("self").asText();
      assertThat(state.get("ref").asInt()).isEqualTo(7);
      assertThat(ids(state)).containsExactly(id);
      try (RawWebSocket bob = node.json()) {
        bob.text(presence("room.join", ",\"enter\":true,\"info\":{\"name\":\"Bob\"}"));
        JsonNode answer = bob.await("present");
        assertThat(answer.get("count").asInt()).isEqualTo(2);
        assertThat(answer.has("members")).isFalse();
        JsonNode change = ann.await("present");
        assertThat(change.has("ref")).isFalse();
        assertThat(change.get("count").asInt()).isEqualTo(2);
        JsonNode joined = change.get("joined").get(0);
        assertThat(joined.toString())
            .isEqualTo(
                "{\"id\":\"%s\",\"info\":{\"name\":\"Bob\"}}"
                    .formatted(answer.get("self").asText()));
        bob.text("{\"type\":\"leave\",\"ref\":8,\"topic\":\"room.join\"}");
        assertThat(bob.await("left").toString())
            .isEqualTo("{\"type\":\"left\",\"ref\":8,\"topic\":\"room.join\"}");
        assertThat(ann.await("present").get("left").get(0).asText())
            .isEqualTo(answer.get("self").asText());
      }
    }
  }

  @Test
  void shouldReplaceTheInfoOfAMember() {
    try (RawWebSocket ann = node.json();
        RawWebSocket bob = node.json()) {
      String id = enter(ann, "room.info", "a").get("self").asText();
      bob.text(presence("room.info", ",\"members\":true,\"watch\":true"));
      assertThat(ids(bob.await("present"))).containsExactly(id);
      ann.text(presence("room.info", ",\"enter\":true,\"key\":\"a\",\"info\":1"));
      assertThat(ann.await("present").get("count").asInt()).isEqualTo(1);
      assertThat(bob.await("present").get("joined").toString())
          .isEqualTo("[{\"id\":\"" + id + "\",\"info\":1}]");
    }
  }

  @Test
  void shouldAnswerRequestsThatLaterOnesReplace() {
    try (RawWebSocket ann = node.json()) {
      enter(ann, "room.replace", "a");
      for (int i = 0; i < 3; i++) {
        ann.text(presence("room.replace", ",\"enter\":true,\"key\":\"a\",\"info\":" + i));
      }
      ann.text("{\"type\":\"leave\",\"ref\":8,\"topic\":\"room.replace\"}");
      for (int i = 0; i < 3; i++) {
        assertThat(ann.await("present").get("ref").asInt()).isEqualTo(7);
      }
    }
  }

  @Test
  void shouldServeATopicAfterAnInfoThatCannotBeSent() {
    try (RawWebSocket ann = node.json()) {
      ann.text(presence("room.text", ",\"enter\":true,\"info\":\"\\ud83d\""));
      assertThat(ann.await("error").get("code").asText()).isEqualTo("bad-frame");
      assertThat(enter(ann, "room.text", "a").get("count").asInt()).isEqualTo(1);
    }
  }

  @Test
  void shouldRemoveAClientThatClosesAtOnce() {
    try (RawWebSocket ann = node.json()) {
      enter(ann, "room.close", "a");
      RawWebSocket bob = node.json();
      String id = enter(bob, "room.close", "b").get("self").asText();
      assertThat(ann.await("present").get("count").asInt()).isEqualTo(2);
      long closedNs = System.nanoTime();
      bob.sendClose(1000, "");
      assertThat(ann.await("present").get("left").get(0).asText()).isEqualTo(id);
      assertThat(Duration.ofNanos(System.nanoTime() - closedNs)).isLessThan(Duration.ofSeconds(2));
      bob.close();
    }
  }

  @Test
  void shouldNotShowAReconnectWithinTheGraceTime() {
    try (RawWebSocket ann = node.json()) {
      enter(ann, "room.grace", "a");
      RawWebSocket bob = node.json();
      String id = enter(bob, "room.grace", "b").get("self").asText();
      assertThat(ann.await("present").get("count").asInt()).isEqualTo(2);
      bob.reset();
      try (RawWebSocket again = node.json()) {
        assertThat(enter(again, "room.grace", "b").get("self").asText()).isEqualTo(id);
        try (RawWebSocket cleo = node.json()) {
          enter(cleo, "room.grace", "c");
          JsonNode change = ann.await("present");
          assertThat(change.get("joined")).hasSize(1);
          assertThat(change.get("count").asInt()).isEqualTo(3);
        }
      }
    }
  }

  @Tag("full")
  @Test
  void shouldRemoveALostClientAfterTheGraceTime() {
    try (RawWebSocket ann = node.json()) {
      enter(ann, "room.lost", "a");
      RawWebSocket bob = node.json();
      String id = enter(bob, "room.lost", "b").get("self").asText();
      assertThat(ann.await("present").get("count").asInt()).isEqualTo(2);
      bob.reset();
      assertThat(ann.await("present").get("left").get(0).asText()).isEqualTo(id);
    }
  }

  @Tag("full")
  @Test
  void shouldSendOnlyTheCountBeyondTheLimitOfMembers() {
    List<RawWebSocket> clients = new ArrayList<>();
    try (RawWebSocket watcher = node.json()) {
      watcher.text(presence("room.many", ",\"members\":true,\"watch\":true"));
      assertThat(watcher.await("present").get("members")).isEmpty();
      for (int i = 0; i <= MEMBERS; i++) {
        clients.add(node.json());
        clients.get(i).text(presence("room.many", ",\"enter\":true"));
        clients.get(i).await("present");
      }
      JsonNode last = watcher.await("present");
      while (last.get("count").asInt() <= MEMBERS) {
        last = watcher.await("present");
      }
      assertThat(last.toString())
          .isEqualTo(
              "{\"type\":\"present\",\"topic\":\"room.many\",\"count\":4,\"truncated\":true}");
      clients.get(0).sendClose(1000, "");
      JsonNode listed = watcher.await("present");
      assertThat(listed.get("count").asInt()).isEqualTo(MEMBERS);
      assertThat(ids(listed)).hasSize(MEMBERS);
      assertThat(listed.has("truncated")).isFalse();
    } finally {
      clients.forEach(RawWebSocket::close);
    }
  }

  private static String refusal(RawWebSocket client, String frame) {
    client.text(frame);
    JsonNode error = client.await("error");
    return error.get("code").asText() + ": " + error.get("message").asText();
  }

  @Test
  void shouldRefuseWhatTheOperatorHasNotEnabled() {
    try (RawWebSocket client = node.json()) {
      assertThat(refusal(client, presence("stocks.7", "")))
          .isEqualTo("forbidden: presence is not enabled for the topic at this node: \"stocks.7\"");
      assertThat(refusal(client, presence("room.*", ""))).startsWith("invalid-topic: ");
      assertThat(
              refusal(
                  client, presence("room.a", ",\"enter\":true,\"info\":\"1234567890123456789\"")))
          .isEqualTo("bad-frame: \"info\" has 21 bytes; limits.presence-info is 20");
      assertThat(refusal(client, "{\"type\":\"leave\",\"ref\":1,\"topic\":\"room.a\"}"))
          .isEqualTo("not-subscribed: no presence of this topic");
    }
  }

  @Test
  void shouldLimitTheTopicsOfAClient() {
    try (RawWebSocket client = node.json()) {
      enter(client, "room.1", "a");
      enter(client, "room.2", "a");
      assertThat(refusal(client, presence("room.3", ",\"watch\":true")))
          .isEqualTo("too-many-subscriptions: limit of 2 topics per client reached");
      client.text(presence("room.3", ""));
      assertThat(client.await("present").get("count").asInt()).isZero();
      client.text("{\"type\":\"leave\",\"topic\":\"room.1\"}");
      client.await("left");
      enter(client, "room.3", "a");
    }
  }

  @Test
  void shouldShowMembersOnlyWithThePermission() {
    try (RawWebSocket client = restricted.json()) {
      client.text(presence("room.count", ",\"enter\":true"));
      assertThat(client.await("present").get("count").asInt()).isEqualTo(1);
      assertThat(refusal(client, presence("room.count", ",\"members\":true")))
          .isEqualTo("forbidden: this client may not see the members of \"room.count\"");
      assertThat(refusal(client, presence("room.hidden", ",\"members\":true")))
          .isEqualTo("forbidden: this client may not subscribe to \"room.hidden\"");
      client.text(presence("room.members", ",\"members\":true"));
      assertThat(client.await("present").has("members")).isTrue();
    }
  }

  @Test
  void shouldAnswerAnHttpStream() {
    try (RawWebSocket stream = node.stream(presence("room.stream", "")).open()) {
      assertThat(stream.await("present").get("count").asInt()).isZero();
      assertThat(stream.awaitClose()).isEqualTo(1000);
    }
  }

  @Tag("full")
  @Test
  void shouldShowMembersToTheOperator() {
    try (RawWebSocket ann = node.json()) {
      String id = enter(ann, "room.admin", "a").get("self").asText();
      assertThat(node.admin("/presence?topic=room.admin").body())
          .isEqualTo(
              "{\"topic\":\"room.admin\",\"count\":1,\"members\":[{\"id\":\"%s\",\"subject\":\"\"}],"
                      .formatted(id)
                  + "\"truncated\":false,\"partial\":false}");
      assertThat(node.admin("/presence").statusCode()).isEqualTo(400);
      assertThat(node.metric("sluice_presence_members")).isPositive();
    }
    await().until(() -> node.metric("sluice_presence_members") == 0);
  }
}
