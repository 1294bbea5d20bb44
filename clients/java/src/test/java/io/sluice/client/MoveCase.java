package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.client.ScriptedNode.Session;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** Two scripted nodes, and a client at the first one. */
abstract class MoveCase {
  static final int TIMEOUT_S = 20;
  static final String OTHER_EPOCH = ",\"epoch\":\"f\"";

  final ScriptedNode node = new ScriptedNode();
  final ScriptedNode other = new ScriptedNode();
  final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  final BlockingQueue<ConnectionState> states = new LinkedBlockingQueue<>();
  SluiceClient client;

  MoveCase() throws Exception {}

  @BeforeEach
  void connect() {
    node.expect();
    other.expect();
    client =
        SluiceClient.builder(node.url())
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .onError(error -> events.add("client " + error.code()))
            .onState(states::add)
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    node.close();
    other.close();
  }

  Subscription subscribe() {
    return client.subscribe(
        "a",
        new SubscriptionListener() {
          @Override
          public void onMessage(Message message) {
            events.add(message.text());
          }

          @Override
          public void onGap(Gap gap) {
            events.add("gap " + gap.reason());
          }

          @Override
          public void onState(SubscriptionState state) {
            events.add(state.name());
          }
        });
  }

  String next() throws InterruptedException {
    return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
  }

  Session live() throws InterruptedException {
    Session session = node.welcome();
    session.subscribed(",\"offset\":4,\"time\":7");
    assertThat(next()).isEqualTo("LIVE");
    return session;
  }

  void drain(Session session) {
    session.send(
        "{\"type\":\"draining\",\"deadline\":9000000,\"url\":\"%s\"}".formatted(other.url()));
  }

  void redirect(Session session) {
    session.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(other.url()));
  }

  /** Refuses the next subscribe. */
  static void forbid(Session session) throws InterruptedException {
    session.send(
        "{\"type\":\"error\",\"ref\":%d,\"code\":\"forbidden\",\"message\":\"no\",\"topic\":\"a\"}"
            .formatted(session.receive("subscribe").ref()));
  }
}
