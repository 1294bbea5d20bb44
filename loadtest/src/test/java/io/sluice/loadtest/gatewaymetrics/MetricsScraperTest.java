package io.sluice.loadtest.gatewaymetrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import io.sluice.loadtest.result.MeasuredRun.GatewaySample;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class MetricsScraperTest {
  private static final String METRICS =
      """
      # HELP sluice_connections Clients connected now.
      # TYPE sluice_connections gauge
      sluice_connections 12.0
      sluice_frames_out_total 3000.0
      sluice_frames_out_bytes_total 1.5E6
      sluice_messages_in_total 300.0
      process_cpu_seconds_total 4.82
      jvm_memory_used_bytes{area="heap",id="G1 Eden Space"} 1000.0
      jvm_memory_used_bytes{area="heap",id="odd } \\" name"} 200.0
      jvm_memory_used_bytes{area="nonheap",id="Metaspace"} 7.0
      process_resident_memory_bytes 3.0E8
      jvm_gc_pause_seconds_count{cause="one"} 2
      jvm_gc_pause_seconds_sum{cause="one"} 0.039
      jvm_gc_pause_seconds_count{cause="other"} 1
      jvm_gc_pause_seconds_sum{cause="other"} 0.001
      process_start_time_seconds 1.767268800125E9
      sluice_broker_proof_age_seconds NaN
      """;

  private HttpServer server;
  private MetricsScraper metrics;
  private volatile int status = 200;
  private volatile String body = METRICS;

  @BeforeEach
  void startServer() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] bytes = body.getBytes(UTF_8);
          exchange.sendResponseHeaders(status, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    int port = server.getAddress().getPort();
    metrics = new MetricsScraper(URI.create("http://127.0.0.1:" + port + "/metrics"));
  }

  @AfterEach
  void endServer() {
    server.stop(0);
  }

  @Test
  void shouldIdentifyProcessByItsStart() throws Exception {
    assertThat(metrics.processStart()).contains(Instant.parse("2026-01-01T12:00:00.125Z"));

    body = "sluice_connections 12.0\n";
    assertThat(metrics.processStart()).isEmpty();
  }

  @Test
  void shouldReadMetrics() throws Exception {
    GatewaySample sample = metrics.sample(1.5);

    assertThat(sample)
        .usingRecursiveComparison()
        .withComparatorForType((a, b) -> Math.abs(a - b) < 1e-9 ? 0 : 1, Double.class)
        .isEqualTo(
            new GatewaySample(1.5, 4.82, 1200, 300_000_000, 12, 3000, 1_500_000, 300, 3, 0.04));
    assertThat(metrics.missing()).isEmpty();
  }

  @Test
  void shouldReportMissingMetricsAsZero() throws Exception {
    body = METRICS.replace("sluice_messages_in_total", "other");

    assertThat(metrics.sample(0).messagesIn()).isZero();
    assertThat(metrics.missing()).containsExactly("sluice_messages_in_total");
  }

  @Test
  void shouldReportHttpErrors() {
    status = 503;

    assertThatThrownBy(() -> metrics.sample(0)).hasMessageContaining("503");
  }

  @Test
  void shouldSampleRepeatedlyAndReportErrorOnce() {
    status = 503;
    List<String> errors = new CopyOnWriteArrayList<>();
    try (GatewaySampler sampler = GatewaySampler.start(metrics, System.nanoTime(), errors::add)) {
      await().until(() -> !errors.isEmpty());
      status = 200;
      await().until(() -> sampler.samples().size() >= 2);
    }

    assertThat(errors).hasSize(1);
  }
}
