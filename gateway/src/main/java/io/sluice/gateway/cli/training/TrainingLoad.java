package io.sluice.gateway.cli.training;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.SocketFactory;

/**
 * Load of a training run: connections of all kinds, then fan-out to subscribers of all kinds. The
 * cache contains the classes and, on Java 25 and later, the profiles of the methods that it uses.
 * Confined to the main thread.
 */
public final class TrainingLoad {
  /** Begin of the names of all topics. */
  static final String TOPICS = "sluice-aot-cache.";

  private static final int TOPIC_COUNT = 4;
  private static final int CONNECTING_THREADS = 4;
  private static final int RETAINED_CLIENTS = 100;
  private static final int SUBSCRIBERS = 120;
  private static final int PUBLISHED_AT_ONCE = 20;
  private static final int ADMIN_REQUESTS = 20;
  private static final String PAYLOAD = "0123456789abcdef".repeat(32);

  /** Time for the end of a phase after its duration. */
  private static final Duration MARGIN = Duration.ofSeconds(60);

  /** Further members of a subscription: most are plain. */
  private static final List<String> SUBSCRIPTIONS =
      List.of(
          "",
          "",
          "",
          ",\"from\":\"snapshot\"",
          "",
          ",\"delivery\":\"latest\"",
          "",
          ",\"rate\":10",
          "",
          ",\"tagged\":true");

  private final Optional<TrainingCertificate> certificate;
  private final Duration phase;

  private TrainingLoad(Optional<TrainingCertificate> certificate, Duration phase) {
    this.certificate = certificate;
    this.phase = phase;
  }

  /** Prepares a load of a duration; its certificate is created in the folder of the cache. */
  public static TrainingLoad create(AotCacheFile file, Duration duration)
      throws IOException, InterruptedException {
    return new TrainingLoad(TrainingCertificate.create(file.folder()), duration.dividedBy(2));
  }

  Optional<TrainingCertificate> certificate() {
    return certificate;
  }

  /** Applies the load: half of the time for connections, half for fan-out. */
  public void run(TrainedNode node) throws IOException, InterruptedException {
    try {
      // Answered once the broker is connected, before which time would pass without load.
      open(node.port(), 0, "").close();
      for (int i = 0; i < ADMIN_REQUESTS; i++) {
        request(node, "/health/live");
        request(node, "/metrics");
      }
      inParallel(CONNECTING_THREADS, thread -> connectUntil(thread, end(), node.port()));
      fanOut(node.port());
    } catch (IOException e) {
      throw node.failure(e);
    }
  }

  private long end() {
    return System.nanoTime() + phase.toNanos();
  }

  private void request(TrainedNode node, String path) throws IOException {
    SocketFactory sockets =
        certificate
            .<SocketFactory>map(pair -> pair.trust().getSocketFactory())
            .orElse(SocketFactory.getDefault());
    String request = "GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    TrainingClient.open(sockets, node.adminPort(), request, 200).close();
  }

  private interface Task {
    void run(int thread) throws IOException;
  }

  private void inParallel(int threads, Task task) throws IOException, InterruptedException {
    ExecutorService pool = Executors.newFixedThreadPool(threads, TrainingLoad::daemon);
    try {
      List<Future<?>> running = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        int thread = i;
        running.add(
            pool.submit(
                () -> {
                  task.run(thread);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get(phase.plus(MARGIN).toMillis(), TimeUnit.MILLISECONDS);
      }
    } catch (ExecutionException e) {
      throw new IOException(e.getCause().getMessage(), e.getCause());
    } catch (TimeoutException e) {
      throw new IOException("a part of it took over " + phase.plus(MARGIN).toSeconds() + " s", e);
    } finally {
      pool.shutdownNow();
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "training");
    thread.setDaemon(true);
    return thread;
  }

  /** Opens clients one after the other; the newest stay connected. */
  private static void connectUntil(int thread, long endNs, int port) throws IOException {
    Deque<TrainingClient> retained = new ArrayDeque<>();
    for (int i = thread; System.nanoTime() < endNs; i++) {
      retained.add(open(port, i, ""));
      if (retained.size() > RETAINED_CLIENTS) {
        retained.remove().close();
      }
    }
    for (TrainingClient client : retained) {
      client.close();
    }
  }

  private void fanOut(int port) throws IOException, InterruptedException {
    List<TrainingClient> subscribers = new ArrayList<>();
    for (int i = 0; i < SUBSCRIBERS; i++) {
      TrainingClient client = open(port, i, SUBSCRIPTIONS.get(i % SUBSCRIPTIONS.size()));
      subscribers.add(client);
      daemon(client::discardAll).start();
    }
    inParallel(TOPIC_COUNT, topic -> publishUntil(end(), TOPICS + topic, port));
    for (TrainingClient client : subscribers) {
      client.close();
    }
  }

  private static void publishUntil(long endNs, String topic, int port) throws IOException {
    try (TrainingClient publisher = open(port, 0, "")) {
      int ref = 2;
      while (System.nanoTime() < endNs) {
        String[] frames = new String[PUBLISHED_AT_ONCE];
        for (int i = 0; i < frames.length; i++) {
          frames[i] = publish(ref++, topic);
        }
        publisher.send(frames);
        for (int i = 0; i < frames.length; i++) {
          publisher.await("\"published\"");
        }
      }
    }
  }

  private static String publish(int ref, String topic) {
    return "{\"type\":\"publish\",\"ref\":%d,\"topic\":\"%s\",\"payload\":\"%d %s\"}"
        .formatted(ref, topic, ref, PAYLOAD);
  }

  private static TrainingClient open(int port, int number, String members) throws IOException {
    return TrainingKind.of(number).open(port, TOPICS + number % TOPIC_COUNT, members);
  }
}
