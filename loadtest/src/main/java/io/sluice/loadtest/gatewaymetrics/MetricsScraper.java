package io.sluice.loadtest.gatewaymetrics;

import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/** Scraper of one gateway's metrics endpoint. One thread calls it. */
public final class MetricsScraper {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);
  private static final double MILLIS = 1e3;
  private static final int OK = 200;

  private final HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
  private final URI url;
  private final Set<String> missing = new TreeSet<>();

  /** Creates a scraper of a URL such as {@code http://localhost:9090/metrics}. */
  public MetricsScraper(URI url) {
    this.url = url;
  }

  /**
   * Scrapes the metrics once.
   *
   * @param second second of the run to assign to the sample
   * @throws IOException if the metrics cannot be read
   */
  public GatewaySample sample(double second) throws IOException, InterruptedException {
    return sample(second, scrape());
  }

  /**
   * Returns the start of the gateway's process, which identifies it.
   *
   * @return nothing if the gateway does not expose it
   * @throws IOException if the metrics cannot be read
   */
  public Optional<Instant> processStart() throws IOException, InterruptedException {
    OptionalDouble seconds = scrape().sum("process_start_time_seconds", "");
    return seconds.isEmpty()
        ? Optional.empty()
        : Optional.of(Instant.ofEpochMilli(Math.round(seconds.getAsDouble() * MILLIS)));
  }

  private PrometheusText scrape() throws IOException, InterruptedException {
    HttpRequest request = HttpRequest.newBuilder(url).timeout(TIMEOUT).build();
    HttpResponse<String> response = client.send(request, HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != OK) {
      throw new IOException(url + " responded with HTTP " + response.statusCode());
    }
    return PrometheusText.parse(response.body());
  }

  /** Returns the names of absent metrics, whose figures are 0. */
  public Set<String> missing() {
    return Set.copyOf(missing);
  }

  GatewaySample sample(double second, PrometheusText text) {
    return new GatewaySample(
        second,
        value(text, "process_cpu_seconds_total", ""),
        (long) value(text, "jvm_memory_used_bytes", "area=\"heap\""),
        (long) value(text, "process_resident_memory_bytes", ""),
        (long) value(text, "sluice_connections", ""),
        (long) value(text, "sluice_frames_out_total", ""),
        (long) value(text, "sluice_frames_out_bytes_total", ""),
        (long) value(text, "sluice_messages_in_total", ""),
        (long) pauses(text, "jvm_gc_pause_seconds_count"),
        pauses(text, "jvm_gc_pause_seconds_sum"));
  }

  private double value(PrometheusText text, String name, String label) {
    return text.sum(name, label)
        .orElseGet(
            () -> {
              missing.add(name);
              return 0;
            });
  }

  /** Returns a value that may be absent: the gateway exposes it only after the first pause. */
  private static double pauses(PrometheusText text, String name) {
    return text.sum(name, "").orElse(0);
  }
}
