package io.sluice.gateway.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.opentelemetry.proto.trace.v1.Span.SpanKind;
import io.sluice.gateway.TestNode;
import io.sluice.gateway.config.AdminSettings;
import io.sluice.gateway.trace.OtlpReceiver;
import io.sluice.gateway.trace.OtlpReceiver.Received;
import io.sluice.gateway.trace.TracedPublisher;
import io.sluice.testkit.TestBroker;
import io.sluice.testkit.TestPublisher;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One trace from a JMS publisher through a node to the documented page in a real browser. */
@Timeout(300)
final class TracedPageIT {
  private static final Duration EXPORT = Duration.ofMinutes(2);
  private static final String PAGE_SPAN = "process stocks.>";

  @Tag("full")
  @Test
  void shouldEndTheTraceOfAPublisherInTheSpanOfAPage() throws Exception {
    try (OtlpReceiver receiver = new OtlpReceiver();
        TestBroker broker = TestBroker.start("artemis");
        TestPublisher publisher = new TestPublisher("artemis", broker.url());
        TracedPublisher backend = new TracedPublisher(publisher, receiver);
        TestNode node =
            TestNode.start(
                TestNode.config("artemis", broker.url())
                    .with(AdminSettings.TRACING_ENDPOINT, receiver.url()))) {
      node.awaitReady();
      Map<String, Callable<String>> requests =
          Map.of(
              "SUBSCRIBED", () -> publish(backend),
              "SHOWN", () -> awaitExport(receiver));
      String url = "ws://127.0.0.1:" + node.gateway().port() + "/ws";
      assertThat(BrowserScript.run("browser/traced.mjs", requests, url, receiver.url()))
          .containsExactly("SUBSCRIBED", "SHOWN");

      checkTrace(receiver);
    }
  }

  private static String publish(TracedPublisher backend) throws Exception {
    backend.publish("stocks.7");
    return "PUBLISHED";
  }

  private static String awaitExport(OtlpReceiver receiver) {
    await()
        .atMost(EXPORT)
        .untilAsserted(
            () ->
                assertThat(receiver.spans())
                    .extracting(Received::name)
                    .contains("publish", "last write", PAGE_SPAN));
    return "EXPORTED";
  }

  private static void checkTrace(OtlpReceiver receiver) {
    Received publish = receiver.span("publish");
    assertThat(receiver.spans()).extracting(Received::traceId).containsOnly(publish.traceId());
    Received forward = receiver.span("forward");
    assertThat(forward.service()).isEqualTo("sluice");
    assertThat(forward.parent()).isEqualTo(publish.id());
    for (String stage : List.of("receive", "log", "fan-out", "first write", "last write")) {
      assertThat(receiver.span(stage).parent()).as(stage).isEqualTo(forward.id());
    }
    Received page = receiver.span(PAGE_SPAN);
    assertThat(page.service()).isEqualTo("trading-page");
    assertThat(page.span().getKind()).isEqualTo(SpanKind.SPAN_KIND_CONSUMER);
    assertThat(page.parent()).isEqualTo(publish.id());
    assertThat(page.attribute("messaging.destination.name")).isEqualTo("stocks.7");
  }
}
