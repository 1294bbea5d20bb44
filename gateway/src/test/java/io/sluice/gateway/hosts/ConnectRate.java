package io.sluice.gateway.hosts;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Maximum rate of accepted connections, sampled every second. Any thread may call it. */
final class ConnectRate implements AutoCloseable {
  private static final String SAMPLE = "sluice_connections_opened_total ";
  private static final Duration TIMEOUT = Duration.ofMillis(500);

  private final HttpClient http = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "connects");
            thread.setDaemon(true);
            return thread;
          });
  private final List<String> urls;

  /** Last sample of each node. Clock thread only. */
  private final Map<String, Count> before = new HashMap<>();

  private double max;
  private long samples;

  private record Count(double connects, long atNs) {}

  /**
   * @param urls metrics URLs of all nodes, including those that do not run
   */
  ConnectRate(List<String> urls) {
    this.urls = List.copyOf(urls);
    clock.scheduleAtFixedRate(this::sample, 0, 1, TimeUnit.SECONDS);
  }

  private void sample() {
    note(urls.stream().mapToDouble(this::rate).sum());
  }

  private synchronized void note(double rate) {
    max = Math.max(max, rate);
    samples++;
    notifyAll();
  }

  // A node that does not reply accepts no connections. The counter of a restarted node begins with
  // 0.
  private double rate(String url) {
    Count last = before.get(url);
    Count now;
    try {
      now = new Count(connects(url), System.nanoTime());
    } catch (IOException e) {
      return 0;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return 0;
    }
    before.put(url, now);
    if (last == null) {
      return 0;
    }
    double more = now.connects() - (now.connects() < last.connects() ? 0 : last.connects());
    return more * 1e9 / (now.atNs() - last.atNs());
  }

  private double connects(String url) throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(URI.create(url)).timeout(TIMEOUT).build();
    String text = http.send(request, HttpResponse.BodyHandlers.ofString()).body();
    return text.lines()
        .filter(line -> line.startsWith(SAMPLE))
        .mapToDouble(line -> Double.parseDouble(line.substring(SAMPLE.length())))
        .findFirst()
        .orElse(0);
  }

  /**
   * Returns the maximum number of connections per second of all nodes since the previous call.
   * Waits until the current second is counted.
   */
  synchronized double takeMax() throws InterruptedException {
    long now = samples;
    while (samples < now + 2) {
      wait();
    }
    double taken = max;
    max = 0;
    return taken;
  }

  @Override
  public void close() {
    clock.shutdownNow();
  }
}
