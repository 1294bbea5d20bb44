package io.sluice.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.client.ScriptedNode.Session;
import io.sluice.client.internal.Frame;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Client with scripted nodes. The gateway's tests run it with real ones. */
@Timeout(180)
final class SluiceClientTest {
  private static final int TIMEOUT_S = 20;

  private final ScriptedNode node = new ScriptedNode();
  private final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
  private SluiceClient client;

  SluiceClientTest() throws Exception {}

  @AfterEach
  void close() {
    client.close();
    node.close();
  }

  private SluiceClientBuilder builder(String... urls) {
    return SluiceClient.builder(urls)
        .backoff(Duration.ofMillis(1), Duration.ofMillis(2))
        .onError(error -> events.add("client " + error.code()));
  }

  private Object next() throws InterruptedException {
    return events.poll(TIMEOUT_S, TimeUnit.SECONDS);
  }

  private Subscription subscribe(SubscribeOptions options) {
    return client.subscribe(
        "a",
        options,
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
            events.add(state);
          }

          @Override
          public void onError(SluiceException error) {
            events.add(error.code());
          }
        });
  }

  private static void assertFails(CompletableFuture<?> future, String code) {
    assertThatThrownBy(() -> future.get(TIMEOUT_S, TimeUnit.SECONDS))
        .isInstanceOf(ExecutionException.class)
        .satisfies(e -> assertThat(((SluiceException) e.getCause()).code()).isEqualTo(code));
  }

  @Test
  void shouldResumeByPositionAndDropDuplicates() throws Exception {
    node.expect().expect();
    client = builder(node.url()).build();
    Subscription subscription = subscribe(SubscribeOptions.DEFAULT);
    Session first = node.welcome();
    assertThat(first.subscribed(",\"offset\":4,\"time\":7").has("from")).isFalse();
    first.message(5);
    assertThat(List.of(next(), next())).isEqualTo(List.of(SubscriptionState.LIVE, "5"));
    assertThat(subscription.position())
        .isEqualTo(new Position("e", 5, List.of("0000000000000005"), 7L, null));
    first.close(4000);

    Session second = node.welcome();
    Map<?, ?> from = second.subscribed(",\"offset\":6,\"replay\":2,\"recovered\":true").map("from");
    assertThat(from.get("offset")).isEqualTo(5L);
    second.message(5);
    second.message(6);
    assertThat(List.of(next(), next(), next()))
        .isEqualTo(List.of(SubscriptionState.PENDING, SubscriptionState.LIVE, "6"));
  }

  @Test
  void shouldReportGapAndRefusal() throws Exception {
    node.expect();
    client = builder(node.url()).build();
    subscribe(SubscribeOptions.DEFAULT.fromSnapshot());
    Session session = node.welcome();
    Frame subscribe = session.subscribed(",\"offset\":4,\"time\":7");
    assertThat(subscribe.text("from")).isEqualTo("snapshot");
    session.send(
        "{\"type\":\"gap\",\"topic\":\"a\",\"reason\":\"overload\",\"offset\":9,\"time\":8}");
    session.send(
        "{\"type\":\"error\",\"ref\":%d,\"code\":\"forbidden\",\"message\":\"no\",\"topic\":\"a\"}"
            .formatted(subscribe.ref()));
    assertThat(List.of(next(), next(), next(), next()))
        .isEqualTo(
            List.of(
                SubscriptionState.LIVE, "gap overload", SubscriptionState.REFUSED, "forbidden"));
  }

  @Test
  void shouldTryTheNextAddressAfterAFailure() throws Exception {
    try (ScriptedNode full = new ScriptedNode().refuse()) {
      node.expect();
      client = builder(full.url(), node.url()).build();
      node.welcome();
    }
  }

  @Test
  void shouldFollowARedirectInsteadOfHello() throws Exception {
    try (ScriptedNode other = new ScriptedNode().expect()) {
      node.expect();
      client = builder(node.url()).build();
      Session first = node.accept();
      assertThat(first.receive("connect").has("redirected")).isFalse();
      first.send("{\"type\":\"redirect\",\"url\":\"%s\"}".formatted(other.url()));
      assertThat(other.accept().receive("connect").flag("redirected")).isTrue();
    }
  }

  @Test
  void shouldNotFollowInsecureRedirects() {
    client = builder(node.url()).build();
    assertThat(RedirectUrl.isUsable("wss://a/ws", "ws://b/ws")).isFalse();
    assertThat(RedirectUrl.isUsable("wss://a/ws", "wss://b/ws")).isTrue();
    assertThat(RedirectUrl.isUsable("ws://a/ws", "ws://b/ws")).isTrue();
    assertThat(RedirectUrl.isUsable("ws://a/ws", "http://b/ws")).isFalse();
    assertThat(RedirectUrl.isUsable("ws://a/ws", "ws://b/ws#c")).isFalse();
  }

  @Test
  void shouldRejectRedirectsToInvalidUrls() throws Exception {
    node.expect().expect();
    client = builder(node.url()).build();
    assertThat(RedirectUrl.isUsable("ws://a/ws", "ws://")).isFalse();
    assertThat(RedirectUrl.isUsable("ws://a/ws", "ws://b:99999/ws")).isFalse();
    Session first = node.accept();
    first.send("{\"type\":\"redirect\",\"url\":\"ws://a b/ws\"}");
    assertThat(next()).isEqualTo("client bad-answer");
    first.close(4100);
    node.welcome();
  }

  @Test
  void shouldReadRetryAfter() {
    client = builder(node.url()).build();
    Response.Builder response =
        new Response.Builder()
            .request(new Request.Builder().url("http://a/").build())
            .protocol(Protocol.HTTP_1_1)
            .code(503)
            .message("");
    Map<String, Long> expected =
        Map.of(
            "7", 7_000L,
            "0", 0L,
            "60", 60_000L,
            "61", 60_000L,
            "99999999999999999999", 60_000L,
            "-5", 0L,
            "2.5", 0L,
            "soon", 0L,
            "Wed, 21 Oct 2037 07:28:00 GMT", 0L);
    expected.forEach(
        (header, ms) ->
            assertThat(Connection.retryAfterMs(response.header("Retry-After", header).build()))
                .as(header)
                .isEqualTo(ms));
    assertThat(Connection.retryAfterMs(response.removeHeader("Retry-After").build())).isZero();
    assertThat(Connection.retryAfterMs(null)).isZero();
  }

  @Test
  void shouldContinueAfterFailuresOfAnyKind() throws Exception {
    node.expect();
    client = builder(node.url()).build();
    client.subscribe(
        "a",
        new SubscriptionListener() {
          @Override
          public void onMessage(Message message) {
            events.add(message.text());
            sneak(new IOException(message.text()));
          }

          @Override
          public void onError(SluiceException error) {
            sneak(new AssertionError(error));
          }
        });
    client.queue("q").consume(delivery -> sneak(new AssertionError("all fail")));
    Session session = node.welcome();
    session.subscribed(",\"offset\":0,\"time\":7");
    session.message(1);
    session.message(2);
    assertThat(List.of(next(), next())).isEqualTo(List.of("1", "2"));
    Frame consume = session.receive("consume");
    deliver(session, consume, 1, "x");
    deliver(session, consume, 2, "x");
    assertThat(session.receive("release").number("tag")).isEqualTo(1);
    assertThat(session.receive("release").number("tag")).isEqualTo(2);
  }

  // As a callback in Kotlin may do.
  @SuppressWarnings("unchecked")
  private static <E extends Throwable> void sneak(Throwable failure) throws E {
    throw (E) failure;
  }

  @Test
  void shouldRepeatOnlyPublishesWithAnId() throws Exception {
    node.expect().expect();
    client = builder(node.url()).build();
    CompletableFuture<Void> once = client.publish("a", "1");
    CompletableFuture<Void> repeated =
        client.publish("a", "2", PublishOptions.DEFAULT.id("x").property("p", 1));
    Session first = node.welcome();
    first.receive("publish");
    first.receive("publish");
    first.close(1011);
    assertFails(once, "connection-lost");
    Session second = node.welcome();
    Frame publish = second.receive("publish");
    assertThat(publish.text("payload")).isEqualTo("2");
    second.send("{\"type\":\"published\",\"ref\":%d}".formatted(publish.ref()));
    repeated.get(TIMEOUT_S, TimeUnit.SECONDS);
  }

  @Test
  void shouldLimitUnansweredPublishesAndTheirTime() {
    client = builder(node.url()).maxPublishes(1).publishTimeout(Duration.ofMillis(50)).build();
    CompletableFuture<Void> first = client.publish("a", "1");
    assertFails(client.publish("a", "2"), "publish-queue-full");
    assertFails(first, "publish-timeout");
  }

  @Test
  void shouldStopReadingWhileListenersAreSlow() throws Exception {
    node.expect();
    client = builder(node.url()).maxQueuedFrames(2).build();
    CountDownLatch isReleased = new CountDownLatch(1);
    client.subscribe(
        "a",
        message -> {
          events.add(message.text());
          awaitLatch(isReleased);
        });
    Session session = node.welcome();
    session.subscribed(",\"offset\":0,\"time\":7");
    for (int offset = 1; offset <= 10; offset++) {
      session.message(offset);
    }
    // The client does not read it before the messages.
    session.send("{\"type\":\"stale\"}");
    assertThat(next()).isEqualTo("1");
    await().until(() -> client.state() == ConnectionState.OPEN);
    isReleased.countDown();
    for (int offset = 2; offset <= 10; offset++) {
      assertThat(next()).isEqualTo(String.valueOf(offset));
    }
    await().until(() -> client.state() == ConnectionState.STALE);
  }

  @Test
  void shouldReadAnswersWhileAListenerWaitsWithAFullQueue() throws Exception {
    node.expect();
    client = builder(node.url()).maxQueuedFrames(2).build();
    client.subscribe(
        "a",
        message -> {
          client.publish("b", message.text()).join();
          events.add(message.text());
        });
    Session session = node.welcome();
    session.subscribed(",\"offset\":0,\"time\":7");
    for (int offset = 1; offset <= 20; offset++) {
      session.message(offset);
    }
    for (int offset = 1; offset <= 20; offset++) {
      long ref = session.receive("publish").ref();
      session.send("{\"type\":\"published\",\"ref\":%d}".formatted(ref));
      assertThat(next()).isEqualTo(String.valueOf(offset));
    }
  }

  @Test
  void shouldRequestAgainAfterATemporaryRefusal() throws Exception {
    node.expect();
    client = builder(node.url()).build();
    subscribe(SubscribeOptions.DEFAULT);
    client.queue("q").consume(delivery -> {});
    Session session = node.welcome();
    for (String type : List.of("subscribe", "consume")) {
      session.send(
          "{\"type\":\"error\",\"ref\":%d,\"code\":\"rate-limited\",\"message\":\"wait\"}"
              .formatted(session.receive(type).ref()));
    }
    List<String> types = List.of(session.next().type(), session.next().type());
    assertThat(types).containsExactlyInAnyOrder("subscribe", "consume");
  }

  @Test
  void shouldRequestAgainAfterARefreshOfTheCredential() throws Exception {
    node.expect();
    client = builder(node.url()).token("t").build();
    subscribe(SubscribeOptions.DEFAULT);
    client.queue("q").consume(delivery -> {});
    Session session = node.accept();
    session.receive("connect");
    session.send(ScriptedNode.HELLO.formatted(",\"expires\":1100"));
    for (String type : List.of("subscribe", "consume")) {
      session.send(
          "{\"type\":\"error\",\"ref\":%d,\"code\":\"forbidden\",\"message\":\"no\"}"
              .formatted(session.receive(type).ref()));
    }
    session.send(
        "{\"type\":\"refreshed\",\"ref\":%d,\"expires\":9007199254740993}"
            .formatted(session.receive("refresh").ref()));
    List<String> types = List.of(session.next().type(), session.next().type());
    assertThat(types).containsExactlyInAnyOrder("subscribe", "consume");
  }

  @ParameterizedTest
  @ValueSource(strings = {"3000000000", "9007199254740993", "9223372036854775807", "1e300"})
  void shouldOpenWithAFarExpiry(String expires) throws Exception {
    node.expect();
    client = builder(node.url()).token("t").build();
    Session session = node.accept();
    session.receive("connect");
    session.send(ScriptedNode.HELLO.formatted(",\"expires\":" + expires));
    subscribe(SubscribeOptions.DEFAULT);
    session.receive("subscribe");
    await().until(() -> client.state() == ConnectionState.OPEN);
  }

  private static void awaitLatch(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void shouldUseOneNewTokenAfterExpiryAndThenStop() throws Exception {
    node.expect().expect();
    AtomicInteger tokens = new AtomicInteger();
    client = builder(node.url()).token(() -> "t" + tokens.incrementAndGet()).build();
    CompletableFuture<Void> published = client.publish("a", "1");
    Session first = node.accept();
    assertThat(first.receive("connect").text("token")).isEqualTo("t1");
    first.close(4201);
    Session second = node.accept();
    assertThat(second.receive("connect").text("token")).isEqualTo("t2");
    second.close(4200);
    assertFails(published, "closed");
    assertThat(next()).isEqualTo("client refused");
    assertThat(client.state()).isEqualTo(ConnectionState.CLOSED);
    assertThatThrownBy(() -> client.publish("a", "2")).isInstanceOf(SluiceException.class);
  }

  private static String jwt(String subject) {
    byte[] claims = ("{\"sub\":\"" + subject + "\"}").getBytes(StandardCharsets.UTF_8);
    return "e30." + Base64.getUrlEncoder().withoutPadding().encodeToString(claims) + ".e30";
  }

  @Test
  void shouldCloseWithATokenOfAnotherSubject() throws Exception {
    node.expect();
    AtomicInteger tokens = new AtomicInteger();
    client =
        builder(node.url()).token(() -> jwt(tokens.incrementAndGet() == 1 ? "ann" : "bob")).build();
    Session session = node.accept();
    session.receive("connect");
    session.send(ScriptedNode.HELLO.formatted(",\"expires\":1,\"subject\":\"ann\""));
    CompletableFuture<Void> published = client.publish("a", "1");
    session.receive("publish");
    assertThat(session.next().type()).isEqualTo("closed");
    assertThat(published).failsWithin(Duration.ofSeconds(TIMEOUT_S));
    assertThat(next()).isEqualTo("client identity-changed");
    assertThat(client.state()).isEqualTo(ConnectionState.CLOSED);
  }

  @Test
  void shouldCloseWithAHelloOfAnotherSubject() throws Exception {
    node.expect().expect();
    client = builder(node.url()).token("opaque").build();
    Session first = node.accept();
    first.receive("connect");
    first.send(ScriptedNode.HELLO.formatted(",\"subject\":\"ann\""));
    first.close(4000);
    Session second = node.accept();
    second.receive("connect");
    CompletableFuture<Void> published = client.publish("a", "1");
    second.send(ScriptedNode.HELLO.formatted(",\"subject\":\"bob\""));
    assertFails(published, "closed");
    assertThat(next()).isEqualTo("client identity-changed");
    assertThat(second.next().type()).isEqualTo("closed");
  }

  @Test
  void shouldCloseAtLogout() throws Exception {
    node.expect();
    client =
        builder(node.url())
            .token(
                () -> {
                  throw new LoggedOutException();
                })
            .build();
    assertThat(next()).isEqualTo("client logged-out");
    assertThat(client.state()).isEqualTo(ConnectionState.CLOSED);
  }

  @Test
  void shouldRefreshTheTokenBeforeItExpires() throws Exception {
    node.expect();
    client = builder(node.url()).token("t").build();
    Session session = node.accept();
    session.receive("connect");
    session.send(ScriptedNode.HELLO.formatted(",\"expires\":1100"));
    assertThat(session.receive("refresh").text("token")).isEqualTo("t");
  }

  @Test
  void shouldRetryAfterAFailureOfTheTokenSupplier() throws Exception {
    node.expect().expect();
    AtomicInteger calls = new AtomicInteger();
    client =
        builder(node.url())
            .token(
                () -> {
                  if (calls.incrementAndGet() == 1) {
                    throw new IllegalStateException("offline");
                  }
                  return "t";
                })
            .build();
    node.accept();
    assertThat(node.accept().receive("connect").text("token")).isEqualTo("t");
    assertThat(next()).isEqualTo("client no-token");
  }

  @Test
  void shouldSettleByTheOutcomeOfTheHandler() throws Exception {
    node.expect();
    client = builder(node.url()).build();
    ConsumeOptions options =
        ConsumeOptions.DEFAULT.credit(3).onError(error -> events.add(error.code()));
    Consumer consumer = client.queue("q").consume(this::handle, options);
    Session session = node.welcome();
    Frame consume = session.receive("consume");
    assertThat(consume.number("credit")).isEqualTo(3);
    session.send("{\"type\":\"consuming\",\"ref\":%d,\"queue\":\"q\"}".formatted(consume.ref()));
    deliver(session, consume, 1, "good");
    deliver(session, consume, 2, "bad");
    deliver(session, consume, 3, "mine");
    assertThat(session.receive("ack").number("tag")).isEqualTo(1);
    assertThat(session.receive("release").number("tag")).isEqualTo(2);
    assertThat(session.receive("reject").number("tag")).isEqualTo(3);
    assertThat(next()).isEqualTo("handler-failed");
    CompletableFuture<Void> closed = consumer.closeAsync();
    assertThat(session.receive("credit").number("credit")).isZero();
    assertThat(session.receive("unsubscribe").number("subscription")).isEqualTo(consume.ref());
    closed.get(TIMEOUT_S, TimeUnit.SECONDS);
    assertThat(consumer.state()).isEqualTo(ConsumerState.CLOSED);
  }

  private void handle(Delivery delivery) {
    if (delivery.text().equals("bad")) {
      throw new IllegalArgumentException("bad");
    }
    if (delivery.text().equals("mine")) {
      delivery.reject();
    }
  }

  private static void deliver(Session session, Frame consume, int tag, String payload) {
    session.send(
        "{\"type\":\"delivery\",\"ref\":%d,\"tag\":%d,\"id\":\"%016x\",\"time\":1,\"payload\":\"%s\"}"
            .formatted(consume.ref(), tag, tag, payload));
  }

  @Test
  void shouldLetListenersWaitForAnswers() throws Exception {
    node.expect();
    client = builder(node.url()).build();
    client.subscribe("a", message -> events.add(client.request("b", "?").join().text()));
    Session session = node.welcome();
    session.subscribed(",\"offset\":0,\"time\":7");
    session.message(1);
    session.send(
        "{\"type\":\"reply\",\"ref\":%d,\"id\":\"0000000000000001\",\"time\":1,\"payload\":\"!\"}"
            .formatted(session.receive("request").ref()));
    assertThat(next()).isEqualTo("!");
  }
}
