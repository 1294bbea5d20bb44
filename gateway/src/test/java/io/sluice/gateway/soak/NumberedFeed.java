package io.sluice.gateway.soak;

import static org.awaitility.Awaitility.await;

import io.sluice.testkit.TestPublisher;
import jakarta.jms.JMSException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Publishes to the broker, each topic numbered from 1. It waits whenever a steady client lags, so
 * that a slow machine makes the run slower and not wrong. A thread of its own publishes; the other
 * methods may be called by any.
 */
final class NumberedFeed implements AutoCloseable {
  /** Topics that steady clients always want. */
  static final List<String> STEADY = names("steady", 8);

  /** Topics that only passing clients want, so that they come and go at the node. */
  static final List<String> TIDE = names("tide", 20);

  /** The topic of large messages, on which slow readers fall behind. */
  static final String BULK = "bulk";

  static final List<String> TOPICS =
      Stream.of(STEADY, TIDE, List.of(BULK)).flatMap(List::stream).toList();

  private static final long TICK_MS = 5;
  private static final int TICKS_A_BULK = 5;
  private static final long MOST_LAG = 256 * 1024;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  private final TestPublisher publisher;
  private final List<SteadyClient> listeners;
  private final Consumer<Throwable> failures;
  private final Random random;
  private final Map<String, Long> published = new ConcurrentHashMap<>();
  private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
  private final AtomicLong bulkBytes = new AtomicLong();
  private ScheduledFuture<?> ticks;
  private int tick;

  NumberedFeed(
      TestPublisher publisher,
      List<SteadyClient> listeners,
      Random random,
      Consumer<Throwable> failures) {
    this.publisher = publisher;
    this.listeners = listeners;
    this.random = random;
    this.failures = failures;
  }

  private static List<String> names(String first, int count) {
    return IntStream.range(0, count).mapToObj(i -> first + "." + i).toList();
  }

  void start() {
    ticks = thread.scheduleAtFixedRate(this::tick, 0, TICK_MS, TimeUnit.MILLISECONDS);
  }

  /** Nothing is published after this has returned. */
  void stop() throws InterruptedException, ExecutionException {
    ticks.cancel(false);
    thread.submit(() -> {}).get();
  }

  private void tick() {
    try {
      if (listeners.stream().anyMatch(client -> client.lag() > MOST_LAG)) {
        return;
      }
      publish(STEADY.get(random.nextInt(STEADY.size())), length());
      publish(TIDE.get(random.nextInt(TIDE.size())), length());
      if (++tick % TICKS_A_BULK == 0) {
        publish(BULK, Numbered.LONGEST);
        bulkBytes.addAndGet(Numbered.LONGEST);
      }
    } catch (JMSException | RuntimeException e) {
      failures.accept(e);
      throw new IllegalStateException("the feed ends", e);
    }
  }

  private int length() {
    return random.nextInt(20) == 0 ? random.nextInt(8 * 1024) : random.nextInt(400);
  }

  private void publish(String topic, int length) throws JMSException {
    long number = published.merge(topic, 1L, Long::sum);
    String payload = Numbered.payload(number, length, random);
    listeners.forEach(client -> client.expect(topic, payload.length()));
    publisher.text(topic, payload);
  }

  /** Waits until so many bytes more have been published on {@link #BULK}. */
  void awaitBulk(long bytes) {
    long goal = bulkBytes.get() + bytes;
    await("the feed goes on").atMost(PATIENCE).until(() -> bulkBytes.get() >= goal);
  }

  /** The last number of a topic. */
  long published(String topic) {
    return published.getOrDefault(topic, 0L);
  }

  long published() {
    return published.values().stream().mapToLong(Long::longValue).sum();
  }

  @Override
  public void close() throws JMSException {
    thread.shutdownNow();
    publisher.close();
  }
}
