package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ScriptedNode.Session;
import io.sluice.client.internal.Frame;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Presence with scripted nodes. */
@Timeout(180)
final class PresenceTest {
  private static final int TIMEOUT_S = 20;
  private static final PresenceMember ANN = new PresenceMember("a", "ann", Map.of("name", "Ann"));
  private static final String ANN_JSON =
      "{\"id\":\"a\",\"subject\":\"ann\",\"info\":{\"name\":\"Ann\"}}";

  private final ScriptedNode node = new ScriptedNode();
  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
  private SluiceClient client;

  PresenceTest() throws Exception {}

  @AfterEach
  void close() {
    client.close();
    node.close();
  }

  private void connect() {
    client =
        SluiceClient.builder(node.url())
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .onError(error -> events.add("client " + error.code()))
            .build();
  }

  private Session welcome() throws InterruptedException {
    Session session = node.accept();
    session.receive("connect");
    session.send(ScriptedNode.HELLO.replace("selectors", "presence").formatted(""));
    return session;
  }

  private CompletableFuture<Presence> enter() {
    PresenceOptions options = PresenceOptions.DEFAULT.info(Map.of("name", "Ann"));
    return client.presence(
        "room.1",
        options.onChange(presence -> events.add(List.of(presence.count(), presence.isLive()))));
  }

  private static void present(Session session, Frame request, String members) {
    session.send(
        "{\"type\":\"present\",\"ref\":%d,\"topic\":\"room.1\"%s}"
            .formatted(request.ref(), members));
  }

  private static void change(Session session, String members) {
    session.send("{\"type\":\"present\",\"topic\":\"room.1\"%s}".formatted(members));
  }

  private Object next() throws InterruptedException {
    return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
  }

  @Test
  void shouldEnterATopicAndFollowItsMembers() throws Exception {
    node.expect();
    connect();
    CompletableFuture<Presence> entering = enter();
    Session session = welcome();
    Frame request = session.receive("presence");
    assertThat(List.of(request.flag("enter"), request.flag("watch"), request.flag("members")))
        .containsOnly(true);
    assertThat(request.text("key")).hasSizeGreaterThan(20);
    assertThat(request.get("info")).isEqualTo(Map.of("name", "Ann"));
    change(session, ",\"count\":9");
    present(session, request, ",\"self\":\"a\",\"count\":1,\"members\":[" + ANN_JSON + "]");
    Presence presence = entering.get(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(presence.members()).containsExactly(ANN);
    assertThat(presence.self()).isEqualTo("a");
    change(session, ",\"count\":2,\"joined\":[{\"id\":\"b\"}]");
    assertThat(List.of(next(), next())).containsExactly(List.of(1, true), List.of(2, true));
    assertThat(presence.members()).containsExactly(ANN, new PresenceMember("b", null, null));
    change(session, ",\"count\":500,\"truncated\":true,\"partial\":true");
    assertThat(next()).isEqualTo(List.of(500, true));
    assertThat(presence.members()).isNull();
    assertThat(presence.isPartial()).isTrue();
    change(session, ",\"count\":1,\"members\":[" + ANN_JSON + "]");
    change(session, ",\"count\":0,\"left\":[\"a\"]");
    assertThat(List.of(next(), next())).containsExactly(List.of(1, true), List.of(0, true));
    assertThat(presence.members()).isEmpty();
  }

  @Test
  void shouldUpdateAndLeave() throws Exception {
    node.expect();
    connect();
    CompletableFuture<Presence> entering = enter();
    Session session = welcome();
    Frame request = session.receive("presence");
    present(session, request, ",\"self\":\"a\",\"count\":1");
    Presence presence = entering.get(TIMEOUT_S, TimeUnit.SECONDS);
    assertThatIllegalStateException().isThrownBy(this::enter).withMessageContaining("room.1");
    presence.update("away");
    Frame update = session.receive("presence");
    assertThat(update.text("info")).isEqualTo("away");
    assertThat(update.text("key")).isEqualTo(request.text("key"));
    assertThatIllegalArgumentException().isThrownBy(() -> presence.update(new Object()));
    presence.leave();
    presence.leave();
    assertThat(session.receive("leave").text("topic")).isEqualTo("room.1");
    client.presence("room.1", PresenceOptions.DEFAULT.watchOnly().countOnly());
    Frame watch = session.receive("presence");
    assertThat(List.of(watch.has("enter"), watch.has("members"), watch.has("key")))
        .containsOnly(false);
    assertThat(watch.flag("watch")).isTrue();
  }

  @Test
  void shouldEnterAgainAfterAReconnectWithTheSameKey() throws Exception {
    node.expect().expect();
    connect();
    CompletableFuture<Presence> entering = enter();
    Session first = welcome();
    Frame request = first.receive("presence");
    present(first, request, ",\"count\":1");
    entering.get(TIMEOUT_S, TimeUnit.SECONDS);
    first.close(1011);
    Session second = welcome();
    Frame again = second.receive("presence");
    assertThat(again.text("key")).isEqualTo(request.text("key"));
    present(second, again, ",\"count\":2");
    assertThat(List.of(next(), next(), next()))
        .containsExactly(List.of(1, true), List.of(1, false), List.of(2, true));
  }

  @Test
  void shouldFailIfItIsNotPermitted() throws Exception {
    node.expect();
    connect();
    CompletableFuture<Presence> entering = enter();
    Session session = welcome();
    error(session, session.receive("presence"), "forbidden");
    assertThatThrownBy(() -> entering.get(TIMEOUT_S, TimeUnit.SECONDS))
        .satisfies(e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo("forbidden"));
    CompletableFuture<Presence> again = enter();
    Frame request = session.receive("presence");
    present(session, request, ",\"count\":1");
    Presence presence = again.get(TIMEOUT_S, TimeUnit.SECONDS);
    error(session, request, "rate-limited");
    assertThat(session.receive("presence").text("topic")).isEqualTo("room.1");
    await().until(() -> !presence.isLive());
    assertThat(events).contains("client rate-limited");
  }

  private static void error(Session session, Frame request, String code) {
    session.send(
        "{\"type\":\"error\",\"ref\":%d,\"code\":\"%s\",\"message\":\"no\",\"topic\":\"room.1\"}"
            .formatted(request.ref(), code));
  }

  @Test
  void shouldFailAtANodeWithoutPresence() throws Exception {
    node.expect();
    connect();
    CompletableFuture<Presence> entering = enter();
    node.welcome();
    assertThatThrownBy(() -> entering.get(TIMEOUT_S, TimeUnit.SECONDS))
        .satisfies(
            e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo("unsupported"));
  }
}
