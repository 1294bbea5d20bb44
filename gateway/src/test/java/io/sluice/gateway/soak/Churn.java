package io.sluice.gateway.soak;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.gateway.TestNode;
import io.sluice.gateway.protocol.Encoding;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.LongAdder;

/**
 * All clients of a node and the feed: steady clients that read everything, and short-lived
 * visitors. The first failure of any of their threads ends the run. Bound to the test's thread.
 */
final class Churn implements AutoCloseable {
  private static final int STEADY_CLIENTS = 2 * Encoding.SLUICE.size();
  private static final int VISITORS = Visit.values().length;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  private final TestNode node;
  private final Random random;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final CompletableFuture<Void> failure = new CompletableFuture<>();
  private final List<SteadyClient> steady = new ArrayList<>();
  private final Map<Visit, LongAdder> visits = new EnumMap<>(Visit.class);
  private final NumberedFeed feed;

  Churn(TestNode node, TestBroker broker, long seed) throws JMSException {
    this.node = node;
    this.random = new Random(seed);
    for (Visit visit : Visit.values()) {
      visits.put(visit, new LongAdder());
    }
    TestPublisher publisher = new TestPublisher(broker.provider(), broker.url());
    feed = new NumberedFeed(publisher, steady, newRandom(), failure::completeExceptionally);
    for (int i = 0; i < STEADY_CLIENTS; i++) {
      SteadyClient client = steadyClient(i);
      steady.add(client);
      start(client);
    }
  }

  // Each encoding is used twice: once with some topics, once with a pattern.
  private SteadyClient steadyClient(int number) {
    CheckedClient client =
        new CheckedClient(
            node, Encoding.SLUICE.get(number % Encoding.SLUICE.size()), "steady client " + number);
    List<String> topics = NumberedFeed.STEADY;
    String own = topics.get(number % topics.size());
    return new SteadyClient(
        client,
        number < Encoding.SLUICE.size()
            ? List.of(own, topics.get((number + 1) % topics.size()), NumberedFeed.BULK)
            : List.of("steady.*", own));
  }

  private Random newRandom() {
    return new Random(random.nextLong());
  }

  private CompletableFuture<Void> start(Runnable task) {
    return CompletableFuture.runAsync(task, threads)
        .whenComplete(
            (end, thrown) -> {
              if (thrown != null) {
                failure.completeExceptionally(thrown);
              }
            });
  }

  /** Runs visitors for this time. Returns when the last one has disconnected. */
  void run(Duration length) throws Exception {
    feed.start();
    List<Visitor> visitors = new ArrayList<>();
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < VISITORS; i++) {
      Visitor visitor = new Visitor(i, node, feed, newRandom(), visits);
      visitors.add(visitor);
      ends.add(start(visitor));
    }
    watch(length);
    visitors.forEach(Visitor::stop);
    CompletableFuture<Void> allGone =
        CompletableFuture.allOf(ends.toArray(CompletableFuture<?>[]::new));
    CompletableFuture.anyOf(failure, allGone).get(TIMEOUT.toMinutes(), TimeUnit.MINUTES);
    feed.stop();
  }

  private void watch(Duration length) throws ExecutionException, InterruptedException {
    long endNs = System.nanoTime() + length.toNanos();
    for (long left = length.toNanos(); left > 0; left = endNs - System.nanoTime()) {
      try {
        failure.get(Math.min(left, Duration.ofMinutes(1).toNanos()), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        report(Duration.ofNanos(Math.max(0, endNs - System.nanoTime())));
      }
    }
  }

  private void report(Duration left) {
    System.out.printf(
        "soak: %d s left; published %d, read %d; visits %s; closed as slow %.0f%n",
        left.toSeconds(),
        feed.published(),
        steady.stream().mapToLong(SteadyClient::messages).sum(),
        visits,
        slowConsumers());
  }

  /** Waits until the steady clients have read everything and the node serves only them. */
  void settle() {
    await("the steady clients have read everything")
        .atMost(TIMEOUT)
        .until(
            () ->
                failure.isCompletedExceptionally()
                    || steady.stream().allMatch(client -> client.lag() == 0));
    failure.getNow(null);
    steady.forEach(client -> client.assertComplete(feed));
    List<String> wanted = steady.stream().flatMap(c -> c.subscriptions().stream()).toList();
    awaitNode(steady.size(), wanted.size(), wanted.stream().distinct().count());
  }

  private void awaitNode(int connections, int subscriptions, long interests) {
    await("clients, subscriptions and topics are those of the steady clients")
        .atMost(TIMEOUT)
        .untilAsserted(
            () -> {
              assertThat(node.gateway().connections()).as("connections").isEqualTo(connections);
              assertThat(node.metric("sluice_connections")).isEqualTo(connections);
              assertThat(node.metric("sluice_subscriptions")).isEqualTo(subscriptions);
              assertThat(node.metric("sluice_interests")).isEqualTo(interests);
            });
  }

  /**
   * Asserts that each kind of visit took place, and that clients which did not read were closed.
   */
  void assertBusy() {
    visits.forEach((visit, count) -> assertThat(count.sum()).as("visits %s", visit).isPositive());
    assertThat(slowConsumers()).as("slow consumers").isPositive();
  }

  private double slowConsumers() {
    return node.metric("sluice_drops_total{cause=\"slow-consumer\"}");
  }

  /** Disconnects the steady clients. */
  void end() {
    steady.forEach(SteadyClient::close);
    awaitNode(0, 0, 0);
  }

  @Override
  public void close() throws JMSException {
    threads.shutdownNow();
    steady.forEach(SteadyClient::close);
    feed.close();
  }
}
