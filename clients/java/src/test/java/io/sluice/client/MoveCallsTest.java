package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ScriptedNode.Session;
import io.sluice.client.internal.Frame;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import okhttp3.OkHttpClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Publishes and messages of consumers during moves between scripted nodes. */
@Timeout(180)
final class MoveCallsTest extends MoveCase {
  MoveCallsTest() throws Exception {}

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
    published(first, publish);
    earlier.get(TIMEOUT_S, TimeUnit.SECONDS);
    // The pause may end before the answer has arrived.
    await().until(() -> first.has("publish") || second.has("publish"));
    Session session = second.has("publish") ? second : first;
    Frame moved = session.receive("publish");
    assertThat(moved.text("payload")).isEqualTo("2");
    published(session, moved);
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

  @Test
  void shouldNotRequestAClosingConsumerAtTheOtherNode() throws Exception {
    CountDownLatch isDelivered = new CountDownLatch(1);
    CompletableFuture<Void> isReleased = new CompletableFuture<>();
    Consumer consumer =
        client
            .queue("q")
            .consume(
                delivery -> {
                  isDelivered.countDown();
                  isReleased.join();
                });
    Session first = node.welcome();
    deliver(first, first.receive("consume").ref(), "1");
    isDelivered.await();
    CompletableFuture<Void> closing = consumer.closeAsync();
    drain(first);
    Session second = other.welcome();
    await().until(() -> client.state() == ConnectionState.OPEN);
    client.publish("a", "1");
    second.receive("publish");
    isReleased.complete(null);
    closing.get(TIMEOUT_S, TimeUnit.SECONDS);
  }

  @Test
  void shouldRepeatAPublishThatWasSentAtTheEndOfTheMove() throws Exception {
    Session first = node.welcome();
    client.publish("a", "1", PublishOptions.DEFAULT.id("1"));
    first.receive("publish");
    OkHttpClient http = new OkHttpClient();
    CountDownLatch isOpen = new CountDownLatch(1);
    Connection next = new Connection(other.url(), Encoding.JSON, opening(isOpen));
    next.open(http);
    other.welcome();
    isOpen.await();
    client.publishes().onOpen(next);
    first.close(4100);
    await().until(() -> !client.publishes().isSettled(next));
    next.close();
    http.dispatcher().executorService().shutdown();
  }

  private static Connection.Events opening(CountDownLatch isOpen) {
    return new Connection.Events() {
      @Override
      public void onSocket(Connection connection) {
        connection.send(SluiceClient.frame("connect"));
      }

      @Override
      public void onFrame(Connection connection, Frame frame) {
        isOpen.countDown();
      }

      @Override
      public void onEnd(Connection connection, Connection.End end) {}
    };
  }

  private static void deliver(Session session, long ref, String payload) {
    session.send(
        "{\"type\":\"delivery\",\"ref\":%d,\"tag\":1,\"id\":\"%016x\",\"time\":1,\"payload\":\"%s\"}"
            .formatted(ref, 1, payload));
  }
}
