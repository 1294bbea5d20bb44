package io.sluice.gateway.metrics;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.sluice.testkit.PrometheusText;
import io.sluice.testkit.PrometheusText.Family;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

class GatewayMetricsTest {
  private static final MBeanServer BEANS = ManagementFactory.getPlatformMBeanServer();

  private final Exposition exposition = new Exposition("gw:1");
  private final GatewayMetrics metrics =
      new GatewayMetrics(
          exposition,
          new KnownTags(
              List.of(1000),
              List.of("full"),
              List.of("overload"),
              List.of("internal"),
              List.of(),
              List.of(),
              List.of(),
              List.of("broker-lost")));

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  @Test
  void shouldExportKnownTagsAsZeroBeforeTheFirstEvent() {
    assertSample("sluice_connections_closed_total{code=\"1000\"}", 0);
    assertSample("sluice_handshakes_refused_total{cause=\"full\"}", 0);
    assertSample("sluice_drops_total{cause=\"overload\"}", 0);
    assertSample("sluice_gaps_sent_total{reason=\"broker-lost\"}", 0);
    assertSample("sluice_client_errors_total{code=\"internal\"}", 0);
    assertSample("sluice_publishes_total{outcome=\"published\"}", 0);
    assertSample("sluice_publishes_total{outcome=\"internal\"}", 0);
  }

  @Test
  void shouldCountConnections() {
    metrics.connectionOpened();
    metrics.connectionOpened();
    metrics.connectionClosed(4000);
    metrics.handshakeRefused("origin");

    assertSample("sluice_connections", 1);
    assertSample("sluice_connections_opened_total", 2);
    assertSample("sluice_connections_closed_total{code=\"4000\"}", 1);
    assertSample("sluice_handshakes_refused_total{cause=\"origin\"}", 1);
  }

  @Test
  void shouldCountSubscriptionsAndInterests() {
    for (int i = 0; i < 5; i++) {
      metrics.subscriptionAdded();
    }
    metrics.subscriptionRemoved();
    metrics.interestOpened();
    metrics.interestOpened();
    metrics.interestClosed();

    assertSample("sluice_subscriptions", 4);
    assertSample("sluice_interests", 1);
  }

  @Test
  void shouldCountTraffic() {
    metrics.messageIn(512);
    metrics.messageIn(100);
    metrics.egressCounters().add(1000, 540_000);
    metrics.frameIn();
    metrics.dropped("overload", 17);

    assertSample("sluice_messages_in_total", 2);
    assertSample("sluice_messages_in_bytes_total", 612);
    assertSample("sluice_frames_out_total", 1000);
    assertSample("sluice_frames_out_bytes_total", 540_000);
    assertSample("sluice_frames_in_total", 1);
    assertSample("sluice_drops_total{cause=\"overload\"}", 17);
  }

  @Test
  void shouldCountErrorsAndPublishes() {
    metrics.clientError("bad-json");
    metrics.published();
    metrics.published();
    metrics.publishRefused("rate-limited");

    assertSample("sluice_client_errors_total{code=\"bad-json\"}", 1);
    assertSample("sluice_publishes_total{outcome=\"published\"}", 2);
    assertSample("sluice_publishes_total{outcome=\"rate-limited\"}", 1);
  }

  @Test
  void shouldExportTheStateOfTheBroker() {
    metrics.brokerConnected("kafka", false);
    metrics.brokerReconnectAttempt("jms");
    metrics.brokerConnected("jms", true);

    assertSample("sluice_broker_connected{source=\"kafka\"}", 0);
    assertSample("sluice_broker_connected{source=\"jms\"}", 1);
    assertSample("sluice_broker_reconnect_attempts_total{source=\"jms\"}", 1);
  }

  @Test
  void shouldExportTheAgeOfTheLatestProof() {
    assertThat(sample("sluice_broker_proof_age_seconds")).isNaN();
    metrics.brokerProven(System.nanoTime() - TimeUnit.HOURS.toNanos(1));
    metrics.brokerTimedOut();

    assertThat(sample("sluice_broker_proof_age_seconds")).isBetween(3_600.0, 7_200.0);
    assertSample("sluice_broker_silent_losses_total", 1);
  }

  @Test
  void shouldLimitTheTagValuesThatClientsCanCause() {
    for (int code = 1000; code < 5000; code++) {
      metrics.connectionClosed(code);
    }

    Map<String, Double> samples = scrape().get("sluice_connections_closed_total").samples();
    assertThat(samples).hasSize(TaggedCounter.MAX_VALUES);
    assertThat(samples.get("sluice_connections_closed_total{code=\"1000\"}")).isEqualTo(1);
    assertThat(samples.values().stream().mapToDouble(v -> v).sum()).isEqualTo(4000);
    metrics.connectionClosed(4999);
    assertSample(
        "sluice_connections_closed_total{code=\"other\"}", 4000 - TaggedCounter.MAX_VALUES + 2);
  }

  @Test
  void shouldShowLatencies() {
    LatencyRecorder recorder = metrics.latencyRecorder();
    recorder.record(2_000, 98);
    recorder.record(50_000, 2);
    metrics.lagRecorder(0).record(300, 1);
    metrics.lagRecorder(1).record(4_000, 1);

    Map<String, Double> fanout = scrape().get("sluice_fanout_latency_seconds").samples();
    assertThat(fanout.get("sluice_fanout_latency_seconds_count")).isEqualTo(100);
    assertThat(fanout.get("sluice_fanout_latency_seconds_sum")).isCloseTo(0.296, within(1e-9));
    assertBucket(fanout, "0.001", 0);
    assertBucket(fanout, "0.0025", 98);
    assertBucket(fanout, "0.025", 98);
    assertBucket(fanout, "0.05", 100);
    assertBucket(fanout, "+Inf", 100);
    assertThat(sample("sluice_fanout_latency_seconds_max")).isCloseTo(0.05, withinPercentage(1));
    assertThat(sample("sluice_event_loop_lag_seconds_max{loop=\"0\"}"))
        .isCloseTo(0.0003, withinPercentage(1));
    assertThat(sample("sluice_event_loop_lag_seconds_max{loop=\"1\"}"))
        .isCloseTo(0.004, withinPercentage(1));
  }

  @Test
  void shouldDescribeTheProcess() {
    assertThat(scrape())
        .containsKeys(
            "jvm_memory_used_bytes",
            "jvm_threads_live_threads",
            "process_cpu_usage",
            "process_cpu_seconds_total",
            "system_cpus",
            "process_files_open_files",
            "process_files_max_files",
            "process_uptime_seconds");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void shouldExportTheMemoryOfTheProcess() {
    long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();

    assertThat(sample("process_resident_memory_bytes")).isBetween(heap / 2.0, 1e11);
  }

  @Test
  void shouldHaveNoMeterOfMemoryOnOtherSystems() {
    SimpleMeterRegistry registry = new SimpleMeterRegistry();

    new ResidentMemory(Path.of("no", "such", "file")).bindTo(registry);

    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void shouldEndOpenMetricsWithItsMark() {
    String text = new String(exposition.scrape(ScrapeFormat.OPEN_METRICS), UTF_8);

    assertThat(text).endsWith("# EOF\n").contains("# TYPE sluice_connections_opened counter");
  }

  @Test
  void shouldExportTheSameMetersByJmx() throws Exception {
    metrics.connectionOpened();
    metrics.connectionClosed(4000);
    metrics.egressCounters().add(3, 99);
    metrics.latencyRecorder().record(7_000, 5);

    assertThat(bean("name=sluice_connections", "Value")).isEqualTo(0.0);
    assertThat(bean("name=sluice_connections_closed,code=4000", "Count")).isEqualTo(1L);
    assertThat(bean("name=sluice_frames_out_bytes", "Count")).isEqualTo(99L);
    assertThat((Double) bean("name=sluice_fanout_latency,quantile=0.99", "Value"))
        .isCloseTo(0.007, withinPercentage(1));
    assertThat(bean("name=sluice_fanout_latency_count", "Value")).isEqualTo(5.0);
    assertThat((Double) bean("name=sluice_fanout_latency_sum", "Value"))
        .isCloseTo(0.035, within(1e-9));
    assertThat((Double) bean("name=sluice_fanout_latency_max", "Value"))
        .isCloseTo(0.007, withinPercentage(1));
  }

  @Test
  void shouldLeaveNoBeansBehind() throws Exception {
    ObjectName all = new ObjectName("sluice:node=\"gw:1\",*");
    assertThat(BEANS.queryNames(all, null)).hasSizeGreaterThan(30);

    exposition.close();

    assertThat(BEANS.queryNames(all, null)).isEmpty();
  }

  @Test
  void shouldDistinguishNodesOfOneProcess() throws Exception {
    try (Exposition other = new Exposition("gw-2");
        GatewayMetrics otherMetrics = new GatewayMetrics(other, KnownTags.none())) {
      otherMetrics.connectionOpened();

      assertThat(bean("name=sluice_connections", "Value")).isEqualTo(0.0);
      assertThat(
              BEANS.getAttribute(
                  new ObjectName("sluice:node=gw-2,name=sluice_connections"), "Value"))
          .isEqualTo(1.0);
    }
  }

  @Test
  void shouldDescribeEachMeterInOneSentence() {
    scrape().values().stream()
        .filter(family -> family.name().startsWith("sluice_"))
        .forEach(family -> assertThat(family.help()).as(family.name()).matches("[A-Z1].*\\."));
  }

  private void assertSample(String key, double value) {
    assertThat(sample(key)).as(key).isEqualTo(value);
  }

  private Double sample(String key) {
    Family family = scrape().get(key.replaceFirst("\\{.*", ""));
    assertThat(family).as("family of " + key).isNotNull();
    assertThat(family.samples()).containsKey(key);
    return family.samples().get(key);
  }

  private static void assertBucket(Map<String, Double> samples, String bound, double count) {
    String key = "sluice_fanout_latency_seconds_bucket{le=\"" + bound + "\"}";
    assertThat(samples.get(key)).as(key).isEqualTo(count);
  }

  private Map<String, Family> scrape() {
    return PrometheusText.read(new String(exposition.scrape(ScrapeFormat.PROMETHEUS), UTF_8));
  }

  private static Object bean(String keys, String attribute) throws Exception {
    return BEANS.getAttribute(new ObjectName("sluice:node=\"gw:1\"," + keys), attribute);
  }
}
