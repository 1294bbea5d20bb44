package io.sluice.gateway.broker;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.sluice.gateway.config.Config;
import io.sluice.gateway.config.ConfiguredSource;
import io.sluice.gateway.metrics.Exposition;
import io.sluice.gateway.metrics.GatewayMetrics;
import io.sluice.gateway.metrics.KnownTags;
import io.sluice.gateway.protocol.PayloadKind;
import io.sluice.gateway.trace.TraceContext;
import io.sluice.gateway.trace.Tracing;
import io.sluice.gateway.trace.TracingOptions;
import java.lang.management.ManagementFactory;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TracedPublishTest {
  private static final String TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
  private static final String SPAN = "00f067aa0ba902b7";
  private static final int PUBLISHES = 100_000;

  private final Exposition exposition = new Exposition("traced-publish-test");
  private final GatewayMetrics metrics = new GatewayMetrics(exposition, KnownTags.none());

  @AfterEach
  void close() {
    metrics.close();
    exposition.close();
  }

  private static Publication publication(String flags) {
    String context = "00-" + TRACE + "-" + SPAN + "-" + flags;
    return new Publication(
        "orders",
        PayloadKind.TEXT,
        new byte[0],
        Map.of(TraceContext.PARENT, context, "region", "EU"));
  }

  private Tracing tracing() {
    TracingOptions options =
        new TracingOptions(
            "http://127.0.0.1:9/",
            Map.of(),
            1,
            "sluice",
            "gw-1",
            "1",
            ConfiguredSource.of(Config.defaults()),
            10);
    return Tracing.open(options, metrics.trace());
  }

  @Test
  void shouldReplaceOnlyTheContext() {
    Publication original = publication("01");
    try (Tracing tracing = tracing()) {
      Map<String, Object> sent = TracedPublish.of(tracing, original).publication().properties();
      assertThat(sent).hasSize(2).containsEntry("region", "EU");
      TraceContext context = TraceContext.parse((String) sent.get(TraceContext.PARENT));
      assertThat(context.traceId()).isEqualTo(TRACE);
      assertThat(context.spanId()).isNotEqualTo(SPAN);
      assertThat(context.sampled()).isTrue();
    }
    assertThat(original.properties()).isEqualTo(publication("01").properties());
  }

  @Test
  void shouldNotTraceAnUnsampledPublish() {
    try (Tracing tracing = tracing()) {
      assertThat(TracedPublish.of(tracing, publication("00"))).isNull();
    }
  }

  @Test
  void shouldAllocateNothingWithoutTracing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    Publication sampled = publication("01");
    long before = threads.getCurrentThreadAllocatedBytes();
    for (int i = 0; i < PUBLISHES; i++) {
      if (TracedPublish.of(null, sampled) != null) {
        throw new AssertionError("a trace without tracing");
      }
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(PUBLISHES);
  }
}
