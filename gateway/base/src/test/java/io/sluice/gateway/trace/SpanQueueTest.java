package io.sluice.gateway.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfigFindings;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.config.FoundProblems;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.Message;
import io.sluice.gateway.protocol.PayloadKind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
final class SpanQueueTest {
  private static final TraceContext CONTEXT =
      TraceContext.parse("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

  private final Exposition exposition = new Exposition("span-queue-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  /** An export that blocks until it is released. */
  private static final class SlowExport implements SpanQueue.Export {
    final BlockingQueue<List<EndedTrace>> batches = new LinkedBlockingQueue<>();
    final CountDownLatch release = new CountDownLatch(1);

    @Override
    public String export(List<EndedTrace> traces) {
      batches.add(traces);
      try {
        release.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
      return null;
    }

    @Override
    public String endpoint() {
      return "http://collector:4318/v1/traces";
    }

    @Override
    public void close() {
      // nothing to close
    }
  }

  private static MessageTrace ended(SpanQueue queue) {
    MessageTrace trace = new MessageTrace(CONTEXT, "stocks.7", 0, queue::add);
    trace.onSequenced();
    return trace;
  }

  private double count(String name) {
    return exposition.registry().get(name).functionCounters().stream()
        .mapToDouble(each -> each.count())
        .sum();
  }

  @Test
  void shouldDropAndCountTracesBeyondItsCapacity() throws Exception {
    SlowExport export = new SlowExport();
    SpanQueue queue = new SpanQueue(2, export, metrics.trace()).start();
    ended(queue);
    export.batches.take(); // the export is blocked now

    for (int i = 0; i < 3; i++) {
      ended(queue);
    }

    assertThat(count("sluice.trace.messages.dropped")).isEqualTo(1);
    export.release.countDown();
    queue.close();
    assertThat(count("sluice.trace.messages.exported")).isEqualTo(3);
  }

  @Test
  void shouldEndATraceWithItsLastWrite() {
    BlockingQueue<EndedTrace> traces = new LinkedBlockingQueue<>();
    MessageTrace trace = new MessageTrace(CONTEXT, "stocks.7", 0, traces::add);
    trace.onDequeued();
    trace.onLogged(3);
    trace.onRejected();
    trace.onSequenced();
    trace.onWritten(1, 2, 1);
    assertThat(traces).isEmpty();
    trace.onWritten(3, 4, 2);
    assertThat(traces).containsExactly(trace);
    assertThat(trace.writes()).hasSize(2);
  }

  @Test
  void shouldReadHeaders() throws Exception {
    assertThat(TracingOptions.headers("Authorization=Bearer a=b, x-tenant = 7"))
        .isEqualTo(Map.of("Authorization", "Bearer a=b", "x-tenant", "7"));
  }

  @Test
  void shouldNotRepeatAnInvalidHeader() {
    assertThatThrownBy(() -> TracingOptions.headers("a=b,s3cret"))
        .isInstanceOf(IOException.class)
        .hasMessage("tracing.headers-file: header 2 of the file is not of the form name=value");
  }

  @Test
  void shouldReportAnUnusableFileWithHeaders(@TempDir Path folder) throws Exception {
    Path file = Files.writeString(folder.resolve("headers"), "a b=s3cret\n");
    assertThat(reported("tracing.headers-file: missing")).containsExactly("missing does not exist");
    assertThat(reported("tracing.headers-file: " + file))
        .containsExactly("header 1 of the file is not of the form name=value");
  }

  private static List<String> reported(String config) {
    ConfigFindings findings = FoundProblems.reading(config);
    TracingOptions.check(findings);
    return findings.problems().stream().map(each -> each.what()).toList();
  }

  private Tracing tracing(double ratio) {
    TracingOptions options =
        new TracingOptions(
            "http://127.0.0.1:9/",
            Map.of(),
            ratio,
            "sluice",
            "gw-1",
            "1",
            ConfiguredSource.of(Config.defaults()),
            1);
    return Tracing.open(options, metrics.trace());
  }

  private static Message message(String properties) {
    return new Message(
        "stocks.7",
        1,
        2,
        PayloadKind.TEXT,
        new byte[0],
        properties == null ? null : properties.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void shouldSelectTracesByTheirId() {
    String low = "{\"traceparent\":\"00-4bf92f3577b34da6a300000000000000-00f067aa0ba902b7-01\"}";
    String high = "{\"traceparent\":\"00-4bf92f3577b34da6a3ffffffffffffff-00f067aa0ba902b7-01\"}";
    try (Tracing half = tracing(0.5);
        Tracing all = tracing(1)) {
      assertThat(half.receive(message(low))).isNotNull();
      assertThat(half.receive(message(high))).isNull();
      assertThat(all.receive(message(high))).isNotNull();
    }
  }

  @Test
  void shouldNotFindAContextInValuesOfOtherProperties() {
    try (Tracing all = tracing(1)) {
      assertThat(all.receive(message(null))).isNull();
      assertThat(all.receive(message("{\"a\":1}"))).isNull();
      assertThat(all.receive(message("{\"a\":\"\\\"traceparent\\\":\\\"00-x\"}"))).isNull();
    }
  }
}
