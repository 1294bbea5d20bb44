package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
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
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Make-before-break moves between scripted nodes. */
@Timeout(60)
final class MoveTest {
  private static final int TIMEOUT_S = 20;
  private static final String OTHER_EPOCH = ",\"epoch\":\"f\"";

  private final ScriptedNode node = new ScriptedNode();
  private final ScriptedNode other = new ScriptedNode();
  private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
  private SluiceClient client;

  MoveTest() throws Exception {}

  @BeforeEach
  void connect() {
    node.expect();
    other.expect();
    client =
        SluiceClient.builder(node.url())
            .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
            .onError(error -> events.add("client " + error.code()))
            .build();
  }

  @AfterEach
  void close() {
    client.close();
    node.close();
    other.close();
  }

  private Subscription subscribe() {
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

  private String next() throws InterruptedException {
    return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
  }

  private Session live() throws InterruptedException {
    Session session = node.welcome();
    session.subscribed(",\"offset\":4,\"time\":7");
    assertThat(next()).isEqualTo("LIVE");
    return session;
  }

  private void drain(Session session) {
    session.send(
        "{\"type\":\"draining\",\"deadline\":9000000,\"url\":\"%s\"}".formatted(other.url()));
  }

  private void redirect(Session session) {
    session.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(other.url()));
  }

  @Test
  void shouldContinueOnTheOldConnectionUntilTheOtherNodeHasAnswered() throws Exception {
    Subscription subscription = subscribe();
    Session first = live();
    first.message(5);
    drain(first);
    Session second = other.accept();
    assertThat(second.receive("connect").flag("redirected")).isTrue();
    second.send(ScriptedNode.HELLO.formatted(""));
    Frame subscribe = second.receive("subscribe");
    assertThat(subscribe.map("from")).containsEntry("offset", 5L);
    first.message(6);
    assertThat(List.of(next(), next())).containsExactly("5", "6");
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":9,\"replay\":2,\"recovered\":true}"
            .formatted(subscribe.ref()));
    second.message(8, 6);
    second.message(9, 7);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(next()).as("without the repeated message and a state").isEqualTo("7");
    assertThat(subscription.state()).isEqualTo(SubscriptionState.LIVE);
    assertThat(subscription.position().epoch()).isEqualTo("f");
    await().until(() -> client.state() == ConnectionState.OPEN);
  }

  @Test
  void shouldRepeatTheSubscriptionAfterAGap() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    long early = second.receive("subscribe").ref();
    first.send(
        "{\"type\":\"gap\",\"topic\":\"a\",\"reason\":\"overload\",\"offset\":9,\"time\":8}");
    assertThat(next()).isEqualTo("gap overload");
    second.receive("unsubscribe");
    Frame again = second.receive("subscribe");
    assertThat(again.map("from")).containsEntry("offset", 9L);
    // What belongs to the withdrawn request is dropped.
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":1,\"replay\":1,\"recovered\":true}"
            .formatted(early));
    second.message(1, 1);
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":2,\"recovered\":true}"
            .formatted(again.ref()));
    second.message(3, 10);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(next()).isEqualTo("10");
  }

  @Test
  void shouldStayIfARedirectLeadsToTheSameNode() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    second.subscribed(",\"offset\":4,\"recovered\":true");
    assertThat(second.receive("closed").number("code")).isEqualTo(1000);
    first.message(5);
    assertThat(next()).isEqualTo("5");
    await().until(() -> client.state() == ConnectionState.OPEN);
  }

  @Test
  void shouldStayIfARedirectLeadsToANodeThatRefusesTheSubscription() throws Exception {
    subscribe();
    Session first = live();
    redirect(first);
    Session second = other.welcome();
    second.send(
        "{\"type\":\"error\",\"ref\":%d,\"code\":\"forbidden\",\"message\":\"no\",\"topic\":\"a\"}"
            .formatted(second.receive("subscribe").ref()));
    assertThat(second.receive("closed").number("code")).isEqualTo(1000);
    first.message(5);
    assertThat(next()).isEqualTo("5");
  }

  @Test
  void shouldTryAgainWhileTheNodeDrains() throws Exception {
    subscribe();
    Session first = live();
    node.refuse().expect();
    first.send("{\"type\":\"draining\",\"deadline\":9000000}");
    Session second = node.welcome();
    second.subscribed(",\"offset\":4,\"recovered\":true" + OTHER_EPOCH);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    second.message(5);
    assertThat(next()).isEqualTo("5");
  }

  @Test
  void shouldContinueOnTheOtherNodeIfTheConnectionEndsDuringTheMove() throws Exception {
    subscribe();
    Session first = live();
    drain(first);
    Session second = other.welcome();
    Frame subscribe = second.receive("subscribe");
    first.message(5);
    first.close(4100);
    assertThat(next()).isEqualTo("5");
    second.send(
        "{\"type\":\"subscribed\",\"ref\":%d,\"topic\":\"a\",\"epoch\":\"f\",\"offset\":6,\"replay\":2,\"recovered\":true}"
            .formatted(subscribe.ref()));
    second.message(5, 5);
    second.message(6, 6);
    assertThat(next()).isEqualTo("6");
  }

  @Test
  void shouldLeaveTheNodeAtItsDeadline() throws Exception {
    subscribe();
    Session first = live();
    node.expect().expect().expect();
    first.send("{\"type\":\"draining\",\"deadline\":1001,\"url\":\"ws://127.0.0.1:1/ws\"}");
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    assertThat(nextSubscribe().map("from")).containsEntry("offset", 4L);
  }

  // Attempts to move may reach the node before the deadline, which closes them at any point.
  private Frame nextSubscribe() throws InterruptedException {
    while (true) {
      Session session = node.accept();
      if (session.next().type().equals("connect")) {
        session.hello();
        Frame next = session.next();
        if (next.type().equals("subscribe")) {
          return next;
        }
      }
    }
  }

  @Test
  void shouldSendPublishesInTheirOrder() throws Exception {
    Session first = node.welcome();
    CompletableFuture<Void> earlier = client.publish("a", "1");
    Frame publish = first.receive("publish");
    drain(first);
    Session second = other.welcome();
    // All of nothing is answered there, so further publishes wait for the answer here.
    await().until(() -> client.publishes().isPaused());
    CompletableFuture<Void> later = client.publish("a", "2");
    first.send("{\"type\":\"published\",\"ref\":%d}".formatted(publish.ref()));
    earlier.get(TIMEOUT_S, TimeUnit.SECONDS);
    Frame moved = second.receive("publish");
    assertThat(moved.text("payload")).isEqualTo("2");
    second.send("{\"type\":\"published\",\"ref\":%d}".formatted(moved.ref()));
    later.get(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
  }

  @Test
  void shouldLetListenersWaitForPublishesDuringTheMove() throws Exception {
    client.subscribe(
        "a",
        message -> {
          client.publish("b", message.text()).join();
          events.add(message.text());
        });
    Session first = node.welcome();
    first.subscribed(",\"offset\":4,\"time\":7");
    client.publish("c", "unanswered");
    Frame unanswered = first.receive("publish");
    drain(first);
    Session second = other.welcome();
    second.subscribed(",\"offset\":9,\"replay\":2,\"recovered\":true" + OTHER_EPOCH);
    await().until(() -> client.publishes().isPaused());
    first.message(5);
    published(first, first.receive("publish"));
    assertThat(next()).isEqualTo("5");
    second.message(8, 5);
    second.message(9, 6);
    published(first, unanswered);
    published(second, second.receive("publish"));
    assertThat(next()).isEqualTo("6");
  }

  @Test
  void shouldReconnectWhileAListenerWaitsForAPublish() throws Exception {
    client.subscribe(
        "a",
        message -> {
          client.publish("b", "1", PublishOptions.DEFAULT.id("1")).join();
          events.add(message.text());
        });
    Session first = node.welcome();
    first.subscribed(",\"offset\":4,\"time\":7");
    node.expect();
    drain(first);
    other.welcome().receive("subscribe");
    first.message(5);
    first.receive("publish");
    first.close(4100);
    Session last = node.welcome();
    published(last, last.receive("publish"));
    assertThat(next()).isEqualTo("5");
  }

  private static void published(Session session, Frame publish) {
    session.send("{\"type\":\"published\",\"ref\":%d}".formatted(publish.ref()));
  }

  @Test
  void shouldSettleMessagesOfQueuesWhereTheyWereDelivered() throws Exception {
    BlockingQueue<Delivery> deliveries = new LinkedBlockingQueue<>();
    client.queue("q").consume(deliveries::add, ConsumeOptions.DEFAULT.credit(5).manual());
    Session first = node.welcome();
    Frame consume = first.receive("consume");
    deliver(first, consume.ref(), "1");
    Delivery early = deliveries.poll(TIMEOUT_S, TimeUnit.SECONDS);
    drain(first);
    Session second = other.welcome();
    Frame again = second.receive("consume");
    assertThat(again.number("credit")).isEqualTo(5);
    Frame credit = first.receive("credit");
    assertThat(List.of(credit.number("subscription"), credit.number("credit")))
        .containsExactly(consume.ref(), 0L);
    deliver(second, again.ref(), "2");
    Delivery late = deliveries.poll(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(late.text()).isEqualTo("2");
    CompletableFuture<Void> acked = early.ack();
    Frame ack = first.receive("ack");
    assertThat(ack.number("subscription")).isEqualTo(consume.ref());
    first.send(
        "{\"type\":\"settled\",\"ref\":%d,\"subscription\":%d}"
            .formatted(ack.ref(), consume.ref()));
    acked.get(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(first.receive("closed").number("code")).isEqualTo(1000);
    late.ack();
    assertThat(second.receive("ack").number("subscription")).isEqualTo(again.ref());
  }

  private static void deliver(Session session, long ref, String payload) {
    session.send(
        "{\"type\":\"delivery\",\"ref\":%d,\"tag\":1,\"id\":\"%016x\",\"time\":1,\"payload\":\"%s\"}"
            .formatted(ref, 1, payload));
  }

  @Test
  void shouldFollowOneRedirectOfTheOtherNode() throws Exception {
    subscribe();
    Session first = live();
    try (ScriptedNode third = new ScriptedNode().expect()) {
      first.send("{\"type\":\"draining\",\"deadline\":9000000}");
      node.expect();
      Session second = node.accept();
      second.receive("connect");
      second.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(third.url()));
      Session last = third.accept();
      assertThat(last.receive("connect").flag("redirected")).isTrue();
      last.send(ScriptedNode.HELLO.formatted(""));
      assertThat(last.receive("subscribe").map("from"))
          .isEqualTo(Map.of("epoch", "e", "offset", 4L, "since", 7L));
    }
  }
}
