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
 * Publisher of numbered messages, whose topics each begin with 1. It pauses while a steady client
 * lags, so a slow machine makes the run slower but does not fail it. Publishes on one internal
 * thread; any thread may call the other methods.
 */
final class NumberedFeed implements AutoCloseable {
  /** Topics that steady clients are always subscribed to. */
  static final List<String> STEADY = names("steady", 8);

  /** Topics that only visitors subscribe to, so the node opens and closes them. */
  static final List<String> VISITED = names("tide", 20);

  /** Topic of large messages, on which slow readers lag. */
  static final String BULK = "bulk";

  static final List<String> TOPICS =
      Stream.of(STEADY, VISITED, List.of(BULK)).flatMap(List::stream).toList();

  private static final long TICK_MS = 5;
  private static final int TICKS_PER_BULK = 5;
  private static final long MAX_LAG = 256 * 1024;
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

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

  /** Stops publishing; returns when the last message is sent. */
  void stop() throws InterruptedException, ExecutionException {
    ticks.cancel(false);
    thread.submit(() -> {}).get();
  }

  private void tick() {
    try {
      if (listeners.stream().anyMatch(client -> client.lag() > MAX_LAG)) {
        return;
      }
      publish(STEADY.get(random.nextInt(STEADY.size())), length());
      publish(VISITED.get(random.nextInt(VISITED.size())), length());
      if (++tick % TICKS_PER_BULK == 0) {
        publish(BULK, Numbered.MAX_LENGTH);
        bulkBytes.addAndGet(Numbered.MAX_LENGTH);
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

  /** Waits until this many further bytes are published to {@link #BULK}. */
  void awaitBulk(long bytes) {
    long goal = bulkBytes.get() + bytes;
    await("the feed continues").atMost(TIMEOUT).until(() -> bulkBytes.get() >= goal);
  }

  /** Returns the latest number of a topic. */
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
